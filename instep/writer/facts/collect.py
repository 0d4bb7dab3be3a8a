"""All facts of a change: certain ones in order of trust, doubtful renames, and removed names."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from instep.core.name_matching import is_distinct
from instep.writer.diffs.change_set import ChangeSet
from instep.writer.facts.changed_texts import ChangedText, SourceLine, changed_line, changed_texts
from instep.writer.facts.described_renames import find_described_renames
from instep.writer.facts.entitlements import Entitlement, find_entitlements
from instep.writer.facts.key_combinations import key_combination_renames
from instep.writer.facts.line_alignment import pairs_of
from instep.writer.facts.moved_menu_entries import find_moved_menu_entries
from instep.writer.facts.platform_versions import find_platform_versions
from instep.writer.facts.renamed_sections import find_renamed_sections
from instep.writer.facts.renames import (
    Rename,
    doubting_new_values,
    find_renames,
    in_context_of,
    parameter_renames,
    phrase_renames,
    values_of_renamed,
    with_conversions,
)
from instep.writer.facts.rewordings import Rewording, find_rewordings
from instep.writer.facts.set_members import ComparedFile, MemberChange, find_member_changes
from instep.writer.facts.setting_sections import SettingSections
from instep.writer.facts.signatures import Signature, find_signatures
from instep.writer.facts.token_replacements import TokenReplacement, token_replacements
from instep.writer.facts.values import Value, find_values
from instep.writer.shapes import Change
from instep.writer.words.prose import is_safe

Fact = Rename | Value | Rewording | Signature

_NAME = re.compile(r"--[a-z][\w-]+|[A-Za-z_]\w+")
_MIGRATION = re.compile(r"(?:^|/)(?:migrations?|migrate|alembic)/")
_MAX_FACTS = 2_000
_MAX_MEMBERS = 100
_MAX_LINE_CHARACTERS = 1_000


@dataclass(frozen=True, slots=True)
class RemovedName:
    """A name that no line of the change has any more."""

    name: str
    source: SourceLine


@dataclass(frozen=True, slots=True)
class Facts:
    """What a change did; `certain` is in order of trust, doubtful renames are reported and not applied."""

    certain: tuple[Fact, ...]
    doubtful_renames: tuple[Rename, ...]
    removed_names: tuple[RemovedName, ...]
    member_changes: tuple[MemberChange, ...]
    entitlements: tuple[Entitlement, ...]

    @property
    def renames(self) -> tuple[Rename, ...]:
        return tuple(fact for fact in self.certain if isinstance(fact, Rename))

    @property
    def rewordings(self) -> tuple[Rewording, ...]:
        return tuple(fact for fact in self.certain if isinstance(fact, Rewording))

    @property
    def values(self) -> tuple[Value, ...]:
        return tuple(fact for fact in self.certain if isinstance(fact, Value))


def collect_facts(change: Change, change_set: ChangeSet) -> Facts:
    compared = [(file, list(pairs_of(file.patch))) for file in change_set.files]
    replacements, texts = _compare_lines(compared)
    described = find_described_renames(change, change_set)
    patches = [file.patch for file in change_set.files]
    values = find_values(replacements, patches)
    # A migration writes the old name of what it renames.
    lasting = [patch for patch in patches if not _MIGRATION.search(patch.path)]
    renames = doubting_new_values(find_renames(texts, lasting), values, change)
    renames = list(in_context_of(renames, described))
    sure_renames = [*described, *(rename for rename in renames if rename.doubt is None)]
    certain: list[Fact] = [
        *with_conversions(sure_renames, values),
        *parameter_renames(sure_renames[len(described) :]),
        *phrase_renames(sure_renames),
        *key_combination_renames(sure_renames),
        *find_renamed_sections(change_set.files),
        *find_moved_menu_entries(change_set.files),
        *find_signatures(change_set),
        *find_rewordings(texts, patches),
        *values_of_renamed(values, sure_renames),
        *find_platform_versions(compared),
    ]
    safe = (fact for fact in certain if is_safe(fact.old, fact.new))
    doubtful = tuple(rename for rename in renames if rename.doubt)
    renamed = {rename.old for rename in renames}
    removed = (removed for removed in _removed_names(change_set) if removed.name not in renamed)
    return Facts(
        tuple(islice(safe, _MAX_FACTS)),
        doubtful[:_MAX_FACTS],
        tuple(islice(removed, _MAX_FACTS)),
        tuple(islice(find_member_changes(compared), _MAX_MEMBERS)),
        tuple(islice(find_entitlements(compared), _MAX_MEMBERS)),
    )


def _compare_lines(compared: Sequence[ComparedFile]) -> tuple[list[TokenReplacement], list[ChangedText]]:
    """Replaced tokens, and the texts around them, of all pairs of lines."""
    replacements, texts = list[TokenReplacement](), list[ChangedText]()
    sections = SettingSections(file.patch for file, _ in compared)
    for file, pairs in compared:
        for pair in pairs:
            in_line = list(token_replacements(file.patch.path, file.weight, pair))
            replacements += in_line
            owner = sections.owner_at(file.patch.path, pair.new.new)
            texts += [text for replacement in in_line for text in changed_texts(replacement, owner)]
            texts.append(changed_line(pair, file.patch.path, file.weight))
    return replacements, texts


def _removed_names(change_set: ChangeSet) -> Iterator[RemovedName]:
    remaining, removed = set[str](), dict[str, SourceLine]()
    for file in change_set.files:
        for line in file.patch.lines():
            if len(line.text) > _MAX_LINE_CHARACTERS:
                continue
            if line.mark != "-":
                remaining.update(_NAME.findall(line.text))
            elif file.kind not in {"test", "internal"}:
                source = SourceLine(file.patch.old_path, line.old, line.text, file.weight)
                for name in _NAME.findall(line.text):
                    removed.setdefault(name, source)
    return (
        RemovedName(name, source)
        for name, source in removed.items()
        if name not in remaining and is_distinct(name)
    )

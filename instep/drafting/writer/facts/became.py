"""The pairs of a change: names, labels, texts and values with their replacements, and evidence for each.

Every pair comes from aligned lines, or from the title or description if the lines confirm it. None is judged
here: the signs of a pair describe how the change treats both texts, and `editing.occurrences` weighs them
together with the passage in which an article uses the old text.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Literal, NamedTuple

from instep.drafting.writer.diffs.change_set import ChangeSet, ReviewedFile
from instep.drafting.writer.facts.changed_texts import (
    OccurrenceCounts,
    SourceLine,
    changed_line,
    changed_texts,
)
from instep.drafting.writer.facts.described_renames import find_described_renames, is_described
from instep.drafting.writer.facts.line_alignment import pairs_of
from instep.drafting.writer.facts.setting_names import is_signature
from instep.drafting.writer.facts.token_replacements import token_replacements
from instep.drafting.writer.facts.values import ValueChange, value_changes
from instep.drafting.writer.shapes import Change
from instep.drafting.writer.words.identifiers import parts_of
from instep.drafting.writer.words.prose import is_safe
from instep.platform.core.name_matching import is_distinct, mention
from instep.platform.text.characters import with_single_spaces

Kind = Literal["name", "label", "text", "value"]

_WORD = re.compile(r"\w{2,}")
_IMPORT = re.compile(r"\W*(import|from|export|use|using|require|#include|package)\b")
# A keyword argument in a multi-line call.
_ARGUMENT = re.compile(r"[a-z]\w*\s*=[^=].*,$")
# A migration contains the old name of what it renames.
_MIGRATION = re.compile(r"(?:^|/)(?:migrations?|migrate|alembic)/")
# A variable, flag, header, route, key combination, address or phrase; as a value it is also a name.
_NAME_BY_ITSELF = re.compile(
    r"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+|--[a-z][\w-]+|/.*|[A-Z]\w*(?:-[A-Z]\w*)+|(?:\w+\+)+\S+|.*(?:://|@| ).*"
)
# Placeholders that code fills in: readers never see them.
_PLACEHOLDER = re.compile(r"\{[\w.!:()\[\]]*\}|%[sdr](?!\w)|%\(\w+\)|\$\{")
# Hosts that RFC 2606 and RFC 6761 reserve for documentation and tests.
_SAMPLE_HOST = re.compile(
    r"(?:://|@)(?:[\w-]+\.)*(?:example\.(?:com|org|net)|(?:example|test|invalid|localhost)\b)"
)
_SYSTEM_PATH = re.compile(r"/(?:bin|etc|home|mnt|opt|root|srv|tmp|usr|var)/")
_NAMING = """
    alias attribute column command endpoint event field flag header key label metric name option parameter
    path permission route scope slug tag title
"""
_NAMING_WORDS = frozenset(_NAMING.split())
_MIN_TEXT_WORDS = 4
# Four lines or more, in logarithms, and a share of lines that still contain the old text.
_MANY, _FEW_LEFT = 2.0, 0.2
_MIN_WEIGHT = 0.5
_MAX_PAIRS = 2_000


@dataclass(frozen=True, slots=True)
class Became:
    """`old` became `new` in `sources`; `value` says what a value belongs to, and is None for other kinds.

    `signs` (each from 0 to about 3) are the change's own evidence: see `_signs`.
    """

    kind: Kind
    old: str
    new: str
    sources: tuple[SourceLine, ...]
    signs: Mapping[str, float] = field(compare=False)
    value: ValueChange | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """The names that a value belongs to, nearest first; empty for other kinds."""
        return self.value.names if self.value else ()


class _Key(NamedTuple):
    kind: Kind
    old: str
    new: str
    names: tuple[str, ...] = ()


class _Use(NamedTuple):
    """A line in which a pair changes: the new line, the old one, and how little else changes in it."""

    source: SourceLine
    old_line: str
    value: ValueChange | None = None


def find_became(change: Change, change_set: ChangeSet) -> tuple[Became, ...]:
    """The pairs of a change, sorted so that the longest old text comes first and a line beats its words."""
    groups: dict[_Key, list[_Use]] = defaultdict(list)
    described = find_described_renames(change, change_set)
    for (old, new), sources in described.items():
        groups[_Key("name", old, new)] += (_Use(source, "") for source in sources)
    for key, use in _compared(change_set.files):
        described_key = _Key("name", key.old, key.new)
        place = described_key if described_key in groups and key.kind in {"name", "label"} else key
        if place in groups or len(groups) < _MAX_PAIRS:
            groups[place].append(use)
    values: dict[tuple[str, str], list[_Use]] = defaultdict(list)
    for key, uses in groups.items():
        values[key.old, key.new] += uses if key.names else ()
    texts = {text for key in groups for text in (key.old, key.new)}
    patches = [file.patch for file in change_set.files if not _MIGRATION.search(file.patch.path)]
    tally = _Tally(groups, OccurrenceCounts(texts, patches))
    pairs = (
        Became(
            key.kind,
            key.old,
            key.new,
            tuple(dict.fromkeys(use.source for use in uses)),
            _signs(key, uses, tally, has_description=_has_description(key, change, described)),
            uses[0].value,
        )
        for key, uses in groups.items()
        if _may_be_told(key, uses)
        and not (key.names and tally.is_ambiguous(key))
        and ((key.old, key.new) in described or not _is_choice(key, uses, values))
    )
    return tuple(sorted(pairs, key=lambda pair: -len(pair.old)))


def _has_description(key: _Key, change: Change, described: Container[tuple[str, str]]) -> bool:
    is_label = key.kind == "label"
    return (key.old, key.new) in described or (is_label and is_described(change, key.old, key.new))


def _compared(files: Iterable[ReviewedFile]) -> Iterator[tuple[_Key, _Use]]:
    for file in files:
        for pair in pairs_of(file.patch):
            use = _Use(SourceLine(file.patch.path, pair.new.new, pair.new.text, file.weight), pair.old.text)
            replacements = token_replacements(file.patch.path, file.weight, pair)
            for text in (*chain.from_iterable(map(changed_texts, replacements)), changed_line(pair)):
                yield _Key(*text), use
        for value in value_changes(file):
            key = _Key("value", value.old, value.new, value.names)
            yield key, _Use(value.source, value.old_line, value=value)


def _may_be_told(key: _Key, uses: Sequence[_Use]) -> bool:
    """True if an article could contain the old text and may be given the new one."""
    old, new = (with_single_spaces(text).casefold() for text in (key.old, key.new))
    if (old == new and " " in key.old) or not is_safe(key.old, key.new):
        return False
    if max(use.source.weight for use in uses) < _MIN_WEIGHT or _SAMPLE_HOST.search(key.old):
        return False
    if key.kind == "name" and _takes_another(key, uses):
        return False
    if key.kind == "text":
        return (
            _is_quotable(key.old)
            and _says_something_else(key.old, key.new)
            and not _PLACEHOLDER.search(key.new)
        )
    return not (key.kind == "name" and key.new.startswith("_") and not key.old.startswith("_"))


def _takes_another(key: _Key, uses: Sequence[_Use]) -> bool:
    """True if the lines only use something else: another argument, path or call is no sign of a rename."""
    lines = {use.source: use.source.text for use in uses}.values()
    if all(_ARGUMENT.match(line.strip()) for line in lines):
        return True
    if len(lines) > 1:
        return False
    [line] = lines
    is_call = f"{key.new}(" in line and not (is_signature(line) or line.lstrip().startswith("@"))
    return is_call or bool(_SYSTEM_PATH.match(key.old))


def _is_quotable(text: str) -> bool:
    return len(set(_WORD.findall(text))) >= _MIN_TEXT_WORDS and not _IMPORT.match(text)


def _says_something_else(old: str, new: str) -> bool:
    """False if a text only gets longer or shorter or changes case: it then stays as true as before."""
    return old not in new and new.rstrip(".") not in old and old.casefold() != new.casefold()


def _is_choice(key: _Key, uses: Sequence[_Use], values: Mapping[tuple[str, str], Sequence[_Use]]) -> bool:
    """True if a setting only switches to another of several values: the old value may still exist."""
    if key.kind not in {"name", "label"} or _NAME_BY_ITSELF.fullmatch(key.old):
        return False
    settings = values.get((key.old, key.new), ())
    names = (parts_of(use.value.names[0])[-1:] for use in settings if use.value)
    holds_names = any(not _NAMING_WORDS.isdisjoint(name) for name in names)
    return not holds_names and {use.source for use in uses} <= {use.source for use in settings}


class _Tally:
    """The number of times that the change contains each text, and of different texts that replace it."""

    def __init__(self, groups: Mapping[_Key, Sequence[_Use]], occurrences: OccurrenceCounts) -> None:
        self.occurrences = occurrences
        self.uses: Counter[str] = Counter()
        self.targets: Counter[str] = Counter()
        self.families: Counter[tuple[str, str]] = Counter()
        self.outcomes: dict[tuple[str, str], set[str]] = defaultdict(set)
        lines_by_pair: dict[tuple[str, str], set[SourceLine]] = defaultdict(set)
        for key, members in groups.items():
            if key.names:
                self.outcomes[key.old, key.names[0]].add(key.new)
            else:
                lines_by_pair[key.old, key.new].update(use.source for use in members)
        for (old, new), sources in lines_by_pair.items():
            self.uses[old] += len(sources)
            self.targets[new] += len(sources)
            self.families[family_of(old, new)] += len(sources)

    def is_ambiguous(self, key: _Key) -> bool:
        """True if the change replaces one value of a name with several different ones."""
        return len(self.outcomes[key.old, key.names[0]]) > 1


def _signs(key: _Key, uses: Sequence[_Use], tally: _Tally, *, has_description: bool) -> dict[str, float]:
    """The evidence for a pair: counts as logarithms, shares from 0 to 1, and flags."""
    counts, lines = tally.occurrences, len({use.source for use in uses})
    inside_new = len(mention(key.old).findall(key.new)) * counts.added[key.new]
    left = max(0, counts.added[key.old] - inside_new) + counts.unchanged[key.old]
    removed_uses = counts.removed[key.old]
    pattern = mention(key.old)
    exact = [
        use
        for use in uses
        if not use.old_line or pattern.sub(lambda _: key.new, use.old_line) == use.source.text
    ]
    signs = {
        "left": left / max(1, left + removed_uses),
        "unexplained": max(0, removed_uses - lines) / max(1, removed_uses),
        "rivals": 1 - lines / max(lines, tally.uses[key.old]),
        "shared target": 1 - lines / max(lines, tally.targets[key.new]),
        "existing": min(1.0, (counts.unchanged[key.new] + counts.removed[key.new]) / lines),
    }
    lines_sign, is_name = min(3.0, _log2(lines)), key.kind == "name" and is_distinct(key.old)
    is_clean, is_exact = not any(signs.values()), len(exact) == len(uses)
    return {
        **signs,
        "clean": float(is_clean),
        "clean name": float(is_clean and is_exact and is_name),
        "many": float(is_name and lines_sign >= _MANY and signs["left"] < _FEW_LEFT),
        "described": float(has_description),
        "lines": lines_sign,
        "family": min(3.0, _log2(tally.families[family_of(key.old, key.new)])),
        "files": min(2.0, _log2(len({use.source.file for use in uses}))),
        "exact": len(exact) / len(uses),
        "distinct": float(is_distinct(key.old)),
        "new is a word": float(is_distinct(key.old) and not is_distinct(key.new)),
    }


def _log2(count: int) -> float:
    return float(max(1, count).bit_length() - 1)


def family_of(old: str, new: str) -> tuple[str, str]:
    """The differing words: `start_date` to `begin_date` and `start_time` to `begin_time` share them."""
    before, after = parts_of(old), parts_of(new)
    while before and after and before[0] == after[0]:
        before, after = before[1:], after[1:]
    while before and after and before[-1] == after[-1]:
        before, after = before[:-1], after[:-1]
    return " ".join(before), " ".join(after)

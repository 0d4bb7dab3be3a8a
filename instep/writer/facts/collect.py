"""What a change says: its certain facts in order of trust, what is doubtful, and names that are gone."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from instep.writer.diffs.change_set import ChangeSet
from instep.writer.facts.changed_texts import ChangedText, SourceLine, changed_line, changed_texts
from instep.writer.facts.line_alignment import pairs_of
from instep.writer.facts.renames import Rename, find_described_renames, find_renames
from instep.writer.facts.rewordings import Rewording, find_rewordings
from instep.writer.facts.signatures import Signature, find_signatures
from instep.writer.facts.token_replacements import TokenReplacement, token_replacements
from instep.writer.facts.values import Value, find_values
from instep.writer.shapes import Change
from instep.writer.words.identifiers import is_distinct
from instep.writer.words.prose import is_safe

Fact = Rename | Value | Rewording | Signature

_NAME = re.compile(r"--[a-z][\w-]+|[A-Za-z_]\w+")
_MOST = 2_000
_LONGEST = 1_000


@dataclass(frozen=True, slots=True)
class RemovedName:
    """A name that no line of the change has any more."""

    name: str
    source: SourceLine


@dataclass(frozen=True, slots=True)
class Facts:
    certain: tuple[Fact, ...]
    doubtful_renames: tuple[Rename, ...]
    removed_names: tuple[RemovedName, ...]

    @property
    def renames(self) -> tuple[Rename, ...]:
        return tuple(fact for fact in self.certain if isinstance(fact, Rename))


def collect_facts(change: Change, change_set: ChangeSet) -> Facts:
    replacements, texts = list[TokenReplacement](), list[ChangedText]()
    for file in change_set.files:
        for pair in pairs_of(file.patch):
            here = list(token_replacements(file.patch.path, file.weight, pair))
            replacements += here
            texts += [text for replacement in here for text in changed_texts(replacement)]
            texts.append(changed_line(pair, file.patch.path, file.weight))
    renames = find_renames(texts, [file.patch for file in change_set.files])
    sure = [
        *find_described_renames(change, change_set),
        *(rename for rename in renames if rename.doubt is None),
    ]
    certain: list[Fact] = [
        *sure,
        *find_signatures(change_set),
        *find_rewordings(texts),
        *find_values(replacements),
    ]
    known = {rename.old for rename in renames}
    gone = (gone for gone in _gone(change_set) if gone.name not in known)
    doubtful = tuple(rename for rename in renames if rename.doubt)
    safe = (fact for fact in certain if is_safe(fact.old, fact.new))
    return Facts(tuple(islice(safe, _MOST)), doubtful[:_MOST], tuple(islice(gone, _MOST)))


def _gone(change_set: ChangeSet) -> Iterator[RemovedName]:
    staying, removed = set[str](), dict[str, SourceLine]()
    for file in change_set.files:
        for line in file.patch.lines():
            if len(line.text) > _LONGEST:
                continue
            if line.mark != "-":
                staying.update(_NAME.findall(line.text))
            elif file.kind not in {"test", "internal"}:
                source = SourceLine(file.patch.old_path, line.old, line.text, file.weight)
                for name in _NAME.findall(line.text):
                    removed.setdefault(name, source)
    return (
        RemovedName(name, source)
        for name, source in removed.items()
        if name not in staying and is_distinct(name)
    )

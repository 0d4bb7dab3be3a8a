"""Names that a change removes completely."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from instep.drafting.writer.diffs.change_set import ChangeSet
from instep.drafting.writer.facts.changed_texts import SourceLine
from instep.platform.core.name_matching import is_distinct
from instep.platform.text.file_kinds import LONG_LINE

_NAME = re.compile(r"--[a-z][\w-]+|[A-Za-z_]\w+|(?<=[\"'`])/[\w./{}:<>-]+(?=[\"'`?])")
_MAX_NAMES = 2_000


@dataclass(frozen=True, slots=True)
class RemovedName:
    """A name, and the first line that had it."""

    name: str
    source: SourceLine


def find_removed_names(change_set: ChangeSet) -> tuple[RemovedName, ...]:
    """The names that only removed lines contain, in file order; names in tests don't count."""
    remaining, removed = set[str](), dict[str, SourceLine]()
    for file in change_set.files:
        for line in file.patch.lines():
            if len(line.text) > LONG_LINE:
                continue
            if line.mark != "-":
                remaining.update(_NAME.findall(line.text))
            elif file.kind not in {"test", "internal"}:
                source = SourceLine(file.patch.old_path, line.old, line.text, file.weight)
                for name in _NAME.findall(line.text):
                    removed.setdefault(name, source)
    return tuple(islice(_gone(removed, remaining), _MAX_NAMES))


def _gone(removed: dict[str, SourceLine], remaining: set[str]) -> Iterator[RemovedName]:
    for name, source in removed.items():
        if name not in remaining and is_distinct(name):
            yield RemovedName(name, source)

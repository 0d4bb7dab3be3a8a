"""Replacements that the title or the description of a change states in words, and its diff confirms."""

import re
from collections.abc import Iterator

from instep.writer.diffs.change_set import ChangeSet
from instep.writer.diffs.files import LONG_LINE
from instep.writer.facts.census import OccurrenceCounts
from instep.writer.facts.changed_texts import Source
from instep.writer.facts.renames import Rename
from instep.writer.shapes import Change
from instep.writer.words.matching import mention
from instep.writer.words.names import is_distinct

_QUOTED = r"[\"'`“\u2018]([^\"'`“”\u2019\n]{2,60})[\"'`”\u2019]"
_BARE = r"(?<![@/\w?&.:=-])([@/\w?&.:=-]*\w(?: [A-Z][\w-]*)*)"
_SIDE = rf"(?:{_QUOTED}|{_BARE})"
_ARROW = re.compile(rf"{_SIDE}\s*(?:->|=>|→|➜)\s*{_SIDE}")
_VERB = re.compile(
    r"\b(?i:renam|replac|chang|switch|mov|migrat)\w*\b[^.\n]{0,80}?"
    rf"(?<![\w/-]){_SIDE}\s+(?:to|with|by|into|as|in favou?r of)\s+{_SIDE}"
)
_READ = 4_000
_NUMBER = re.compile(r"[\d.]+")


def find_described_renames(change: Change, scope: ChangeSet) -> list[Rename]:
    """Stated pairs of which the diff shows the very replacement, and little that speaks against it."""
    pairs = list(dict.fromkeys(_pairs(change)))
    census = OccurrenceCounts((old for old, _ in pairs), [scoped.file for scoped in scope.files])
    found = []
    for old, new in pairs:
        stays = max(census.added[old], census.kept[old])
        sources = _replaced_lines(old, new, scope) if census.removed[old] > 2 * stays else ()
        if len(sources) >= (1 if " " in old or is_distinct(old) else 2):
            found.append(Rename(old, new, sources, None))
    return found


def _pairs(change: Change) -> Iterator[tuple[str, str]]:
    text = f"{change.title}\n{change.body or ''}"[:_READ]
    for pattern in (_ARROW, _VERB):
        for found in pattern.finditer(text):
            old, new = found[1] or found[2], found[3] or found[4]
            if old != new and len(old) >= 4 and len(new) >= 3 and not _NUMBER.fullmatch(old):
                yield old, new


def _replaced_lines(old: str, new: str, scope: ChangeSet) -> tuple[Source, ...]:
    """Added lines that are removed lines with `old` replaced by `new`."""
    pattern, found = mention(old), list[Source]()
    for scoped in scope.files:
        lines = [line for line in scoped.file.lines() if line.mark != " " and len(line.text) <= LONG_LINE]
        made = {
            pattern.sub(lambda _: new, line.text) for line in lines if line.mark == "-" and old in line.text
        }
        found += [
            Source(scoped.file.path, line.new, line.text, scoped.weight)
            for line in lines
            if line.mark == "+" and new in line.text and line.text in made
        ]
    return tuple(found)

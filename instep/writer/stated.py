"""Replacements that the title or the description of a change states in words, and its diff confirms."""

import re
from collections.abc import Iterator

from instep.writer.census import Census
from instep.writer.renames import Rename
from instep.writer.scope import Scope
from instep.writer.shapes import Change
from instep.writer.units import Source

_QUOTED = r"[\"'`“\u2018]([^\"'`“”\u2019\n]{2,60})[\"'`”\u2019]"
_BARE = r"([@/\w?&.:=-]*\w(?: [A-Z][\w-]*)*)"
_SIDE = rf"(?:{_QUOTED}|{_BARE})"
_ARROW = re.compile(rf"{_SIDE}\s*(?:->|=>|→|➜)\s*{_SIDE}")
_VERB = re.compile(
    r"\b(?i:renam|replac|chang|switch|mov|migrat)\w*\b[^.\n]{0,80}?"
    rf"(?<![\w/-]){_SIDE}\s+(?:to|with|by|into|as|in favou?r of)\s+{_SIDE}"
)
_READ = 4_000
_NUMBER = re.compile(r"[\d.]+")


def find_stated(change: Change, scope: Scope) -> list[Rename]:
    """Stated pairs whose old text leaves the code while the new one comes in."""
    pairs = list(dict.fromkeys(_pairs(change)))
    census = Census((text for pair in pairs for text in pair), [scoped.file for scoped in scope.files])
    found = []
    for old, new in pairs:
        gone, come = census.removed[old], census.added[new]
        if gone and come and max(census.added[old], census.kept[old]) * 3 <= gone:
            sources = tuple(_sources(new, scope))
            if sources and (" " in old or gone > 1):
                found.append(Rename(old, new, sources, None))
    return found


def _pairs(change: Change) -> Iterator[tuple[str, str]]:
    text = f"{change.title}\n{change.body or ''}"[:_READ]
    for pattern in (_ARROW, _VERB):
        for found in pattern.finditer(text):
            old, new = found[1] or found[2], found[3] or found[4]
            if old != new and len(old) >= 4 and len(new) >= 3 and not _NUMBER.fullmatch(old):
                yield old, new


def _sources(new: str, scope: Scope) -> Iterator[Source]:
    for scoped in scope.files:
        for line in scoped.file.lines():
            if line.mark == "+" and new in line.text:
                yield Source(scoped.file.path, line.new, line.text, scoped.weight)

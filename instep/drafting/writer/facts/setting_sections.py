"""The section of a file that contains a setting, and neighboring sections with settings of the same name."""

import re
from collections import defaultdict
from collections.abc import Iterator
from typing import NamedTuple

from instep.platform.text.file_kinds import LONG_LINE
from instep.platform.text.patch import FilePatch, Line

# The opening of a section: `free:`, `"free": {`, `const free = {`, `[plans.free]`, `"guard": schema.Bool{`,
# `public static readonly Plan Free = new()`.
_OPENING = re.compile(
    r"""\s*(?:(?:(?:const|export|final|internal|let|private|public|readonly|static|val|var)\s+)+(?:[A-Z]\w*\s+)?"""
    r"""|\[(?:\w+\.)*)?["']?([A-Za-z][\w-]*)["']?"""
    r"""(?:\]|\s*(?:=>|[:=])\s*(?:(?:new\b\s*)?[\w.]*(?:[{(]|\(\))|new\s+\w+)?)\s*$"""
)
# A block with its name in quotes: `variable "retention_days" {`.
_BLOCK = re.compile(r"""\s*[a-z]\w*\s+["']([A-Za-z][\w-]*)["']\s*\{\s*$""")
# An object with its type: `const LABELS: Record<Role, string> = {`.
_TYPED = re.compile(
    r"\s*(?:export\s+)?(?:const|let|var|val)\s+([A-Za-z]\w*)\s*:\s*[^={}\s][^={}]{0,80}=\s*[{(]\s*$"
)
# A section in one line: `free: { storage: 10, seats: 3 },`.
_INLINE = re.compile(r"""\s*["']?([A-Za-z][\w-]*)["']?\s*(?:=>|[:=])\s*[{(](.+)[})],?\s*$""")
_ASSIGNS = re.compile(r"[:=]")
# If there are more sections than this, a sentence is not about one of them.
_MAX_RIVALS = 50


class _Place(NamedTuple):
    """The name of the section around a line, with its indent; empty if the diff doesn't show it."""

    name: str
    indent: int


class SettingSections:
    """The sections of the unchanged and added lines of a file."""

    def __init__(self, file: FilePatch) -> None:
        self._places: dict[int, _Place] = {}
        self._names: dict[int, set[str]] = defaultdict(set)
        for line, place, opened in _places_of(file):
            self._places[line.new] = place
            if opened is not None:
                self._names[opened.indent].add(opened.name)

    def owner_at(self, line: int) -> str:
        """The name of the section around a line of the new side; empty if the diff doesn't show it."""
        place = self._places.get(line)
        return place.name if place else ""

    def rivals_at(self, line: int) -> frozenset[str]:
        """The names of the few neighboring sections, which may have the same settings."""
        place = self._places.get(line)
        rivals = self._names[place.indent] - {place.name} if place and place.name else set()
        return frozenset(rivals if len(rivals) <= _MAX_RIVALS else ())


def _opening(text: str) -> re.Match[str] | None:
    return _OPENING.match(text) or _BLOCK.match(text) or _TYPED.match(text)


def _places_of(file: FilePatch) -> Iterator[tuple[Line, _Place, _Place | None]]:
    """Each line of the new side with the section around it, and the section that it opens, if any."""
    for hunk in file.hunks:
        sections: list[_Place] = []
        for line in hunk.lines:
            bare = line.text.lstrip()
            if line.mark == "-" or bare in {"", "{"} or len(line.text) > LONG_LINE:
                continue
            # The settings of a table such as `[free]` are not indented.
            indent = -1 if bare.startswith("[") else len(line.text) - len(bare)
            while sections and sections[-1].indent >= indent:
                sections.pop()
            inline, opening = _INLINE.match(line.text), _opening(line.text)
            if inline is not None and _ASSIGNS.search(inline[2]):
                place = _Place(inline[1], indent)
                yield line, place, place
                continue
            opened = _Place(opening[1], indent) if opening else None
            yield line, sections[-1] if sections else _Place("", 0), opened
            if opened is not None:
                sections.append(opened)

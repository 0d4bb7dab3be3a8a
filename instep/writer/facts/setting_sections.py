"""The section of a file that a setting stands in, and those beside it that may have one of its name."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from instep.text.file_kinds import LONG_LINE
from instep.text.patch import FilePatch, Line
from instep.writer.facts.changed_texts import SourceLine

# What opens a section: `free:`, `"free": {`, `const free = {`, `[plans.free]`, `"guard": schema.Bool{`,
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
# Among more sections than this a sentence is not about one of them.
_MAX_RIVALS = 50
_ENDS = ",; \t"


@dataclass(frozen=True, slots=True)
class SettingSection:
    """A named part of a settings file; `rivals` are the names of the parts beside it.

    It is contested where another part keeps the setting with the old value.
    """

    name: str
    rivals: frozenset[str]
    is_contested: bool


class _Place(NamedTuple):
    """The name of the section around a line, with its indent; empty if the diff doesn't show it."""

    name: str
    indent: int


class SettingSections:
    """The sections of the lines that a change leaves or adds."""

    def __init__(self, files: Iterable[FilePatch]) -> None:
        self._places: dict[tuple[str, int], _Place] = {}
        self._names: dict[tuple[str, int], set[str]] = defaultdict(set)
        self._unchanged: dict[tuple[str, str], set[str]] = defaultdict(set)
        for file in files:
            for line, place, opened in _places_of(file):
                self._places[file.path, line.new] = place
                if line.mark == " ":
                    self._unchanged[file.path, line.text.strip(_ENDS)].add(place.name)
                if opened is not None:
                    self._names[file.path, opened.indent].add(opened.name)

    def owner_at(self, path: str, line: int) -> str:
        """The name of the section around a line of the new side; empty if the diff doesn't show it."""
        place = self._places.get((path, line))
        return place.name if place else ""

    def owner_of(self, source: SourceLine) -> str:
        return self.owner_at(source.file, source.line)

    def section_of(self, source: SourceLine, old_line: str) -> SettingSection | None:
        """The section of a changed setting, if the diff shows it beside others."""
        place = self._places.get((source.file, source.line))
        if place is None or not place.name:
            return None
        rivals = self._names[source.file, place.indent] - {place.name}
        keepers = self._unchanged.get((source.file, old_line.strip(_ENDS)), set()) - {place.name}
        is_one_of_few = 0 < len(rivals) <= _MAX_RIVALS
        return SettingSection(place.name, frozenset(rivals), bool(keepers)) if is_one_of_few else None


def _opening(text: str) -> re.Match[str] | None:
    return _OPENING.match(text) or _BLOCK.match(text) or _TYPED.match(text)


def _places_of(file: FilePatch) -> Iterator[tuple[Line, _Place, _Place | None]]:
    """Each line of the new side with the section around it, and the one that it opens, if any."""
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

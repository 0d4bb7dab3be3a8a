"""Entries that a change moves to another menu, which articles reach by a path: Settings > Company > Leave."""

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from instep.text.file_kinds import LONG_LINE
from instep.text.patch import Hunk
from instep.writer.diffs.change_set import ReviewedFile
from instep.writer.facts.changed_texts import SourceLine
from instep.writer.facts.line_alignment import shared_length
from instep.writer.facts.renames import Rename

_LABEL = re.compile(
    r"""\b(?:label|title|caption|text|name|heading)["']?\s*[:=]\s*(?:\w+\()?\{?["'`]([A-Z][^"'`\n]{1,40})["'`]"""
    r"""|<(?:a|span|li|summary|h\d|\w*(?:Link|Item|Tab))\b[^<>]{0,200}>\s*([A-Z][^<>{}\n]{1,40}?)\s*</"""
)
# What stands between the steps of a path, without and with the emphasis of each.
_MARKS = (">", "\u203a", "\u2192", "\u00bb", "->", "/")
_SEPARATORS = tuple(f"{emphasis} {mark} {emphasis}" for mark in _MARKS for emphasis in ("", "**", "*", "`"))
_MAX_LABELS = 400


class _Entry(NamedTuple):
    """A label with those of the menus around it, outermost first; `mark` is that of its line."""

    label: str
    menus: tuple[str, ...]
    mark: str
    source: SourceLine


def find_moved_menu_entries(files: Iterable[ReviewedFile]) -> Iterator[Rename]:
    """The last steps of the paths to entries that one line takes out of a menu and another puts into one."""
    entries = [
        entry
        for file in files
        if file.kind not in {"test", "internal", "docs"}
        for hunk in file.patch.hunks
        for mark in "-+"
        for entry in _entries(hunk, mark, file)
        if entry.mark == mark
    ][:_MAX_LABELS]
    for label in dict.fromkeys(entry.label for entry in entries):
        sides = [[entry for entry in entries if entry.label == label and entry.mark == mark] for mark in "-+"]
        if [len(side) for side in sides] == [1, 1] and sides[0][0].menus != sides[1][0].menus:
            yield from _renames(sides[0][0], sides[1][0])


def _entries(hunk: Hunk, mark: str, file: ReviewedFile) -> Iterator[_Entry]:
    """The labels of one side of a hunk; what is indented less stands around what follows it."""
    open_menus = list[tuple[int, str]]()
    for line in hunk.lines:
        match = _LABEL.search(line.text) if line.mark in (" ", mark) and len(line.text) <= LONG_LINE else None
        if match:
            indent = len(line.text) - len(line.text.lstrip())
            while open_menus and open_menus[-1][0] >= indent:
                open_menus.pop()
            label = match[1] or match[2]
            number = line.old if mark == "-" else line.new
            source = SourceLine(file.patch.path, number, line.text, file.weight)
            yield _Entry(label, tuple(menu for _, menu in open_menus), line.mark, source)
            open_menus.append((indent, label))


def _renames(old: _Entry, new: _Entry) -> Iterator[Rename]:
    shared = shared_length(old.menus, new.menus)
    before, after = old.menus[shared:], new.menus[shared:]
    if not before:
        # The menu around both tells which entry of that name is meant.
        shared_menu = old.menus[shared - 1 : shared]
        before, after = shared_menu, (*shared_menu, *after)
    if before:
        for separator in _SEPARATORS:
            path, new_path = (separator.join((*menus, old.label)) for menus in (before, after))
            yield Rename(path, new_path, (new.source,), None, is_phrase=True)

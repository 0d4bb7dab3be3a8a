"""A hunk as blocks: removed lines, added lines, and the unchanged lines around them."""

from collections.abc import Sequence
from dataclasses import dataclass

from instep.platform.text.patch import Hunk, Line


@dataclass(frozen=True, slots=True)
class HunkBlock:
    """One replacement of a hunk.

    `place` is the index of its first line among the old lines of the hunk; `before` and `after` are the
    unchanged lines up to the neighboring replacements, in text order.
    """

    place: int
    old_line: int
    removed: tuple[str, ...]
    added: tuple[str, ...]
    before: tuple[str, ...]
    after: tuple[str, ...]
    lines: tuple[Line, ...]


def old_lines(hunk: Hunk) -> list[str]:
    return [line.text for line in hunk.lines if line.mark != "+"]


def replacements_of(hunk: Hunk) -> list[HunkBlock]:
    """The replacements of a hunk, each with its own context, in their order."""
    blocks, before, place, index = list[HunkBlock](), list[str](), 0, 0
    lines = hunk.lines
    while index < len(lines):
        end = _end_of_run(lines, index)
        run = lines[index:end]
        if run[0].mark == " ":
            before = [line.text for line in run]
            place += len(run)
        else:
            after = lines[end : _end_of_run(lines, end)]
            removed = tuple(line.text for line in run if line.mark == "-")
            added = tuple(line.text for line in run if line.mark == "+")
            context = tuple(line.text for line in after)
            blocks.append(HunkBlock(place, run[0].old, removed, added, tuple(before), context, tuple(run)))
            place += len(removed)
        index = end
    return blocks


def _end_of_run(lines: Sequence[Line], start: int) -> int:
    """The end of the run of changed or unchanged lines that begins at an index."""
    end = start
    while end < len(lines) and (lines[end].mark == " ") == (lines[start].mark == " "):
        end += 1
    return end

"""Which lines each hunk of a unified diff changes."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

HEADER = re.compile(r"@@ -(\d{1,9})(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@")


@dataclass(frozen=True, slots=True)
class DiffLine:
    """A line of a diff: its sign (`+`, `-` or a space), its number on each side (0 for none), its text."""

    sign: str
    old_number: int
    new_number: int
    text: str


@dataclass(frozen=True, slots=True)
class NumberedHunk:
    """A hunk of a diff; `number` counts from 1."""

    number: int
    lines: tuple[DiffLine, ...]

    @property
    def first_line(self) -> int:
        """Where it begins in the new text."""
        return min((line.new_number for line in self.lines if line.new_number), default=1)

    @property
    def added(self) -> frozenset[int]:
        """The numbers of the lines of the new text that the old one lacks."""
        return frozenset(line.new_number for line in self.lines if line.sign == "+")

    @property
    def removed(self) -> frozenset[int]:
        """The numbers of the lines of the old text that the new one lacks."""
        return frozenset(line.old_number for line in self.lines if line.sign == "-")


def read_hunks(diff: str | None) -> list[NumberedHunk]:
    """The hunks of a diff of one text, as `instep.text.diff` writes it."""
    hunks: list[NumberedHunk] = []
    lines: list[DiffLine] = []
    old = new = old_end = new_end = 0
    # A line of the text that looks like a header is in the middle of a hunk, which counts its lines.
    for line in (diff or "").split("\n")[2:]:
        header = HEADER.match(line) if (old, new) == (old_end, new_end) else None
        if header:
            lines = []
            old, old_end = span_of(header[1], header[2])
            new, new_end = span_of(header[3], header[4])
            hunks.append(NumberedHunk(len(hunks) + 1, ()))
        elif line[:1] in ("+", "-", " ") and line:
            in_old, in_new = line[0] != "+", line[0] != "-"
            lines.append(DiffLine(line[0], old if in_old else 0, new if in_new else 0, line[1:]))
            old, new = old + in_old, new + in_new
            hunks[-1] = NumberedHunk(len(hunks), tuple(lines))
    return hunks


def span_of(start: str, count: str | None) -> tuple[int, int]:
    """The first line of a hunk on one side, and the line after its last; both 1 for an empty side."""
    lines = 1 if count is None else int(count)
    first = max(int(start), 1) if lines else int(start) + 1
    return first, first + lines


def numbers_of(hunks: Iterable[NumberedHunk], old: range, new: range) -> tuple[int, ...]:
    """The hunks that change one of these lines of the old or of the new text."""
    return tuple(
        hunk.number
        for hunk in hunks
        if any(number in old for number in hunk.removed) or any(number in new for number in hunk.added)
    )

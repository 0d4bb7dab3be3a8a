"""Applies hunks of a unified diff to the text that the diff was made from."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from instep.platform.text.diff import NO_NEWLINE, split_lines

HEADER = re.compile(r"@@ -(\d+),(\d+) \+\d+,\d+ @@\n")


@dataclass(slots=True)
class LineReplacement:
    """The lines of a text from number `start`, from 0, up to `end` (exclusive), and their replacement."""

    start: int
    end: int
    new_lines: list[str] = field(default_factory=list)


def hunks_of(diff: str) -> list[LineReplacement]:
    """The hunks of a unified diff by `instep.platform.text.diff`."""
    hunks, mark = list[LineReplacement](), ""
    for line in split_lines(diff)[2:]:
        if header := HEADER.fullmatch(line):
            number, count = int(header[1]), int(header[2])
            # An empty range names the line before it (POSIX, diff -u).
            start = number - 1 if count else number
            hunks.append(LineReplacement(start, start + count))
        elif line == NO_NEWLINE and mark in (" ", "+"):
            hunks[-1].new_lines[-1] = hunks[-1].new_lines[-1].removesuffix("\n")
        elif line[0] in " +":
            hunks[-1].new_lines.append(line[1:])
        mark = line[0]
    return hunks


def patched(text: str, hunks: Sequence[LineReplacement]) -> str:
    """The text with these hunks, which are in the order of their lines, applied."""
    lines, parts, end = split_lines(text), list[str](), 0
    for hunk in hunks:
        parts += lines[end : hunk.start]
        parts += hunk.new_lines
        end = hunk.end
    return "".join([*parts, *lines[end:]])

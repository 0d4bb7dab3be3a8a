"""The lines that each hunk of a unified diff changes, and the changed words in them."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import zip_longest

from instep.platform.core import limits
from instep.platform.core.sandbox import TimeLimitExceeded, is_short, run_bounded
from instep.platform.text.word_changes import Change, WordRun, reworded

HEADER = re.compile(r"@@ -(\d{1,9})(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@")


CHANGES: dict[str, Change] = {"-": "removed", "+": "added", " ": "same"}


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
        """Its first line in the new text."""
        return min((line.new_number for line in self.lines if line.new_number), default=1)


class ChangedLineNumbers:
    """The hunk of each changed line of both texts, by the line's number."""

    def __init__(self, hunks: Iterable[NumberedHunk]) -> None:
        self.of_removed: dict[int, int] = {}
        self.of_added: dict[int, int] = {}
        for hunk in hunks:
            self.of_removed.update((line.old_number, hunk.number) for line in hunk.lines if line.sign == "-")
            self.of_added.update((line.new_number, hunk.number) for line in hunk.lines if line.sign == "+")

    def hunks_of(self, old: range, new: range) -> tuple[int, ...]:
        """The hunks that change one of these lines of the old or of the new text."""
        removed = (self.of_removed[number] for number in old if number in self.of_removed)
        added = (self.of_added[number] for number in new if number in self.of_added)
        return tuple(sorted({*removed, *added}))


@dataclass(frozen=True, slots=True)
class MarkedLine:
    """A line of a diff whose words are marked; the unmarked ones are in the other text, too."""

    line: DiffLine
    words: tuple[WordRun, ...]


@dataclass(frozen=True, slots=True)
class SideBySideRow:
    """A line of the old text next to its counterpart in the new one; None on a side without one."""

    old: MarkedLine | None
    new: MarkedLine | None

    @property
    def is_same(self) -> bool:
        return self.old is not None and self.old.line.sign == " "


@dataclass(frozen=True, slots=True)
class ShownHunk:
    """A hunk as a page shows it, in two columns or in one."""

    number: int
    first_line: int
    rows: list[SideBySideRow]
    lines: list[MarkedLine]


@dataclass(frozen=True, slots=True)
class ShownDiff:
    """The number of hunks in a diff, and the first of them as a page shows them; the rest is cut."""

    count: int
    hunks: list[ShownHunk]
    is_cut: bool


async def read_shown_diff(diff: str | None, view: str) -> ShownDiff | None:
    """The diff for a view of it, or only its number of hunks for other views; None if it takes too long."""
    text, is_small = diff or "", is_short(diff or "")
    try:
        return await run_bounded(
            read_shown_diff_now, text, view, seconds=limits.MAX_DIFF_SECONDS, is_small=is_small
        )
    except TimeLimitExceeded:
        return None


def read_shown_diff_now(diff: str, view: str) -> ShownDiff:
    hunks = read_hunks(diff)
    has_marks = is_short(diff)
    room = limits.MAX_SHOWN_DIFF_LINES if view in ("text", "sides") else 0
    beginning: list[ShownHunk] = []
    for hunk in hunks:
        if room <= 0:
            break
        rows = list(side_by_side(hunk.lines[:room], has_marks=has_marks))
        lines = list(one_below_the_other(rows)) if view == "text" else []
        beginning.append(ShownHunk(hunk.number, hunk.first_line, rows if view == "sides" else [], lines))
        room -= len(hunk.lines)
    return ShownDiff(len(hunks), beginning, is_cut=room < 0 or len(beginning) < len(hunks))


def read_hunks(diff: str | None) -> list[NumberedHunk]:
    """The hunks of a diff of one text by `instep.platform.text.diff`."""
    hunks: list[list[DiffLine]] = []
    old = new = old_end = new_end = 0
    # A line of the text that looks like a header is in the middle of a hunk, which counts its lines.
    for line in (diff or "").split("\n")[2:]:
        header = HEADER.match(line) if (old, new) == (old_end, new_end) else None
        if header:
            old, old_end = span_of(header[1], header[2])
            new, new_end = span_of(header[3], header[4])
            hunks.append([])
        elif line[:1] in ("+", "-", " ") and line:
            in_old, in_new = line[0] != "+", line[0] != "-"
            hunks[-1].append(DiffLine(line[0], old if in_old else 0, new if in_new else 0, line[1:]))
            old, new = old + in_old, new + in_new
    return [NumberedHunk(number, tuple(lines)) for number, lines in enumerate(hunks, 1)]


def span_of(start: str, count: str | None) -> tuple[int, int]:
    """The first line of a hunk on one side, and the line after its last; both 1 for an empty side."""
    lines = 1 if count is None else int(count)
    first = max(int(start), 1) if lines else int(start) + 1
    return first, first + lines


def side_by_side(lines: Iterable[DiffLine], *, has_marks: bool) -> Iterator[SideBySideRow]:
    """The lines of a hunk in two columns, removed ones next to added ones; `has_marks` marks words."""
    removed: list[DiffLine] = []
    added: list[DiffLine] = []
    for line in lines:
        if line.sign == "-":
            removed.append(line)
        elif line.sign == "+":
            added.append(line)
        else:
            yield from pair_lines(removed, added, has_marks=has_marks)
            removed, added = [], []
            yield SideBySideRow(MarkedLine(line, whole(line)), MarkedLine(line, whole(line)))
    yield from pair_lines(removed, added, has_marks=has_marks)


def pair_lines(
    removed: Iterable[DiffLine], added: Iterable[DiffLine], *, has_marks: bool
) -> Iterator[SideBySideRow]:
    for old, new in zip_longest(removed, added):
        runs = list(reworded(old.text, new.text)) if old and new and has_marks else []
        words = runs[0].words if len(runs) == 1 else None
        yield SideBySideRow(marked(old, words) if old else None, marked(new, words) if new else None)


def marked(line: DiffLine, words: tuple[WordRun, ...] | None) -> MarkedLine:
    """A line with its words from the comparison; without them it is marked as a whole."""
    if words is None:
        return MarkedLine(line, whole(line))
    other_change = "added" if line.sign == "-" else "removed"
    return MarkedLine(line, tuple(run for run in words if run.change != other_change))


def whole(line: DiffLine) -> tuple[WordRun, ...]:
    return (WordRun(CHANGES[line.sign], line.text),)


def one_below_the_other(rows: Iterable[SideBySideRow]) -> Iterator[MarkedLine]:
    """The lines of a hunk in one column, removed lines above the added ones."""
    waiting: list[MarkedLine] = []
    for row in rows:
        if row.is_same:
            yield from waiting
            waiting = []
        if row.old:
            yield row.old
        if row.new and not row.is_same:
            waiting.append(row.new)
    yield from waiting

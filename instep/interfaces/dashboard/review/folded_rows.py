"""Rows of a table or lines of code: those that change, those beside them, and how many others stay."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

# Rows that stay beside a changed one and are shown; fewer than `MIN_FOLDED_ROWS` are never folded.
CONTEXT_ROWS = 2
MIN_FOLDED_ROWS = 4


@dataclass(frozen=True, slots=True)
class MarkedRow:
    """A row of a table or a line of code with its marks, and whether it is another one than before."""

    html: str
    is_changed: bool


def fold(rows: Sequence[MarkedRow], folded_row: Callable[[int], str]) -> Iterator[str]:
    """The changed rows and those beside them; in place of the others a row made from their number."""
    places: set[int] = set()
    for number, row in enumerate(rows):
        if row.is_changed:
            places.update(range(number - CONTEXT_ROWS, number + CONTEXT_ROWS + 1))
    for is_shown, numbers in groupby(range(len(rows)), places.__contains__):
        run = [rows[number].html for number in numbers]
        if is_shown or len(run) < MIN_FOLDED_ROWS:
            yield from run
        else:
            yield folded_row(len(run))

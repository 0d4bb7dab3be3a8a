"""Folds rows of a table or lines of code: shows the changed ones, their neighbors, and a count of others."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

# Unchanged rows shown next to a changed one; fewer than `MIN_FOLDED_ROWS` are never folded.
CONTEXT_ROWS = 2
MIN_FOLDED_ROWS = 4


@dataclass(frozen=True, slots=True)
class MarkedRow:
    """A row of a table or a line of code with its marks, and whether it has changed."""

    html: str
    is_changed: bool


def fold(rows: Sequence[MarkedRow], folded_row: Callable[[int], str]) -> Iterator[str]:
    """The changed rows and their neighbors; other rows are replaced by a row made from their number."""
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

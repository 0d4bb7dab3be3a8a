"""Marks of changed words in a table, row by row; of a long table the rows that stay are folded."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from patiencediff import PatienceSequenceMatcher

from instep.dashboard.review.word_marks import MarkedHtml, mark_all, mark_words

ROW = re.compile(r"<tr>.*?</tr>", re.DOTALL)
CELL = re.compile(r"<t[hd][ >]")
TABLE = re.compile(
    r'<div role="[a-z]+" tabindex="0" aria-label="Table"><table>((?!<table>).)*</table></div>', re.DOTALL
)
# Rows that stay beside a changed one and are shown; fewer than `MIN_FOLDED_ROWS` are never folded.
CONTEXT_ROWS = 2
MIN_FOLDED_ROWS = 4


@dataclass(frozen=True, slots=True)
class MarkedRow:
    """A row of a table with its marks, and whether it is another one than before."""

    html: str
    is_changed: bool


def mark_block(before: str, after: str, *, is_folded: bool = False) -> MarkedHtml:
    """Like `mark_words`; where both are one table, a row that goes stays a row."""
    if TABLE.fullmatch(before.strip()) and TABLE.fullmatch(after.strip()):
        return mark_table(before, after, is_folded=is_folded)
    return mark_words(before, after)


def mark_table(before: str, after: str, *, is_folded: bool = False) -> MarkedHtml:
    head, *rows = marked_rows(ROW.findall(before), ROW.findall(after))
    has_marks = head.is_changed or any(row.is_changed for row in rows)
    lines = [row.html for row in rows]
    if is_folded and has_marks:
        lines = list(fold(rows, len(CELL.findall(head.html))))
    return MarkedHtml(with_rows(after, head.html, lines), has_marks, has_fold=len(lines) < len(rows))


def marked_rows(old: Sequence[str], new: Sequence[str]) -> Iterator[MarkedRow]:
    for change, first, last, start, end in PatienceSequenceMatcher(None, old, new).get_opcodes():
        if change == "equal":
            yield from (MarkedRow(row, is_changed=False) for row in new[start:end])
            continue
        pairs = min(last - first, end - start)
        changed = [mark_words(old[first + n], new[start + n]).html for n in range(pairs)]
        changed += [mark_all(row, "del") for row in old[first + pairs : last]]
        changed += [mark_all(row, "ins") for row in new[start + pairs : end]]
        yield from (MarkedRow(row, is_changed=True) for row in changed)


def fold(rows: Sequence[MarkedRow], column_count: int) -> Iterator[str]:
    """The changed rows and those beside them; a row that tells how many stay in place of the others."""
    places: set[int] = set()
    for number, row in enumerate(rows):
        if row.is_changed:
            places.update(range(number - CONTEXT_ROWS, number + CONTEXT_ROWS + 1))
    for is_shown, numbers in groupby(range(len(rows)), places.__contains__):
        run = [rows[number].html for number in numbers]
        if is_shown or len(run) < MIN_FOLDED_ROWS:
            yield from run
        else:
            yield f'<tr class="folded"><td colspan="{column_count}">{len(run)} unchanged rows</td></tr>'


def with_rows(table: str, head: str, rows: Sequence[str]) -> str:
    """A table with other rows."""
    start, _, _ = table.partition("<table>")
    end = table[table.rfind("</table>") :]
    return f"{start}<table><thead>{head}</thead><tbody>{''.join(rows)}</tbody>{end}"

"""Marks changed words in a table, row by row; unchanged rows of a long table are folded.

A changed row of a wide table becomes a list of fields, because its last cells would be out of sight: each
cell with the name of its column.
"""

import re
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import zip_longest

from patiencediff import PatienceSequenceMatcher

from instep.interfaces.dashboard.review.folded_rows import MarkedRow, fold
from instep.interfaces.dashboard.review.word_marks import MarkedHtml, mark_all, mark_words

ROW = re.compile(r"<tr>.*?</tr>", re.DOTALL)
CELL = re.compile(r"<t[hd](?: [^<>]*)?>(.*?)</t[hd]>", re.DOTALL)
ANY_TAG = re.compile(r"<[^<>]*>")
# A row is wide if it has at least this many cells, and more characters than a line of text.
MIN_FIELDS = 4
MAX_ROW_CHARACTERS = 80
TABLE = re.compile(
    r'<div role="[a-z]+" tabindex="0" aria-label="[^"]*"><table>(?:(?!<table>).)*</table></div>', re.DOTALL
)


def mark_table(before: str, after: str, *, is_folded: bool = False) -> MarkedHtml:
    head, *rows = marked_rows(ROW.findall(before), ROW.findall(after))
    has_marks = head.is_changed or any(row.is_changed for row in rows)
    lines = [row.html for row in rows]
    if is_folded and has_marks:
        lines = list(fold(rows, partial(folded_row, len(CELL.findall(head.html)))))
    return MarkedHtml(with_rows(after, head.html, lines), has_marks, has_fold=len(lines) < len(rows))


def marked_rows(old: Sequence[str], new: Sequence[str]) -> Iterator[MarkedRow]:
    names = CELL.findall(new[0])
    for change, first, last, start, end in PatienceSequenceMatcher(None, old, new).get_opcodes():
        if change == "equal":
            yield from (MarkedRow(row, is_changed=False) for row in new[start:end])
            continue
        for before, after in zip_longest(old[first:last], new[start:end], fillvalue=""):
            is_head = (first, start) == (0, 0) and after == new[0]
            yield MarkedRow(marked_row([] if is_head else names, before, after), is_changed=True)


def marked_row(names: Sequence[str], before: str, after: str) -> str:
    """The row with its marks: as fields if it is wide and its cells match the named columns."""
    nothing = [""] * len(names)
    old, new = CELL.findall(before) or nothing, CELL.findall(after) or nothing
    if len(names) >= MIN_FIELDS and len(names) == len(old) == len(new) and is_wide(before, after):
        return fields_row(names, [mark_pair(*cells) for cells in zip(old, new, strict=True)])
    return mark_pair(before, after)


def is_wide(*rows: str) -> bool:
    return max(len(ANY_TAG.sub("", row)) for row in rows) > MAX_ROW_CHARACTERS


def mark_pair(before: str, after: str) -> str:
    """A run of lines with its replacement, and the changed words marked."""
    if before and after:
        return mark_words(before, after).html
    return mark_all(before, "del") if before else mark_all(after, "ins")


def fields_row(names: Sequence[str], cells: Sequence[str]) -> str:
    fields = "".join(f"<dt>{name}</dt><dd>{cell}</dd>" for name, cell in zip(names, cells, strict=True))
    return f'<tr class="fields"><td colspan="{len(names)}"><dl>{fields}</dl></td></tr>'


def folded_row(column_count: int, count: int) -> str:
    return f'<tr class="folded"><td colspan="{column_count}">{count} unchanged rows</td></tr>'


def with_rows(table: str, head: str, rows: Sequence[str]) -> str:
    """A table with other rows."""
    start, _, _ = table.partition("<table>")
    end = table[table.rfind("</table>") :]
    return f"{start}<table><thead>{head}</thead><tbody>{''.join(rows)}</tbody>{end}"

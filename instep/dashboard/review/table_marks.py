"""Marks of changed words in a table, row by row; of a long table the rows that stay are folded."""

import re
from collections.abc import Iterator, Sequence
from functools import partial

from patiencediff import PatienceSequenceMatcher

from instep.dashboard.review.folded_rows import MarkedRow, fold
from instep.dashboard.review.word_marks import MarkedHtml, mark_all, mark_words

ROW = re.compile(r"<tr>.*?</tr>", re.DOTALL)
CELL = re.compile(r"<t[hd][ >]")
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
    for change, first, last, start, end in PatienceSequenceMatcher(None, old, new).get_opcodes():
        if change == "equal":
            yield from (MarkedRow(row, is_changed=False) for row in new[start:end])
            continue
        pairs = min(last - first, end - start)
        changed = [mark_words(old[first + n], new[start + n]).html for n in range(pairs)]
        changed += [mark_all(row, "del") for row in old[first + pairs : last]]
        changed += [mark_all(row, "ins") for row in new[start + pairs : end]]
        yield from (MarkedRow(row, is_changed=True) for row in changed)


def folded_row(column_count: int, count: int) -> str:
    return f'<tr class="folded"><td colspan="{column_count}">{count} unchanged rows</td></tr>'


def with_rows(table: str, head: str, rows: Sequence[str]) -> str:
    """A table with other rows."""
    start, _, _ = table.partition("<table>")
    end = table[table.rfind("</table>") :]
    return f"{start}<table><thead>{head}</thead><tbody>{''.join(rows)}</tbody>{end}"

"""Marks the changes in a block of a page: in its tables, in its code, and in its other words.

Long runs of unchanged rows of a table and of unchanged lines of code are folded.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from html import escape, unescape
from itertools import groupby, zip_longest

from patiencediff import PatienceSequenceMatcher

from instep.interfaces.dashboard.review.diff_lines import (
    DiffLine,
    MarkedLine,
    one_below_the_other,
    side_by_side,
)
from instep.interfaces.dashboard.review.word_marks import MarkedHtml, mark_all, mark_words
from instep.platform.core.sandbox import is_short
from instep.platform.text.word_changes import WordRun

# Unchanged rows shown next to a changed one; fewer than `MIN_FOLDED_ROWS` are never folded.
CONTEXT_ROWS = 2
MIN_FOLDED_ROWS = 4
ROW = re.compile(r"<tr>.*?</tr>", re.DOTALL)
CELL = re.compile(r"<t[hd](?: [^<>]*)?>(.*?)</t[hd]>", re.DOTALL)
ANY_TAG = re.compile(r"<[^<>]*>")
# A row is wide if it has at least this many cells, and more characters than a line of text.
MIN_FIELDS = 4
MAX_ROW_CHARACTERS = 80
TABLE = re.compile(
    r'<div role="[a-z]+" tabindex="0" aria-label="[^"]*"><table>(?:(?!<table>).)*</table></div>', re.DOTALL
)
# One block of code as the cleaner writes it; its text has no tags.
CODE = re.compile(r"<pre [^>]*><code[^>]*>[^<]*</code></pre>")
TAGS = {"added": "ins", "removed": "del"}
CODE_OR_TABLE = re.compile(f"({CODE.pattern}|{TABLE.pattern})", re.DOTALL)


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
    """The row with its marks: as fields if it is wide and its cells match the named columns.

    The last cells of a wide row would be out of sight, so each cell is a field with the name of its column.
    """
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


def mark_code(before: str, after: str, *, is_folded: bool = False) -> MarkedHtml:
    """`after`, a code block like `before`, with removed lines above the added ones."""
    lines = diff_lines(lines_of(before), lines_of(after))
    # Lines too long for a word-by-word comparison are marked as a whole.
    pairs = side_by_side(lines, has_marks=is_short(before, after))
    rows = [row_of_line(line) for line in one_below_the_other(pairs)]
    has_marks = any(row.is_changed for row in rows)
    parts = [row.html for row in rows]
    if is_folded and has_marks:
        parts = list(fold(rows, folded_line))
    head = "".join(ANY_TAG.findall(after)[:2])
    html = f"{head}{''.join(parts)}</code></pre>"
    return MarkedHtml(html, has_marks, has_fold=len(parts) < len(rows))


def lines_of(code: str) -> list[str]:
    return unescape(ANY_TAG.sub("", code)).removesuffix("\n").split("\n")


def diff_lines(old: Sequence[str], new: Sequence[str]) -> Iterator[DiffLine]:
    """All lines of both texts, in the form of a hunk."""
    for change, first, last, start, end in PatienceSequenceMatcher(None, old, new).get_opcodes():
        if change == "equal":
            yield from (
                DiffLine(" ", first + n + 1, start + n + 1, new[start + n]) for n in range(end - start)
            )
        else:
            yield from (DiffLine("-", number + 1, 0, old[number]) for number in range(first, last))
            yield from (DiffLine("+", 0, number + 1, new[number]) for number in range(start, end))


def row_of_line(marked: MarkedLine) -> MarkedRow:
    """A single line; one that is only in one text is marked as a whole."""
    words = "".join(marked_words(run) for run in marked.words)
    sign = marked.line.sign
    if sign == " ":
        return MarkedRow(f"<span>{words}\n</span>", is_changed=False)
    return MarkedRow(f'<span data-sign="{sign}">{words}\n</span>', is_changed=True)


def marked_words(run: WordRun) -> str:
    tag = TAGS.get(run.change)
    return f"<{tag}>{escape(run.text)}</{tag}>" if tag and run.text else escape(run.text)


def folded_line(count: int) -> str:
    return f'<span class="folded">{count} unchanged lines\n</span>'


def mark_block(before: str, after: str, *, is_folded: bool = False) -> MarkedHtml:
    """`after` with added and removed parts marked; a removed row or line of code stays a row or line."""
    old, new = CODE_OR_TABLE.split(before), CODE_OR_TABLE.split(after)
    if kinds_of(old) != kinds_of(new):
        return mark_words(before, after)
    marked = [mark_part(*parts, is_folded=is_folded) for parts in zip(old, new, strict=True)]
    html = "".join(part.html for part in marked)
    return MarkedHtml(html, any(part.has_marks for part in marked), any(part.has_fold for part in marked))


def kinds_of(parts: Sequence[str]) -> list[str]:
    """The kinds, code or table, of the parts at odd positions."""
    return [part[:4] for part in parts[1::2]]


def mark_part(before: str, after: str, *, is_folded: bool) -> MarkedHtml:
    if TABLE.fullmatch(after):
        return mark_table(before, after, is_folded=is_folded)
    if CODE.fullmatch(after):
        return mark_code(before, after, is_folded=is_folded)
    return mark_words(before, after)

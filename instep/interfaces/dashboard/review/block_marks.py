"""Marks the changes in a block of a page: in its tables, in its code, and in its other words."""

import re
from collections.abc import Sequence

from instep.interfaces.dashboard.review.code_marks import CODE, mark_code
from instep.interfaces.dashboard.review.table_marks import TABLE, mark_table
from instep.interfaces.dashboard.review.word_marks import MarkedHtml, mark_words

CODE_OR_TABLE = re.compile(f"({CODE.pattern}|{TABLE.pattern})", re.DOTALL)


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

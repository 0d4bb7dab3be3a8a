"""Marks of what changes in a block of a page, by its kind: a table, code, or other text."""

from instep.dashboard.review.code_marks import mark_code
from instep.dashboard.review.table_marks import is_table, mark_table
from instep.dashboard.review.word_marks import MarkedHtml, mark_words


def mark_block(before: str, after: str, *, is_folded: bool = False) -> MarkedHtml:
    """`after` with what is new and what `before` alone has; a row or a line of code that goes stays one."""
    if is_table(before) and is_table(after):
        return mark_table(before, after, is_folded=is_folded)
    return mark_code(before, after, is_folded=is_folded) or mark_words(before, after)

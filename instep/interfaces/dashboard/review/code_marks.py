"""Marks a code block: its changed lines below each other, as in a diff, with long unchanged runs folded."""

import re
from collections.abc import Iterator, Sequence
from html import escape, unescape

from patiencediff import PatienceSequenceMatcher

from instep.interfaces.dashboard.review.diff_lines import (
    DiffLine,
    MarkedLine,
    one_below_the_other,
    side_by_side,
)
from instep.interfaces.dashboard.review.folded_rows import MarkedRow, fold
from instep.interfaces.dashboard.review.word_marks import MarkedHtml
from instep.platform.core.sandbox import is_short
from instep.platform.text.word_changes import WordRun

# One block of code as the cleaner writes it; its text has no tags.
CODE = re.compile(r"<pre [^>]*><code[^>]*>[^<]*</code></pre>")
TAG = re.compile(r"<[^<>]*>")
TAGS = {"added": "ins", "removed": "del"}


def mark_code(before: str, after: str, *, is_folded: bool = False) -> MarkedHtml:
    """`after`, a code block like `before`, with removed lines above the added ones."""
    lines = diff_lines(lines_of(before), lines_of(after))
    # Lines too long for a word-by-word comparison are marked as a whole.
    pairs = side_by_side(lines, has_marks=is_short(before, after))
    rows = [marked_row(line) for line in one_below_the_other(pairs)]
    has_marks = any(row.is_changed for row in rows)
    parts = [row.html for row in rows]
    if is_folded and has_marks:
        parts = list(fold(rows, folded_line))
    head = "".join(TAG.findall(after)[:2])
    html = f"{head}{''.join(parts)}</code></pre>"
    return MarkedHtml(html, has_marks, has_fold=len(parts) < len(rows))


def lines_of(code: str) -> list[str]:
    return unescape(TAG.sub("", code)).removesuffix("\n").split("\n")


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


def marked_row(marked: MarkedLine) -> MarkedRow:
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

"""Compares an article with code: a diff whose unchanged hunks are of today, and the others of the past."""

import re
from collections.abc import Iterator, Sequence

from instep.drafting.writer.diffs.change_set import ChangeSet, reviewed_files
from instep.drafting.writer.llm.article_contents import (
    ChangeReading,
    Contents,
    ShownArticle,
    line_bytes,
    section_spans,
)
from instep.drafting.writer.llm.edit_forms import ModelReply
from instep.drafting.writer.llm.model_report import QuotedLines
from instep.drafting.writer.shapes import Article, Change, DismissedEdit, Report
from instep.platform.core import limits
from instep.platform.text.patch_parser import parse_diff

_UNCHANGED = re.compile(r"(?m)^ ")


def begin_comparison(
    code: str, article: Article, help_url: str, dismissed: Sequence[DismissedEdit]
) -> ChangeReading:
    """The article and the code, as prompts need them; raises `InvalidDiff`."""
    change_set = reviewed_files(parse_diff(code))
    text = "\n".join(_code_lines(change_set))
    report = Report((article.id,), 0.0, (), (), "")
    contents = Contents((article,), {})
    # The checks of an edit compare it with what a change adds: here, with all of the code.
    change = Change("", None, _UNCHANGED.sub("+", code))
    return ChangeReading(change, change_set, text, "", contents, report, help_url, dismissed, is_code=True)


def reading_parts(text: str) -> list[tuple[int, int]]:
    """The first and last lines, from 1, of the parts of a text.

    Each has as many whole sections as fit into `MAX_READING_LINES`; a longer section is cut.
    """
    parts, most = list[tuple[int, int]](), limits.MAX_READING_LINES
    for span in section_spans(text):
        if parts and span.last - parts[-1][0] < most:
            parts[-1] = parts[-1][0], span.last
        else:
            firsts = range(span.first, span.last + 1, most)
            parts += [(first, min(first + most - 1, span.last)) for first in firsts]
    return parts


def shown_part(contents: Contents, first_line: int, max_bytes: int) -> list[ShownArticle]:
    """The first lines, as many as fit, of the part that begins with this line; empty if no part does."""
    last_line = dict(reading_parts(contents.articles[0].text)).get(first_line, 0)
    numbers, room = list[int](), max_bytes
    for number in range(first_line, last_line + 1):
        room -= line_bytes(contents, 0, [number])
        if room < 0:
            break
        numbers.append(number)
    return [ShownArticle(0, frozenset(numbers))] if numbers else []


def with_proven_edits(reading: ChangeReading, reply: ModelReply) -> ModelReply:
    """The reply with only the edits whose quote is a line of the code."""
    quotes = QuotedLines(reading.change_set, reading.change, reading.diff)
    edits = [edit for edit in reply.edits if quotes.has(edit.quote)]
    return ModelReply(edits=edits, unchanged=reply.unchanged)


def _code_lines(change_set: ChangeSet) -> Iterator[str]:
    for file in change_set.files:
        for hunk in file.patch.hunks:
            if any(line.mark != " " for line in hunk.lines):
                yield f"{file.patch.path}, changed by the commit: {hunk.section}"
                yield from (line.mark + line.text for line in hunk.lines)
            else:
                yield f"{file.patch.path}, from line {hunk.lines[0].new if hunk.lines else 1}:"
                yield from (line.text for line in hunk.lines)
            yield ""

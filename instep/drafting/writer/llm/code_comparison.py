"""Compares an article with code: a diff whose unchanged hunks are of today, and the others of the past."""

import re
from collections.abc import Iterator, Sequence

from instep.drafting.writer.diffs.change_set import ChangeSet, reviewed_files
from instep.drafting.writer.llm.article_contents import ChangeReading, Contents, ShownArticle, section_spans
from instep.drafting.writer.llm.edit_forms import ModelReply
from instep.drafting.writer.llm.model_report import QuotedLines
from instep.drafting.writer.shapes import Article, Change, DismissedEdit, Report
from instep.platform.core import limits
from instep.platform.text.patch_parser import parse_diff

_UNCHANGED = re.compile(r"(?m)^ ")
# The bytes of a line's number in a prompt, about.
_NUMBER_BYTES = 6


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
    """The first and last lines, from 1, of the parts of a text: whole sections, as many as fit into each."""
    parts = list[tuple[int, int]]()
    for span in section_spans(text):
        if parts and span.last - parts[-1][0] < limits.MAX_READING_LINES:
            parts[-1] = parts[-1][0], span.last
        elif span.last >= span.first:
            parts.append((span.first, span.last))
    return parts


def shown_part(article: Article, first_line: int, max_bytes: int) -> list[ShownArticle]:
    """As many lines as fit of the part that begins with this line; of the first one if none does any more."""
    lines, parts = article.text.split("\n"), dict(reading_parts(article.text))
    first = first_line if first_line in parts else 1
    numbers, room = list[int](), max_bytes
    for number, line in enumerate(lines[first - 1 : parts.get(first)], first):
        room -= len(line.encode("utf-8", "replace")) + _NUMBER_BYTES
        if room < 0:
            break
        numbers.append(number)
    return [ShownArticle(0, frozenset(numbers))]


def with_proven_edits(reading: ChangeReading, reply: ModelReply) -> ModelReply:
    """The reply with only the edits whose quote is a line of the code."""
    quotes = QuotedLines(reading.change_set, reading.change)
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

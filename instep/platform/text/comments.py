"""Removes authors' comments from a Markdown text, in one pass over its lines.

No page shows them, so nothing made for readers of the page may contain them. Comments inside code
stay.
"""

import re
from collections import deque
from collections.abc import Iterator

from instep.platform.text.code_block_lines import CodeLines, text_start

_OPENING = "<!--"
_CLOSING = "-->"
# An escaped character, backticks, and the beginning of a comment.
_MARK = re.compile(r"\\[\\<`]|`+|<!--")


def without_comments(markdown: str) -> str:
    """The text without its comments; an unclosed one extends to the end, as in browsers."""
    if _OPENING not in markdown:
        return markdown
    return "\n".join(_Reader(markdown.replace("\r\n", "\n").replace("\r", "\n").split("\n")).kept_lines())


class _Reader:
    """Reads lines; `paragraph` has the lines of an unfinished paragraph."""

    def __init__(self, lines: list[str]) -> None:
        self.lines = lines
        self.paragraph: list[str] = []
        self.code = CodeLines()

    def kept_lines(self) -> Iterator[str]:
        lines = iter(self.lines)
        for line in lines:
            start = text_start(line)
            if self.code.is_code(line, start):
                yield from self.finished_paragraph()
                yield line
            elif line.startswith(_OPENING, start):
                yield from self.finished_paragraph()
                yield line[:start] + _rest_behind_comment(line[start:], lines)
                self.code.is_after_blank = True
            else:
                self.paragraph.append(line)
                if not line.strip():
                    yield from self.finished_paragraph()
        yield from self.finished_paragraph()

    def finished_paragraph(self) -> Iterator[str]:
        if self.paragraph:
            yield _without_inline_comments("\n".join(self.paragraph))
            self.paragraph.clear()


def _rest_behind_comment(text: str, following: Iterator[str]) -> str:
    """The rest of the line that closes the comment at the beginning of `text`.

    That line ends the HTML for the renderer, so an unclosed second comment on it has no end for browsers.
    """
    # `<!-->` and `<!--->` are whole comments.
    end = text.find(_CLOSING, 2)
    while end < 0:
        line = next(following, None)
        if line is None:
            return ""
        text, end = line, line.find(_CLOSING)
    parts, position = [], end + len(_CLOSING)
    while (start := text.find(_OPENING, position)) >= 0:
        parts.append(text[position:start])
        end = text.find(_CLOSING, start + 2)
        if end < 0:
            deque(following, maxlen=0)
            break
        position = end + len(_CLOSING)
    else:
        parts.append(text[position:])
    return "".join(parts).lstrip(" \t")


def _without_inline_comments(text: str) -> str:
    if _OPENING not in text:
        return text
    marks = list(_MARK.finditer(text))
    closings = _backticks_by_length(marks)
    parts, position, part_start = [], 0, 0
    for mark in marks:
        if mark.start() < position or mark[0][0] == "\\":
            continue
        if mark[0] != _OPENING:
            position = _end_of_code(mark, closings)
            continue
        end = text.find(_CLOSING, mark.start() + 2)
        if end < 0:
            break
        parts.append(text[part_start : mark.start()])
        position = part_start = end + len(_CLOSING)
    return "".join((*parts, text[part_start:]))


def _backticks_by_length(marks: list[re.Match[str]]) -> dict[int, list[int]]:
    """The positions of backtick runs by their length, the last one first."""
    starts: dict[int, list[int]] = {}
    for mark in reversed(marks):
        if mark[0][0] == "`":
            starts.setdefault(len(mark[0]), []).append(mark.start())
    return starts


def _end_of_code(opening: re.Match[str], closings: dict[int, list[int]]) -> int:
    """The end of the code span that these backticks begin; without an equal run after them it is no span."""
    starts = closings[len(opening[0])]
    while starts and starts[-1] <= opening.start():
        starts.pop()
    return starts[-1] + len(opening[0]) if starts else opening.end()

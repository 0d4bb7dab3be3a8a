"""The prose of a Markdown text at its positions: its markup is masked, and its blocks are spans.

All time is linear in the length of the text, so that it can be read at every pause of someone who types it.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from instep.platform.text.code_block_lines import CodeLines, text_start
from instep.platform.text.code_spans import code_spans
from instep.platform.text.front_matter import split_front_matter
from instep.platform.text.sections import HEADING, underlines_heading, without_closing_hashes

# Private-use characters in place of each character of code, and of other markup.
CODE_MASK = "\ue000"
MARKUP_MASK = "\ue001"
_LINE = re.compile(r"[^\n]*\n|[^\n]+")
_PARAGRAPH_BREAK = re.compile(r"\n[ \t]*\n")
_MARKUP = re.compile(
    r"<!--.*?(?:-->|\Z)"
    # Tags and addresses in angle brackets; a tag may extend over lines.
    r"|</?[A-Za-z][^<>]*+>"
    # The target of a link or an image, with its title; link definitions and footnotes.
    r"|(?<=\])(?:\((?:[^()\n]|\([^()\n]*+\))*+\)|\[[^\[\]\n]*+\])"
    r"|^[ \t>]*\[[^\[\]\n]++\]:[^\n]*"
    r"|\b[A-Za-z][\w+.-]{1,20}://[^\s<>\"'`)\]]++|(?<![\w.+-])[\w.+-]++@[\w.-]++"
    # Variables, expressions of MDX, and attributes of headings.
    r"|\{\{[^{}\n]*+\}\}|\{[^{}\n]*+\}",
    re.DOTALL | re.MULTILINE,
)


class ProseBlock(NamedTuple):
    """A heading, a paragraph or a list item as a span of the text (end excluded), without its marker."""

    is_heading: bool
    start: int
    end: int


def mask_markup(text: str) -> str:
    """The text with masks in place of everything that is not prose, at the same positions."""
    text = text.replace("\r\n", " \n").replace("\r", "\n")
    head = split_front_matter(text).head
    masked = _masked(head, CODE_MASK) + _without_code_blocks(text[len(head) :])
    return _MARKUP.sub(lambda match: _masked(match[0], MARKUP_MASK), _without_code_spans(masked))


def _masked(text: str, mask: str) -> str:
    return "\n".join(mask * len(line) for line in text.split("\n"))


def _without_code_blocks(text: str) -> str:
    code = CodeLines()
    return "\n".join(
        CODE_MASK * len(line) if code.is_code(line, text_start(line)) else line for line in text.split("\n")
    )


def _without_code_spans(text: str) -> str:
    parts, position = [], 0
    for end in (*(match.start() for match in _PARAGRAPH_BREAK.finditer(text)), len(text)):
        paragraph, start = text[position:end], 0
        for first, last in code_spans(paragraph):
            parts += [paragraph[start:first], _masked(paragraph[first:last], CODE_MASK)]
            start = last
        parts.append(paragraph[start:])
        position = end
    return "".join(parts)


def prose_blocks(masked: str) -> Iterator[ProseBlock]:
    """The blocks of a masked text, in order; tables are no prose."""
    start = end = -1
    for match in _LINE.finditer(masked):
        line = match[0].rstrip()
        text = line[text_start(line) :]
        underlines = start >= 0 and underlines_heading(line)
        heading = HEADING.match(text)
        ends = not text.strip(CODE_MASK) or heading or text.startswith(("|", ":::")) or underlines
        begins_item = text_start(line) > 0 and line.lstrip(" \t>") != text
        if start >= 0 and (ends or begins_item):
            yield ProseBlock(underlines, start, end)
            start = -1
        first = match.start() + text_start(line)
        if heading:
            title = text[heading.end() :]
            begin = first + heading.end() + len(title) - len(title.lstrip(" \t"))
            yield ProseBlock(True, begin, begin + len(without_closing_hashes(title)))
        elif not ends:
            start = first if start < 0 else start
            end = match.start() + len(line)
    if start >= 0:
        yield ProseBlock(False, start, end)

"""The blocks of a Markdown text with their lines, as the help center's renderer parses them.

The renderer reports each block's position (its `sourcepos`), so this reader agrees with the page. Its time
grows as the renderer's does: long texts, and those that `render_bounded` has not seen, belong in a sandbox.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from html import unescape
from typing import Any, Literal, NamedTuple

import comrak

from instep.platform.core.directives import mark_directives
from instep.platform.core.markdown import extensions

BlockKind = Literal[
    "heading", "paragraph", "list", "item", "table", "row", "code", "quote", "rule", "footnote"
]

# This rendering drops raw HTML and escapes text, so every tag and position in it is the renderer's.
# The end of a block matters only where other blocks can be in it.
_TAG = re.compile(
    r"</(ul|ol|li|table|blockquote|div)>"
    r"|<(h[1-6]|p|ul|ol|li|table|tr|pre|blockquote|div|hr)\b"
    r'[^<>]*? data-sourcepos="(\d{1,9}):(\d{1,9})-(\d{1,9}):(\d{1,9})"([^<>]*)>(?:<code[^<>]*>([^<]*))?'
)
_KINDS: dict[str, BlockKind] = {
    **{f"h{level}": "heading" for level in range(1, 7)},
    **{"p": "paragraph", "ul": "list", "ol": "list", "li": "item", "table": "table", "tr": "row"},
    **{"pre": "code", "blockquote": "quote", "div": "quote", "hr": "rule"},
}
_CONTAINERS = frozenset(("ul", "ol", "li", "table", "blockquote", "div"))
_ATX = re.compile(r"(#{1,6})(?=[ \t]|$)")
_ATX_END = re.compile(r"(?:(?<=[ \t])#+|^#+)[ \t]*$")
_UNDERLINE = re.compile(r"[ \t>]*([=-])\1*[ \t]*$")
_ITEM = re.compile(r"([-*+]|\d{1,9}[.)])(?:[ \t]+|$)(?:\[[ xX]\][ \t]+)?")
_FENCE = re.compile(r"`{3,}|~{3,}")
_DEFINITION = re.compile(r"\[[^\]]+\]:.*(?:\n|$)")
_ESCAPED_CHARACTER = re.compile(r"\\.")


class Block(NamedTuple):
    """One block; lines count from 1, `last_line` is part of it.

    `text` is the Markdown of a title, a paragraph, a row or an item's own words, and the content of code; it
    is empty for lists, tables, quotes and rules. `marker` is the block's syntax: `##` or the character of
    an underline, `-` or `1.`, the fence of code (empty if the code is indented).
    """

    kind: BlockKind
    first_line: int
    last_line: int
    # 1 to 6 for headings, otherwise 0.
    level: int = 0
    text: str = ""
    marker: str = ""
    # The number of lists, items, tables and quotes that contain the block.
    depth: int = 0
    # Whether code begins with a fence that no line closes.
    is_open: bool = False


@dataclass(frozen=True, slots=True)
class ParsedMarkdown:
    """A text as lines (without their ends) and blocks, in the order in which the blocks begin."""

    lines: tuple[str, ...]
    blocks: tuple[Block, ...]

    def rows(self) -> list[Block]:
        """The rows of tables, each table's header row first, without the line of hyphens."""
        return [block for block in self.blocks if block.kind == "row"]

    def fences(self) -> list[Block]:
        """The blocks of code that are not indented."""
        return [block for block in self.blocks if block.kind == "code" and block.marker]


def read_blocks(text: str) -> ParsedMarkdown:
    """All blocks of a text. Raw HTML and link definitions are not blocks, Markdown between HTML tags is."""
    source = text.replace("\r\n", "\n").replace("\r", "\n")
    html = html_with_positions(source, has_anchors=False)
    lines = tuple(source.split("\n"))
    blocks = list(_Reader(html, lines).blocks())
    # Footnotes are rendered at the end of a page, wherever they are defined.
    blocks.sort(key=lambda block: block.first_line)
    return ParsedMarkdown(lines, tuple(blocks))


def html_with_positions(text: str, *, has_anchors: bool) -> str:
    """The text as HTML with each element's position; raw HTML is dropped, so every tag is the renderer's."""
    return comrak.render_markdown(
        mark_directives(text).text,
        extension_options=extensions(has_anchors=has_anchors),
        render_options=_render_options(),
    )


@cache
def _render_options() -> Any:
    options = comrak.RenderOptions()
    options.sourcepos = True
    return options


class Span(NamedTuple):
    """The position of an element in a text: lines and columns from 1, both ends included."""

    line: int
    column: int
    end_line: int
    end_column: int


def column_in_characters(line: str, column: int) -> int:
    """The character column for a byte column, from 1; the renderer's own conversion takes quadratic time."""
    if line.isascii():
        return column
    return len(line.encode()[: column - 1].decode(errors="ignore")) + 1


def fence_of(lines: Sequence[str], span: Span, code: str) -> str:
    """The fence that begins the code block at `span`, which contains `code`; empty if it is indented."""
    opening = lines[span.line - 1][span.column - 1 :].strip()
    fence = _FENCE.match(opening)
    # A fence is a line of the block that is not part of its content.
    is_fenced = _count_filled_lines(code.split("\n")) < _count_filled_lines(
        lines[span.line - 1 : span.end_line]
    )
    return fence[0] if fence and is_fenced else ""


def _count_filled_lines(lines: Sequence[str]) -> int:
    """The number of lines with more than spaces and quote markers."""
    return sum(bool(line.strip(" \t>")) for line in lines)


def is_unclosed(lines: Sequence[str], span: Span, fence: str) -> bool:
    """True if no line of the code block at `span` closes its `fence`."""
    last = lines[span.end_line - 1].strip(" \t>")
    closes = len(last) >= len(fence) and set(last) == {fence[0]}
    return span.end_line == span.line or not closes


def cell_count(row: str) -> int:
    """The number of cells in a table row: each pipe without a backslash separates two."""
    return _ESCAPED_CHARACTER.sub("", row.strip()).removeprefix("|").removesuffix("|").count("|") + 1


class _Tag(NamedTuple):
    """A tag of the rendered page; a closing one has only `closed_name`. Lines and columns are digits."""

    closed_name: str
    name: str
    line: str
    column: str
    end_line: str
    end_column: str
    attributes: str
    code: str


class _Reader:
    """One pass over the tags of a rendered text."""

    def __init__(self, html: str, lines: tuple[str, ...]) -> None:
        self.lines = lines
        self.tags = list(map(_Tag._make, _TAG.findall(html)))

    def blocks(self) -> Iterator[Block]:
        depth = 0
        for number, tag in enumerate(self.tags):
            if tag.closed_name:
                depth = max(0, depth - 1)
            else:
                yield self.block(number, tag, depth)
                depth += tag.name in _CONTAINERS

    def block(self, number: int, tag: _Tag, depth: int) -> Block:
        span = self.span(tag)
        kind: BlockKind = "footnote" if 'id="fn' in tag.attributes else _KINDS[tag.name]
        level, text, marker, is_open = 0, "", "", False
        if kind == "paragraph" or kind == "row":
            text = self.paragraph(span)
        elif kind == "heading":
            level = int(tag.name[1])
            text, marker = self.title(span)
        elif kind == "item":
            text, marker = self.item(number, span)
        elif kind == "code":
            text, marker, is_open = self.code(unescape(tag.code), span)
        return Block(kind, span.line, span.end_line, level, text, marker, depth, is_open)

    def span(self, tag: _Tag) -> Span:
        line, column, end_line, end_column = map(int, tag[2:6])
        # An item followed by blank lines ends in column 0 of the line after it.
        if end_column == 0 and end_line > line:
            end_line -= 1
        last = len(self.lines)
        if line > end_line or end_line > last:
            line, end_line = min(line, last), min(max(line, end_line), last)
        return Span(line, column_in_characters(self.lines[line - 1], column), end_line, end_column)

    def source(self, span: Span) -> list[str]:
        """The lines of a block without the markers of its containers."""
        first = self.lines[span.line - 1][span.column - 1 :].strip()
        if span.line == span.end_line:
            return [first]
        others = self.lines[span.line : span.end_line]
        return [first, *(line.lstrip(" \t>").rstrip() for line in others)]

    def title(self, span: Span) -> tuple[str, str]:
        lines = self.source(span)
        if atx := _ATX.match(lines[0]):
            return _ATX_END.sub("", lines[0][atx.end() :].strip()).strip(), atx[1]
        underline = _UNDERLINE.match(self.lines[span.end_line - 1])
        return "\n".join(lines[:-1]), underline[1] if underline else ""

    def code(self, text: str, span: Span) -> tuple[str, str, bool]:
        fence = fence_of(self.lines, span, text)
        return text.removesuffix("\n"), fence, fence != "" and is_unclosed(self.lines, span, fence)

    def item(self, number: int, span: Span) -> tuple[str, str]:
        """The words of an item up to its first nested block or blank line, and its marker."""
        first = self.lines[span.line - 1][span.column - 1 :]
        marker = _ITEM.match(first)
        end = next(self.nested_lines(number), span.end_line + 1)
        if end <= span.line:
            return "", marker[1] if marker else ""
        lines = self.source(Span(span.line, span.column, min(end - 1, span.end_line), 0))
        lines[0] = first[marker.end() :].strip() if marker else lines[0]
        # The words may begin in the line below the marker.
        words, _, _ = "\n".join(lines).strip("\n").partition("\n\n")
        return words, marker[1] if marker else ""

    def nested_lines(self, number: int) -> Iterator[int]:
        """The positions of blocks inside an item, other than its first paragraph."""
        for at in range(number + 1, len(self.tags)):
            tag = self.tags[at]
            if tag.closed_name == "li":
                return
            if not tag.closed_name and (tag.name != "p" or at > number + 1):
                yield int(tag.line)

    def paragraph(self, span: Span) -> str:
        text = "\n".join(self.source(span))
        while text.startswith("[") and (definition := _DEFINITION.match(text)):
            text = text[definition.end() :]
        return text

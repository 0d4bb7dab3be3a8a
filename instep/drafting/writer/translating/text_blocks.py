"""Splits Markdown into blocks that are translated one by one: together they are the text, byte for byte."""

import re
from collections import defaultdict
from dataclasses import dataclass

from instep.drafting.writer.articles.parsed_article import front_matter
from instep.platform.text.blocks import read_blocks

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+\Z")
_BLANK_START = re.compile(r"(?:[ \t]*(?:\r\n|\r|\n))+|[ \t]+\Z")
# Blocks that contain no other ones: the lines after their end belong to something else.
_LEAVES = frozenset(("heading", "paragraph", "row", "code", "rule"))
# The markup that begins a block, which is not translated: indentation, quotes, list items, headings.
_MARKUP = re.compile(
    r"[ \t>]*+(?:(?:[-*+]|\d{1,9}[.)])[ \t]++(?:\[[ xX]\][ \t]++)?)*+(?:#{1,6}[ \t]++)?", re.ASCII
)


@dataclass(frozen=True, slots=True)
class TextBlock:
    """A heading, a paragraph, a list item, a table row, a block of code, or lines of another kind.

    `shape` names its kind and level, `tail` has its last line end and the blank lines after it.
    """

    shape: str
    body: str
    tail: str

    @property
    def is_code(self) -> bool:
        return "code" in self.shape.split()

    @property
    def markup(self) -> str:
        match = _MARKUP.match(self.body)
        return match[0] if match else ""

    @property
    def words(self) -> str:
        """The text without the markup that begins it."""
        return self.body[len(self.markup) :]


def split_blocks(text: str) -> list[TextBlock]:
    """The blocks of a text in order. Its time grows as that of rendering: long texts belong in a sandbox."""
    head = front_matter(text)
    blocks = [_block_of("front matter code", head)] if head else []
    lines = _LINE.findall(text[len(head) :])
    shapes: dict[int, list[str]] = defaultdict(list)
    for block in read_blocks(text[len(head) :]).blocks:
        shapes[block.first_line].append(f"{block.kind}{block.level or ''}")
        if block.kind in _LEAVES:
            shapes.setdefault(block.last_line + 1, [])
    starts = sorted({1, *shapes})
    for start, end in zip(starts, [*starts[1:], len(lines) + 1], strict=True):
        part = "".join(lines[start - 1 : end - 1])
        if blocks and (blank := _BLANK_START.match(part)):
            last = blocks.pop()
            blocks.append(TextBlock(last.shape, last.body, last.tail + blank[0]))
            part = part[blank.end() :]
        if part:
            blocks.append(_block_of(_shape_of(shapes[start]), part))
    return blocks


def _shape_of(kinds: list[str]) -> str:
    """The kinds of the blocks that begin in a line; an item begins the same with and without a paragraph."""
    return " ".join(kind for kind in kinds if kind != "paragraph") or "".join(kinds[:1])


def _block_of(shape: str, part: str) -> TextBlock:
    body = part.rstrip()
    return TextBlock(shape, body, part[len(body) :])

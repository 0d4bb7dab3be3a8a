"""An article as lines and blocks, parsed once for all of the writer's questions."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from io import StringIO
from typing import NamedTuple

from instep.drafting.writer.articles.restructured import with_markdown_titles
from instep.platform.text import blocks as text_blocks
from instep.platform.text.blocks import Block
from instep.platform.text.front_matter import split_front_matter

_KINDS = frozenset(("heading", "list", "item", "table", "row", "code"))


class TextLine(NamedTuple):
    """A line without its line break, and its span in the text including it; fences count as code."""

    text: str
    start: int
    end: int
    in_code: bool


@dataclass(frozen=True, slots=True)
class ParsedArticle:
    """Lines, and blocks that divide or list; the first line of a block is `lines[block.first_line - 1]`.

    Titles of reStructuredText count as headings, with the marker that they would have in Markdown.
    """

    lines: tuple[TextLine, ...]
    blocks: tuple[Block, ...]


def front_matter(text: str) -> str:
    """The settings between rules at the beginning of a text, which readers don't see; may be empty."""
    parts = split_front_matter(text)
    return parts.head if parts.begins_with_key else ""


@lru_cache(maxsize=64)
def parse_article(text: str) -> ParsedArticle:
    blocks = _blocks_of(text)
    code_lines = {
        number
        for block in blocks
        if block.kind == "code" and block.marker
        for number in range(block.first_line, block.last_line + 1)
    }
    return ParsedArticle(tuple(_lines(text, code_lines)), blocks)


@lru_cache(maxsize=1_024)
def _blocks_of(text: str) -> tuple[Block, ...]:
    """The blocks, cached without prose and code, which would take too much memory for many articles."""
    settings = front_matter(text)
    body = "\n" * settings.count("\n") + text[len(settings) :]
    blocks = text_blocks.read_blocks(with_markdown_titles(body)).blocks
    return tuple(
        block._replace(text="") if block.kind == "code" else block for block in blocks if block.kind in _KINDS
    )


def _lines(text: str, code_lines: set[int]) -> Iterator[TextLine]:
    start = 0
    for number, line in enumerate(StringIO(text, newline=""), 1):
        yield TextLine(line.rstrip("\r\n"), start, start + len(line), number in code_lines)
        start += len(line)

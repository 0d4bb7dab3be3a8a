"""The headings and sections of an article, in Markdown and in reStructuredText."""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from instep.text.blocks import Block
from instep.writer.articles.parsed_article import TextLine, parse_article
from instep.writer.articles.restructured import is_underline

_ANCHOR = re.compile(r"\.\. _[^:]+:\s*$")
_ATTRIBUTES = re.compile(r"(?<!\s)\s*+\{[:\s]*+#[^{}]*+\}\s*+$")


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading; `mark` is `##` or the character of its underline, `start` includes a target above."""

    level: int
    title: str
    mark: str
    start: int


@dataclass(frozen=True, slots=True)
class ArticleSection:
    """A section and its heading; `text` is its own text from `start` to `end`.

    `whole_end` is the end of its last subsection.
    """

    level: int
    title: str
    mark: str
    start: int
    end: int
    whole_end: int
    text: str


@lru_cache(maxsize=1_024)
def headings_of(text: str) -> tuple[Heading, ...]:
    return tuple(_headings(text))


def _headings(text: str) -> Iterator[Heading]:
    article = parse_article(text)
    for block in article.blocks:
        if block.kind == "heading" and block.depth == 0:
            title = _ATTRIBUTES.sub("", " ".join(block.text.split()))
            start = article.lines[_with_anchor(article.lines, block.first_line - 1)].start
            yield Heading(block.level, title, _mark(block, article.lines), start)


def _mark(block: Block, lines: Sequence[TextLine]) -> str:
    """The marker of a heading, or the underline of a title of reStructuredText."""
    title, *below = (line.text for line in lines[block.first_line - 1 : block.first_line + 1])
    is_restructured = block.marker.startswith("#") and not title.lstrip().startswith("#")
    return below[0][0] if is_restructured and below and is_underline(below[0]) else block.marker


def _with_anchor(lines: Sequence[TextLine], index: int) -> int:
    """The index of the first line of a heading, including a reference target above it."""
    first = index
    while first > 0 and (_ANCHOR.match(lines[first - 1].text) or not lines[first - 1].text.strip()):
        first -= 1
    anchors = [n for n in range(first, index) if _ANCHOR.match(lines[n].text)]
    return anchors[0] if anchors else index


def heading_over(text: str, offset: int) -> str:
    """The heading of the section that contains an offset; empty before the first one."""
    headings = headings_of(text)
    index = bisect_right(headings, offset, key=lambda heading: heading.start)
    return headings[index - 1].title if index else ""


@lru_cache(maxsize=256)
def sections_of(text: str) -> tuple[ArticleSection, ...]:
    headings = headings_of(text)
    starts = [heading.start for heading in headings] + [len(text)]
    whole_ends = _whole_ends(headings, len(text))
    return tuple(
        ArticleSection(heading.level, heading.title, heading.mark, start, end, whole_end, text[start:end])
        for heading, start, end, whole_end in zip(headings, starts[:-1], starts[1:], whole_ends, strict=True)
    )


def _whole_ends(headings: Sequence[Heading], end: int) -> list[int]:
    """Where each section ends with all of its subsections."""
    whole_ends, open_indexes = [end] * len(headings), list[int]()
    for index, heading in enumerate(headings):
        while open_indexes and headings[open_indexes[-1]].level >= heading.level:
            whole_ends[open_indexes.pop()] = heading.start
        open_indexes.append(index)
    return whole_ends

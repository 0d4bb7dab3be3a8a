"""The headings and sections of an article, in Markdown and in reStructuredText."""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from instep.drafting.writer.articles.parsed_article import TextLine, parse_article

_ANCHOR = re.compile(r"\.\. _[^:]+:\s*$")
_ATTRIBUTES = re.compile(r"(?<!\s)\s*+\{[:\s]*+#[^{}]*+\}\s*+$")


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading; `start` includes a reference target above it."""

    level: int
    title: str
    start: int


@dataclass(frozen=True, slots=True)
class ArticleSection:
    """A section and its heading; `text` is its own text from `start` to `end`, without subsections."""

    level: int
    title: str
    start: int
    end: int
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
            yield Heading(block.level, title, start)


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
    ends = [*(heading.start for heading in headings[1:]), len(text)]
    return tuple(
        ArticleSection(heading.level, heading.title, heading.start, end, text[heading.start : end])
        for heading, end in zip(headings, ends, strict=False)
    )

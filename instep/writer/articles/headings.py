"""The lines, headings and sections of an article, in Markdown and in reStructuredText."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

_FRONT_MATTER = re.compile(
    r"\A(---|\+\+\+)[ \t]*\r?\n(?=[\w\"'#-]+[ \t]*[:=]|#).*?\n\1[ \t]*(?:\r?\n|\Z)", re.DOTALL
)
_FENCE = re.compile(r"\s*(```|~~~)")
_ATX = re.compile(r"(#{1,6})\s+(\S.*)")
_UNDERLINE = re.compile(r"([=\-~#*^\"'`+])\1{2,}\s*$")
_ANCHOR = re.compile(r"\.\. _[^:]+:\s*$")
_ATTRIBUTES = re.compile(r"(?<!\s)\s*+\{[:\s]*+#[^{}]*+\}\s*+$|(?<!\s)\s++#++\s*+$")


@dataclass(frozen=True, slots=True)
class TextLine:
    """A line without its line break, and its span in the text with it; fences count as code."""

    text: str
    start: int
    end: int
    in_code: bool


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading; `mark` is `##` or the character of its underline, `start` includes a target above."""

    level: int
    title: str
    mark: str
    start: int


def front_matter(text: str) -> str:
    """The settings between rules at the beginning of a text, which readers do not see; empty without any."""
    match = _FRONT_MATTER.match(text)
    return match[0] if match else ""


@lru_cache(maxsize=64)
def lines_of(text: str) -> tuple[TextLine, ...]:
    lines, start, fenced = list[TextLine](), 0, False
    for line_text in text.splitlines(keepends=True):
        is_fence = bool(_FENCE.match(line_text)) and (fenced or not _underlines(line_text, lines[-1:]))
        fenced = fenced != is_fence
        lines.append(TextLine(line_text.rstrip("\r\n"), start, start + len(line_text), fenced or is_fence))
        start += len(line_text)
    return tuple(lines)


def _underlines(line_text: str, above: Sequence[TextLine]) -> bool:
    """Whether a line of tildes is the underline of a heading of about its length, and not a fence."""
    return (
        bool(above)
        and bool(above[0].text.strip())
        and abs(len(line_text.strip()) - len(above[0].text.strip())) <= 3
    )


@lru_cache(maxsize=512)
def headings_of(text: str) -> tuple[Heading, ...]:
    return tuple(_headings(lines_of(text)))


def _headings(lines: Sequence[TextLine]) -> Iterator[Heading]:
    styles: dict[str, int] = {}
    for index, line in enumerate(lines):
        atx = None if line.in_code else _ATX.match(line.text)
        start = lines[_with_anchor(lines, index)].start
        if atx:
            yield Heading(len(atx[1]), _ATTRIBUTES.sub("", atx[2]), atx[1], start)
        elif index + 1 < len(lines) and _is_underlined(line, lines[index + 1].text.rstrip()):
            mark = lines[index + 1].text[0]
            yield Heading(styles.setdefault(mark, len(styles) + 1), line.text.strip(), mark, start)


def _is_underlined(line: TextLine, below: str) -> bool:
    title = line.text.rstrip()
    return (
        is_underline(below)
        and bool(title[:1].strip())
        and not line.in_code
        and len(below) >= len(title) - 3
        and not is_underline(title)
        and not title.startswith(("|", "- ", "---"))
    )


def is_underline(text: str) -> bool:
    return bool(_UNDERLINE.match(text))


def _with_anchor(lines: Sequence[TextLine], index: int) -> int:
    """The index of the first line of a heading, including a reference target above it."""
    first = index
    while first > 0 and (_ANCHOR.match(lines[first - 1].text) or not lines[first - 1].text.strip()):
        first -= 1
    anchors = [n for n in range(first, index) if _ANCHOR.match(lines[n].text)]
    return anchors[0] if anchors else index


@dataclass(frozen=True, slots=True)
class ArticleSection:
    """A section; `mark` is `##` or the character of its underline, `text` its own text from `start` to `end`.

    `whole_end` is the end of its last subsection.
    """

    title: str
    mark: str
    start: int
    end: int
    whole_end: int
    text: str


@lru_cache(maxsize=256)
def sections_of(text: str) -> tuple[ArticleSection, ...]:
    headings = headings_of(text)
    starts = [heading.start for heading in headings] + [len(text)]
    sections = []
    for n, heading in enumerate(headings):
        whole_end = next(
            (other.start for other in headings[n + 1 :] if other.level <= heading.level), len(text)
        )
        body = text[heading.start : starts[n + 1]]
        sections.append(
            ArticleSection(heading.title, heading.mark, heading.start, starts[n + 1], whole_end, body)
        )
    return tuple(sections)

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
    text: str
    start: int
    end: int
    in_code: bool


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading: `mark` is `##`, or the sign of its underline; a reference target above it belongs to it."""

    level: int
    title: str
    mark: str
    start: int


def front_matter(text: str) -> str:
    """Settings between rules at the beginning: no part of what readers see."""
    found = _FRONT_MATTER.match(text)
    return found[0] if found else ""


@lru_cache(maxsize=64)
def lines_of(text: str) -> tuple[TextLine, ...]:
    lines, start, fenced = list[TextLine](), 0, False
    for raw in text.splitlines(keepends=True):
        is_fence = bool(_FENCE.match(raw)) and (fenced or not _underlines(raw, lines[-1:]))
        fenced = fenced != is_fence
        lines.append(TextLine(raw.rstrip("\r\n"), start, start + len(raw), fenced or is_fence))
        start += len(raw)
    return tuple(lines)


def _underlines(raw: str, above: Sequence[TextLine]) -> bool:
    """Tildes right below a line of about their length are a heading, not the beginning of code."""
    return (
        bool(above)
        and bool(above[0].text.strip())
        and abs(len(raw.strip()) - len(above[0].text.strip())) <= 3
    )


@lru_cache(maxsize=512)
def headings_of(text: str) -> tuple[Heading, ...]:
    return tuple(_headings(lines_of(text)))


def _headings(lines: Sequence[TextLine]) -> Iterator[Heading]:
    styles: dict[str, int] = {}
    for at, line in enumerate(lines):
        atx = None if line.in_code else _ATX.match(line.text)
        start = lines[_with_anchor(lines, at)].start
        if atx:
            yield Heading(len(atx[1]), _ATTRIBUTES.sub("", atx[2]), atx[1], start)
        elif at + 1 < len(lines) and _is_underlined(line, lines[at + 1].text.rstrip()):
            mark = lines[at + 1].text[0]
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


def _with_anchor(lines: Sequence[TextLine], at: int) -> int:
    """The first line of a heading with the reference target above it."""
    first = at
    while first > 0 and (_ANCHOR.match(lines[first - 1].text) or not lines[first - 1].text.strip()):
        first -= 1
    anchors = [n for n in range(first, at) if _ANCHOR.match(lines[n].text)]
    return anchors[0] if anchors else at


@dataclass(frozen=True, slots=True)
class ArticleSection:
    """`mark` is how its heading is made: `##`, or the sign of its underline."""

    title: str
    mark: str
    start: int
    end: int
    whole_end: int
    text: str


@lru_cache(maxsize=256)
def sections_of(text: str) -> tuple[ArticleSection, ...]:
    heads = headings_of(text)
    starts = [head.start for head in heads] + [len(text)]
    made = []
    for n, head in enumerate(heads):
        after = next((other.start for other in heads[n + 1 :] if other.level <= head.level), len(text))
        own = text[head.start : starts[n + 1]]
        made.append(ArticleSection(head.title, head.mark, head.start, starts[n + 1], after, own))
    return tuple(made)

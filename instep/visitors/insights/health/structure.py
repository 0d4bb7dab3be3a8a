"""Reads the elements of a rendered Markdown text, each with its line in the source, from 1.

Renderer and cleaner are those of the public page, so a link in a code block is not a link here either.
"""

import re
from bisect import bisect_right
from dataclasses import dataclass, field
from functools import cache
from html import unescape
from itertools import accumulate

import comrak
import nh3

from instep.platform.core.markdown import ATTRIBUTES, TAGS, extensions, keep_attribute, options
from instep.platform.text.blocks import Span, cell_count, column_in_characters, fence_of, is_unclosed

# The cleaner's output is well-formed: every attribute is quoted, every other `<` is escaped.
TOKEN = re.compile(r'<(/?)([a-z0-9]+)((?: [a-z-]+="[^"]*")*)>|([^<]+)')
ATTRIBUTE = re.compile(r' ([a-z-]+)="([^"]*)"')
HEADING = re.compile(r"h[1-6]")
SOURCEPOS = re.compile(r"(\d{1,7}):(\d{1,7})-(\d{1,7}):(\d{1,7})")
GENERATED_LINK_CLASSES = ("anchor", "footnote-backref")


@dataclass(slots=True)
class HeadingElement:
    level: int
    line: int
    text: str = ""


@dataclass(slots=True)
class LinkElement:
    href: str | None
    line: int
    text: str = ""
    has_image: bool = False


@dataclass(slots=True)
class ImageElement:
    alt: str
    line: int
    src: str = ""


@dataclass(slots=True)
class Structure:
    """The elements of a text, in its order.

    `prose` is the text outside of code, each part with its line. `uneven_rows` and `open_fences` are lines.
    """

    headings: list[HeadingElement] = field(default_factory=list)
    links: list[LinkElement] = field(default_factory=list)
    images: list[ImageElement] = field(default_factory=list)
    prose: list[tuple[int, str]] = field(default_factory=list)
    anchors: set[str] = field(default_factory=set)
    uneven_rows: list[int] = field(default_factory=list)
    open_fences: list[int] = field(default_factory=list)


def read_structure(text: str) -> Structure:
    html = comrak.render_markdown(
        text,
        extension_options=extensions(),
        render_options=options(has_lines=True),
    )
    # The renderer counts all three as ends of lines.
    reader = StructureReader(text.replace("\r\n", "\n").replace("\r", "\n"))
    for token in TOKEN.finditer(cleaner().clean(html)):
        closing, tag, attributes, words = token.groups()
        if words is not None:
            reader.text(unescape(words) if "&" in words else words)
        elif closing:
            reader.end(tag)
        else:
            reader.start(tag, dict(ATTRIBUTE.findall(attributes)) if attributes else {})
    return reader.structure


@cache
def cleaner() -> nh3.Cleaner:
    return nh3.Cleaner(
        tags=TAGS,
        clean_content_tags={"script", "style"},
        attributes={**ATTRIBUTES, "*": {"data-sourcepos"}},
        attribute_filter=keep_attribute,
        url_schemes={"http", "https", "mailto"},
        link_rel=None,
    )


class StructureReader:
    """Reads the structure from a page's tags, to which the renderer adds the positions in the source."""

    def __init__(self, text: str) -> None:
        self.structure = Structure()
        self.lines = text.split("\n")
        self.raw_tags = RawTagLocator(text)
        self.line = 1
        self.code = 0
        self.cells: int | None = None
        self.fence: Span | None = None
        self.block = ""
        self.link: LinkElement | None = None
        self.heading: HeadingElement | None = None

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        span = self.span_of(attributes.get("data-sourcepos", ""))
        if span is not None:
            self.line = span.line
        elif tag in ("a", "img") or HEADING.fullmatch(tag):
            self.line = self.raw_tags.line_of(tag, self.line)
        if "id" in attributes:
            self.structure.anchors.add(unescape(attributes["id"]))
        self.start_code(tag, span)
        self.start_table(tag, span)
        self.start_inline(tag, attributes, is_markdown=span is not None)

    def start_code(self, tag: str, span: Span | None) -> None:
        if tag in ("pre", "code"):
            self.code += 1
        if tag == "pre":
            self.fence, self.block = span, ""

    def start_table(self, tag: str, span: Span | None) -> None:
        if tag == "thead":
            self.cells = None
        if tag == "tr" and span is not None:
            count = cell_count(self.lines[span.line - 1][span.column - 1 :])
            if self.cells is not None and count != self.cells:
                self.structure.uneven_rows.append(span.line)
            self.cells = self.cells or count

    def start_inline(self, tag: str, attributes: dict[str, str], *, is_markdown: bool) -> None:
        if HEADING.fullmatch(tag):
            self.heading = HeadingElement(int(tag[1]), self.line)
            self.structure.headings.append(self.heading)
        elif tag == "img":
            alt, src = (unescape(attributes.get(name, "")) for name in ("alt", "src"))
            image = ImageElement(alt.strip(), self.line, src)
            self.structure.images.append(image)
            self.add_words(image.alt)
            if self.link is not None:
                self.link.has_image = True
        elif tag == "a" and attributes.get("class", "") not in GENERATED_LINK_CLASSES:
            href = unescape(attributes["href"]) if "href" in attributes else None
            # A raw `<a>` without an address is only an anchor.
            if href is not None or is_markdown:
                self.link = LinkElement(href, self.line)
                self.structure.links.append(self.link)

    def end(self, tag: str) -> None:
        if tag == "a":
            self.link = None
        elif HEADING.fullmatch(tag):
            self.heading = None
        elif tag in ("pre", "code"):
            self.code -= 1
        if tag == "pre":
            if self.fence is not None and self.is_open(self.fence):
                self.structure.open_fences.append(self.fence.line)
            self.fence = None

    def text(self, words: str) -> None:
        self.add_words(words)
        if self.code:
            self.block += words
        elif words.strip():
            self.structure.prose.append((self.line, words))
        self.line += words.count("\n")

    def add_words(self, words: str) -> None:
        for part in (self.heading, self.link):
            if part is not None:
                part.text += words

    def is_open(self, span: Span) -> bool:
        """True if a code block begins with a fence that is never closed."""
        fence = fence_of(self.lines, span, self.block)
        return fence != "" and is_unclosed(self.lines, span, fence)

    def span_of(self, sourcepos: str) -> Span | None:
        """The span of a `data-sourcepos` value, clamped to the text because an author can write one too."""
        numbers = SOURCEPOS.fullmatch(sourcepos)
        if numbers is None:
            return None
        line, column, end_line, end_column = map(int, numbers.groups())
        last = len(self.lines)
        line = min(max(line, 1), last)
        column = column_in_characters(self.lines[line - 1], max(column, 1))
        return Span(line, column, min(max(end_line, 1), last), end_column)


class RawTagLocator:
    """Finds the lines of tags that the author wrote as HTML, for which the renderer reports no position."""

    def __init__(self, text: str) -> None:
        self.text = text.lower()
        self.line_starts = list(accumulate((len(line) + 1 for line in self.text.split("\n")), initial=0))
        self.next_index: dict[str, int] = {}

    def line_of(self, tag: str, line: int) -> int:
        start = max(self.next_index.get(tag, 0), self.line_starts[min(line, len(self.line_starts) - 1) - 1])
        index = self.text.find(f"<{tag}", start)
        # The next search starts after this tag, so no part of the text is searched twice.
        self.next_index[tag] = index + 1 if index >= 0 else len(self.text)
        return bisect_right(self.line_starts, index) if index >= 0 else line

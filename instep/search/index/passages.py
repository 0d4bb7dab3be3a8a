"""Splits the Markdown of an article into passages, by headings and length, and finds their anchors."""

import re
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass, field
from html import unescape

from instep.core.markdown import render
from instep.search.excerpts import TAG, plain_text

# A longer section is split between its blocks, and a block that is longer than its own maximum within.
MAX_PASSAGE_CHARACTERS = 1_500
MAX_BLOCK_CHARACTERS = 3_000
HEADING = re.compile(r" {0,3}(#{1,6})(?=[ \t]|$)")
UNDERLINE = re.compile(r" {0,3}(=+|-+)[ \t]*$")
FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
# The beginning of a block that is not a paragraph, so that a line below it does not make it a heading.
OTHER_BLOCK = re.compile(r" {0,3}(?:[-*+>|#]|\d{1,9}[.)] |`{3}|~{3})| {4}|\t|\s*$")
EMPHASIS = re.compile(r"[*`]++|(?<!\w)_++|(?<!_)_++(?!\w)")
RENDERED_HEADING = re.compile(r'<h[1-6] id="([^"]+)">(.*?)</h[1-6]>', re.DOTALL)
LINK_TARGET = re.compile(r"(?<=\])\([^()\s]*(?:\([^()\s]*\)[^()\s]*)*(?:\s+\"[^\"\n]*\")?\)")
BLOCK_END = re.compile(r"</(?:p|li|tr|h[1-6]|pre|blockquote|summary)>|<br[^>]*>")


@dataclass(frozen=True, slots=True)
class MarkdownPassage:
    """A passage of an article, in Markdown and without its headings."""

    # The headings above it, the outermost first.
    headings: tuple[str, ...]
    # The number of its innermost heading among those of the text, from 0; `None` before the first heading.
    number: int | None
    markdown: str


@dataclass(slots=True)
class PassageReader:
    """The state of reading a text line by line."""

    passages: list[MarkdownPassage] = field(default_factory=list)
    # Level and title of each heading that the present line is under.
    path: list[tuple[int, str]] = field(default_factory=list)
    heading_count: int = 0
    lines: list[str] = field(default_factory=list)

    def begin_section(self, level: int, title: str) -> None:
        self.end_section()
        while self.path and self.path[-1][0] >= level:
            self.path.pop()
        self.path.append((level, title))
        self.heading_count += 1

    def end_section(self) -> None:
        headings = tuple(title for _, title in self.path)
        number = self.heading_count - 1 if self.heading_count else None
        self.passages += [MarkdownPassage(headings, number, text) for text in split_section(self.lines)]
        self.lines = []


def split_markdown(markdown: str, max_passages: int | None = None) -> list[MarkdownPassage]:
    """The first `max_passages` passages of a text, in its order. A heading without text below has none."""
    reader = PassageReader()
    fence = ""
    for line in markdown.replace("\r\n", "\n").replace("\r", "\n").split("\n"):
        if max_passages is not None and len(reader.passages) >= max_passages:
            break
        if fence:
            fence = "" if closes(line, fence) else fence
        elif opening := FENCE.match(line):
            fence = opening[1]
        elif heading := HEADING.match(line):
            title = plain_heading(without_closing_hashes(line[heading.end() :]))
            reader.begin_section(len(heading[1]), title)
            continue
        elif UNDERLINE.match(line) and reader.lines and not OTHER_BLOCK.match(reader.lines[-1]):
            reader.begin_section(1 if "=" in line else 2, plain_heading(reader.lines.pop()))
            continue
        reader.lines.append(line)
    reader.end_section()
    return reader.passages[:max_passages]


def without_closing_hashes(title: str) -> str:
    """The text of a heading without the `#` characters that may end it (CommonMark 0.31.2, section 4.2)."""
    title = title.strip(" \t")
    opening = title.rstrip("#")
    return opening.rstrip(" \t") if not opening or opening[-1] in " \t" else title


def closes(line: str, fence: str) -> bool:
    """Whether a line ends the code block that this fence began (CommonMark 0.31.2, section 4.5)."""
    closing = FENCE.match(line)
    return closing is not None and closing[1].startswith(fence) and not line[closing.end() :].strip()


def plain_heading(markdown: str) -> str:
    return EMPHASIS.sub("", TAG.sub("", without_links(markdown))).strip()


def without_links(markdown: str) -> str:
    """The text with the labels of its links and without their targets."""
    return LINK_TARGET.sub("", markdown)


def split_section(lines: list[str]) -> Iterator[str]:
    """The texts of the passages of a section: whole blocks up to the maximum length."""
    blocks: list[str] = []
    length = 0
    for block in split_into_blocks(lines):
        if blocks and length + len(block) > MAX_PASSAGE_CHARACTERS:
            yield "\n\n".join(blocks)
            blocks, length = [], 0
        blocks.append(block)
        length += len(block)
    if blocks:
        yield "\n\n".join(blocks)


def split_into_blocks(lines: list[str]) -> Iterator[str]:
    """The parts of a text between blank lines; a code block is one part."""
    block: list[str] = []
    length, fence = 0, ""
    for line in lines:
        if fence:
            fence = "" if closes(line, fence) else fence
        elif opening := FENCE.match(line):
            fence = opening[1]
        ends = not fence and not line.strip()
        if block and (ends or length + len(line) > MAX_BLOCK_CHARACTERS):
            yield "\n".join(block)
            block, length = [], 0
        for start in range(0, 0 if ends else max(1, len(line)), MAX_BLOCK_CHARACTERS):
            if block and length + len(line) > MAX_BLOCK_CHARACTERS:
                yield "\n".join(block)
                block, length = [], 0
            block.append(line[start : start + MAX_BLOCK_CHARACTERS])
            length += len(block[-1])
    if any(line.strip() for line in block):
        yield "\n".join(block)


class Anchors:
    """The anchors of the headings in the rendered HTML of an article."""

    def __init__(self, html: str) -> None:
        self.headings: list[tuple[str, str]] = RENDERED_HEADING.findall(html)
        self.numbers: dict[str, list[int]] = {}

    def of(self, passage: MarkdownPassage) -> str | None:
        """The anchor of the passage's heading: the heading of its number, or the next one with its title."""
        if passage.number is None:
            return None
        title = " ".join(unescape(passage.headings[-1]).split())
        if passage.number < len(self.headings):
            anchor, html = self.headings[passage.number]
            if plain_text(html) == title:
                return anchor
        numbers = self.numbers_of(title)
        following = numbers[bisect_left(numbers, passage.number) :] or numbers
        return self.headings[following[0]][0] if following else None

    def numbers_of(self, title: str) -> list[int]:
        """The numbers of the headings with a title: headings written in HTML are not numbered in Markdown."""
        if not self.numbers:
            for number, (_, html) in enumerate(self.headings):
                self.numbers.setdefault(plain_text(html), []).append(number)
        return self.numbers.get(title, [])


def plain_passage(markdown: str) -> str:
    """The plain text of a passage, one line for each of its paragraphs, items and rows."""
    lines = (plain_text(line) for line in BLOCK_END.split(render(markdown)))
    return "\n".join(line for line in lines if line)

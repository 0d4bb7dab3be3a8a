"""An article as passages: what stands under each heading, in pieces that can be read, ranked and shown."""

import re
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass, field
from html import unescape

from instep.core.markdown import render
from instep.search.excerpts import TAG, plain_text

# In characters. A longer section is cut between its blocks; a block is cut only where it is longer itself.
LONG_PASSAGE = 1_500
LONGEST_BLOCK = 3_000
HEADING = re.compile(r" {0,3}(#{1,6})(?=[ \t]|$)")
UNDERLINE = re.compile(r" {0,3}(=+|-+)[ \t]*$")
FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
# What begins a block of another kind is no heading, whatever stands below it.
NO_TITLE = re.compile(r" {0,3}(?:[-*+>|#]|\d{1,9}[.)] |`{3}|~{3})| {4}|\t|\s*$")
EMPHASIS = re.compile(r"[*`]++|(?<!\w)_++|(?<!_)_++(?!\w)")
SHOWN_HEADING = re.compile(r'<h[1-6] id="([^"]+)">(.*?)</h[1-6]>', re.DOTALL)
LINK_TARGET = re.compile(r"(?<=\])\([^()\s]*(?:\([^()\s]*\)[^()\s]*)*(?:\s+\"[^\"\n]*\")?\)")
BLOCK_END = re.compile(r"</(?:p|li|tr|h[1-6]|pre|blockquote|summary)>|<br[^>]*>")
SENTENCE_END = re.compile(r"(?<=[.!?])[\"')\]]*\s+(?=[^\sa-z])|(?<=[\u3002\uff01\uff1f])\s*|\n+")


@dataclass(frozen=True, slots=True)
class Section:
    """A passage in Markdown, without its heading; `headings` lead to it, the outermost first."""

    headings: tuple[str, ...]
    # The heading's number among those of the text, from 0; None before the first.
    number: int | None
    markdown: str


@dataclass(slots=True)
class Sections:
    """What has been read of a text so far."""

    done: list[Section] = field(default_factory=list)
    path: list[tuple[int, str]] = field(default_factory=list)
    count: int = 0
    lines: list[str] = field(default_factory=list)

    def begin(self, level: int, title: str) -> None:
        self.end()
        while self.path and self.path[-1][0] >= level:
            self.path.pop()
        self.path.append((level, title))
        self.count += 1

    def end(self) -> None:
        headings = tuple(title for _, title in self.path)
        number = self.count - 1 if self.count else None
        self.done += [Section(headings, number, piece) for piece in pieces_of(self.lines)]
        self.lines = []


def split(markdown: str, most: int | None = None) -> list[Section]:
    """The passages of a text, in its order; a heading with nothing below it is in the path of none.

    Of more passages than `most` the first ones are given, and the others are not even read.
    """
    read = Sections()
    fence = ""
    for line in markdown.replace("\r\n", "\n").replace("\r", "\n").split("\n"):
        if most is not None and len(read.done) >= most:
            return read.done[:most]
        if fence:
            fence = "" if closes(line, fence) else fence
        elif opened := FENCE.match(line):
            fence = opened[1]
        elif found := HEADING.match(line):
            read.begin(len(found[1]), plain_heading(without_closing(line[found.end() :])))
            continue
        elif UNDERLINE.match(line) and read.lines and not NO_TITLE.match(read.lines[-1]):
            read.begin(1 if "=" in line else 2, plain_heading(read.lines.pop()))
            continue
        read.lines.append(line)
    read.end()
    return read.done[:most]


def without_closing(title: str) -> str:
    """A heading without the signs `#` that may end it (CommonMark 0.31.2, section 4.2)."""
    title = title.strip(" \t")
    opening = title.rstrip("#")
    return opening.rstrip(" \t") if not opening or opening[-1] in " \t" else title


def closes(line: str, fence: str) -> bool:
    found = FENCE.match(line)
    return found is not None and found[1].startswith(fence) and not line[found.end() :].strip()


def plain_heading(markdown: str) -> str:
    return EMPHASIS.sub("", TAG.sub("", without_links(markdown))).strip()


def without_links(markdown: str) -> str:
    """The text with what its links show, but not where they lead."""
    return LINK_TARGET.sub("", markdown)


def pieces_of(lines: list[str]) -> Iterator[str]:
    """A section whole, or cut between blocks where it is long."""
    piece: list[str] = []
    length = 0
    for block in blocks_of(lines):
        if piece and length + len(block) > LONG_PASSAGE:
            yield "\n\n".join(piece)
            piece, length = [], 0
        piece.append(block)
        length += len(block)
    if piece:
        yield "\n\n".join(piece)


def blocks_of(lines: list[str]) -> Iterator[str]:
    """What stands between blank lines; code stays whole."""
    block: list[str] = []
    length, fence = 0, ""
    for line in lines:
        if fence:
            fence = "" if closes(line, fence) else fence
        elif opened := FENCE.match(line):
            fence = opened[1]
        ends = not fence and not line.strip()
        if block and (ends or length + len(line) > LONGEST_BLOCK):
            yield "\n".join(block)
            block, length = [], 0
        for start in range(0, 0 if ends else max(1, len(line)), LONGEST_BLOCK):
            if block and length + len(line) > LONGEST_BLOCK:
                yield "\n".join(block)
                block, length = [], 0
            block.append(line[start : start + LONGEST_BLOCK])
            length += len(block[-1])
    if any(line.strip() for line in block):
        yield "\n".join(block)


class Anchors:
    """Where the headings of an article stand in its rendered text, which is read once."""

    def __init__(self, html: str) -> None:
        self.headings: list[tuple[str, str]] = SHOWN_HEADING.findall(html)
        self.numbers: dict[str, list[int]] = {}

    def of(self, section: Section) -> str | None:
        """The anchor of the section's heading: the one with its number, or the next one with its title."""
        if section.number is None:
            return None
        title = " ".join(unescape(section.headings[-1]).split())
        if section.number < len(self.headings):
            anchor, html = self.headings[section.number]
            if plain_text(html) == title:
                return anchor
        numbers = self.numbers_of(title)
        following = numbers[bisect_left(numbers, section.number) :] or numbers
        return self.headings[following[0]][0] if following else None

    def numbers_of(self, title: str) -> list[int]:
        """Read only where numbers alone do not tell, as after a heading in HTML."""
        if not self.numbers:
            for number, (_, html) in enumerate(self.headings):
                self.numbers.setdefault(plain_text(html), []).append(number)
        return self.numbers.get(title, [])


def plain_passage(markdown: str) -> str:
    """The words of a passage, a line for each of its blocks, items and rows."""
    lines = (plain_text(line) for line in BLOCK_END.split(render(markdown)))
    return "\n".join(line for line in lines if line)


def sentences_of(text: str) -> list[tuple[int, int]]:
    """Where each sentence of a plain text begins and ends."""
    found, start = [], 0
    for end in SENTENCE_END.finditer(text):
        if end.start() > start:
            found.append((start, end.start()))
        start = end.end()
    return [*found, (start, len(text))] if start < len(text) else found

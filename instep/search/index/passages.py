"""Splits an article's Markdown into passages, by headings and length, and finds their anchors."""

import re
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from html import unescape
from itertools import chain, islice

from instep.platform.core.markdown import render
from instep.platform.text.sections import TextSection, read_sections, split_into_parts
from instep.search.excerpts import TAG, plain_text, readable_text

# A longer section is split between blocks; a block above its own maximum is split inside.
MAX_PASSAGE_CHARACTERS = 1_500
MAX_BLOCK_CHARACTERS = 3_000
MARKUP = re.compile(r"[<*`_]|\]\(")
EMPHASIS = re.compile(r"[*`]++|(?<!\w)_++|(?<!_)_++(?!\w)")
RENDERED_HEADING = re.compile(r'<h[1-6] id="([^"]+)">(.*?)</h[1-6]>', re.DOTALL)
LINK_TARGET = re.compile(r"(?<=\])\([^()\s]*(?:\([^()\s]*\)[^()\s]*)*(?:\s+\"[^\"\n]*\")?\)")
CODE_OR_NOTE = re.compile(r"(<code\b[^>]*>[^<]*</code>)|\[\^[^\]\s<>]{1,50}\]")
BLOCK_END = re.compile(r"</(?:p|li|tr|h[1-6]|pre|blockquote|summary)>|<br[^>]*>")


@dataclass(frozen=True, slots=True)
class MarkdownPassage:
    """A passage of an article, in Markdown and without its headings."""

    # The headings above it, the outermost first.
    headings: tuple[str, ...]
    # The index of its innermost heading among the text's headings, from 0; `None` before the first heading.
    number: int | None
    markdown: str


def split_markdown(markdown: str, max_passages: int | None = None) -> list[MarkdownPassage]:
    """The first `max_passages` passages of a text. A heading without text below has none."""
    sections = map(passages_of, read_sections(markdown))
    return list(islice(chain.from_iterable(sections), max_passages))


def passages_of(section: TextSection) -> Iterator[MarkdownPassage]:
    headings = tuple(map(plain_heading, section.titles))
    for text in split_section(section.lines):
        yield MarkdownPassage(headings, section.number, text)


def plain_heading(markdown: str) -> str:
    plain = EMPHASIS.sub("", TAG.sub("", without_links(markdown))) if MARKUP.search(markdown) else markdown
    return plain.strip()


def without_links(markdown: str) -> str:
    """The text with the labels of its links but without their targets."""
    return LINK_TARGET.sub("", markdown) if "](" in markdown else markdown


def split_section(lines: list[str]) -> Iterator[str]:
    """The texts of the passages of a section: whole blocks up to the maximum length."""
    blocks: list[str] = []
    length = 0
    for block in split_into_parts(lines, MAX_BLOCK_CHARACTERS):
        if blocks and length + len(block) > MAX_PASSAGE_CHARACTERS:
            yield "\n\n".join(blocks)
            blocks, length = [], 0
        blocks.append(block)
        length += len(block)
    if blocks:
        yield "\n\n".join(blocks)


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
        """The indexes of the headings with a title: headings written in HTML are not numbered in Markdown."""
        if not self.numbers:
            for number, (_, html) in enumerate(self.headings):
                self.numbers.setdefault(plain_text(html), []).append(number)
        return self.numbers.get(title, [])


@dataclass(frozen=True, slots=True)
class ArticleSections:
    """The passages of an article, in its order, as sections with their anchors."""

    passages: tuple[MarkdownPassage, ...]
    anchors: Anchors

    def first_passages(self) -> list[int]:
        """The index of the first passage of each section."""
        numbers = {passage.number: at for at, passage in reversed([*enumerate(self.passages)])}
        return sorted(numbers.values())

    def text_around(self, at: int, max_characters: int) -> str:
        """The passages of a passage's section, later ones before earlier ones, up to a length."""
        heading, size = self.passages[at].number, len(self.passages[at].markdown)
        first = last = at
        for step in (1, -1):
            next_at = at + step
            while 0 <= next_at < len(self.passages) and self.passages[next_at].number == heading:
                size += len(self.passages[next_at].markdown)
                if size > max_characters:
                    break
                first, last = min(first, next_at), max(last, next_at)
                next_at += step
        return "\n\n".join(passage.markdown for passage in self.passages[first : last + 1])


def plain_passage(markdown: str) -> str:
    """The plain text of a passage, one line for each of its paragraphs, items and rows."""
    lines = (plain_text(line) for line in BLOCK_END.split(render(markdown, draws_formulas=False)))
    return "\n".join(line for line in lines if line)


def readable_passage(markdown: str) -> str:
    """A passage's text for people; footnote marks whose notes are in other passages are left out."""
    html = render(markdown, draws_formulas=False)
    return readable_text(CODE_OR_NOTE.sub(lambda part: part[1] or "", html))

"""Search hits for a new article, and which of their paragraphs can be quoted."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from instep.drafting.writer.new_articles.outline_blocks import top_level_blocks
from instep.platform.text import blocks as text_blocks
from instep.platform.text.terms import ordered_terms

# Images, markup and definitions make little sense on their own.
_NOT_PROSE = re.compile(r"<|!\[|\[\^|\[[^\[\]]++\]:")
_LINK = re.compile(r"\[([^\[\]]{1,300})\](?:\([^()\s]{0,500}(?: \"[^\"\n]{0,200}\")?\)|\[[^\[\]]{0,300}\])")
_PROSE_KINDS = frozenset(("paragraph", "list", "item"))
_MIN_CHARACTERS, _MAX_CHARACTERS = 30, 800


@dataclass(frozen=True, slots=True)
class SourcePassage:
    """A passage of a public article, and the URL of the article.

    `topic` is the searched topic; an empty one means the whole subject.
    """

    id: str
    title: str
    text: str
    url: str
    topic: str = ""


@dataclass(frozen=True, slots=True)
class Quotation:
    """A paragraph or list of a source, and the searched terms that it contains."""

    source: SourcePassage
    text: str
    shared_terms: tuple[str, ...]


def quotable(sources: Sequence[SourcePassage], subject: str, topic: str = "") -> list[Quotation]:
    """The quotable passages for a topic, in search order, best first within each source."""
    terms = dict.fromkeys(ordered_terms(subject))
    passages: list[Quotation] = []
    for source in sources:
        if source.topic == topic:
            matches = [passage for passage in _quotations_of(source, tuple(terms)) if passage.shared_terms]
            passages += sorted(matches, key=lambda passage: -len(passage.shared_terms))
    return passages


def _quotations_of(source: SourcePassage, terms: Sequence[str]) -> Iterator[Quotation]:
    for heading, text in _prose_of(source.text):
        own_terms = frozenset(ordered_terms(f"{source.title} {heading} {text}"))
        yield Quotation(source, text, tuple(term for term in terms if term in own_terms))


def _prose_of(text: str) -> Iterator[tuple[str, str]]:
    """The paragraphs and lists of a source that make sense on their own, each with the heading above it."""
    heading, parsed = "", text_blocks.read_blocks(text)
    for block, *inner_blocks in top_level_blocks(parsed.blocks):
        if block.kind == "heading":
            heading = block.text
        elif all(part.kind in _PROSE_KINDS for part in (block, *inner_blocks)):
            prose = _LINK.sub(r"\1", "\n".join(parsed.lines[block.first_line - 1 : block.last_line])).strip()
            if _MIN_CHARACTERS <= len(prose) <= _MAX_CHARACTERS and not _NOT_PROSE.search(prose):
                yield heading, prose

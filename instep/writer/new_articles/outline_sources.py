"""Search hits for a new article, and which of their paragraphs can be quoted."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from instep.text.terms import ordered_terms

_SPLIT = re.compile(r"\n[ \t]*\n")
_FENCED = re.compile(r"(?ms)^ {0,3}(`{3,}|~{3,}).*?(?:^ {0,3}\1[^\n]*$|\Z)")
_HEADING = re.compile(r" {0,3}#{1,6}[ \t]++(.*[^ \t#\n]|)[ \t#]*+$")
# Tables, quotes, pictures, markup, code and definitions make little sense on their own.
_NOT_PROSE = re.compile(r"[ \t]*[|>]|    |\t|.*(?:<|!\[|\[\^|\[[^\[\]]++\]:)")
_LINK = re.compile(r"\[([^\[\]]{1,300})\](?:\([^()\s]{0,500}(?: \"[^\"\n]{0,200}\")?\)|\[[^\[\]]{0,300}\])")
_MIN_CHARACTERS, _MAX_CHARACTERS = 30, 800


@dataclass(frozen=True, slots=True)
class Source:
    """A passage of a public article, and the URL of the article.

    `topic` is what was searched for; an empty one stands for the whole subject.
    """

    id: str
    title: str
    text: str
    url: str
    topic: str = ""


@dataclass(frozen=True, slots=True)
class Quotation:
    """A paragraph or list of a source, and the terms that it shares with what was searched for."""

    source: Source
    text: str
    shared_terms: tuple[str, ...]


def quotable(sources: Sequence[Source], subject: str, topic: str = "") -> list[Quotation]:
    """The passages for a topic that can be quoted: in the order of the search, best first in each source."""
    terms = dict.fromkeys(ordered_terms(subject))
    passages: list[Quotation] = []
    for source in sources:
        if source.topic == topic:
            matches = [passage for passage in _quotations_of(source, tuple(terms)) if passage.shared_terms]
            passages += sorted(matches, key=lambda passage: -len(passage.shared_terms))
    return passages


def _quotations_of(source: Source, terms: Sequence[str]) -> Iterator[Quotation]:
    for heading, text in _prose_of(source.text):
        own_terms = frozenset(ordered_terms(f"{source.title} {heading} {text}"))
        yield Quotation(source, text, tuple(term for term in terms if term in own_terms))


def _prose_of(text: str) -> Iterator[tuple[str, str]]:
    """The paragraphs and lists of a source that make sense on their own, each with the heading above it."""
    heading = ""
    for block in _SPLIT.split(_FENCED.sub("\n\n", text.replace("\r\n", "\n"))):
        lines = block.strip("\n").split("\n")
        while lines and (match := _HEADING.match(lines[0])):
            heading, lines = match[1], lines[1:]
        prose = _LINK.sub(r"\1", "\n".join(lines)).rstrip()
        if _MIN_CHARACTERS <= len(prose) <= _MAX_CHARACTERS and not _needs_context(prose):
            yield heading, prose


def _needs_context(prose: str) -> bool:
    return any(_NOT_PROSE.match(line) for line in prose.split("\n"))

"""What a search has found in the articles for a new one, and which paragraphs of it can be quoted."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from instep.core.terms import ordered_terms

_SPLIT = re.compile(r"\n[ \t]*\n")
_FENCED = re.compile(r"(?ms)^ {0,3}(`{3,}|~{3,}).*?(?:^ {0,3}\1[^\n]*$|\Z)")
_HEADING = re.compile(r" {0,3}#{1,6}[ \t]++(.*[^ \t#\n]|)[ \t#]*+$")
# Tables, quotes, pictures, markup, code and definitions say little apart from what they stand in.
_NOT_PROSE = re.compile(r"[ \t]*[|>]|    |\t|.*(?:<|!\[|\[\^|\[[^\[\]]++\]:)")
_LINK = re.compile(r"\[([^\[\]]{1,300})\](?:\([^()\s]{0,500}(?: \"[^\"\n]{0,200}\")?\)|\[[^\[\]]{0,300}\])")
_SHORTEST, _LONGEST = 30, 800


@dataclass(frozen=True, slots=True)
class Source:
    """A passage of an article that everybody may read, and its address.

    `topic` is what it was found for; where it is empty, that is the whole subject.
    """

    id: str
    title: str
    text: str
    url: str
    topic: str = ""


@dataclass(frozen=True, slots=True)
class Passage:
    """A paragraph or list of a source, and the words that it shares with what the source was found for."""

    source: Source
    text: str
    shared_terms: tuple[str, ...]


def quotable(sources: Sequence[Source], subject: str, topic: str = "") -> list[Passage]:
    """What can be quoted of what was found for a topic, in the order of the search, and its nearest first."""
    wanted = dict.fromkeys(ordered_terms(subject))
    found: list[Passage] = []
    for source in sources:
        if source.topic == topic:
            bearing = [one for one in _passages_of(source, tuple(wanted)) if one.shared_terms]
            found += sorted(bearing, key=lambda one: -len(one.shared_terms))
    return found


def _passages_of(source: Source, wanted: Sequence[str]) -> Iterator[Passage]:
    for heading, text in _prose_of(source.text):
        terms = frozenset(ordered_terms(f"{source.title} {heading} {text}"))
        yield Passage(source, text, tuple(term for term in wanted if term in terms))


def _prose_of(text: str) -> Iterator[tuple[str, str]]:
    """The paragraphs and lists of a source that can stand alone, each with the heading over it."""
    heading = ""
    for block in _SPLIT.split(_FENCED.sub("\n\n", text.replace("\r\n", "\n"))):
        lines = block.strip("\n").split("\n")
        while lines and (found := _HEADING.match(lines[0])):
            heading, lines = found[1], lines[1:]
        prose = _LINK.sub(r"\1", "\n".join(lines)).rstrip()
        if _SHORTEST <= len(prose) <= _LONGEST and not _is_odd(prose):
            yield heading, prose


def _is_odd(prose: str) -> bool:
    return any(_NOT_PROSE.match(line) for line in prose.split("\n"))

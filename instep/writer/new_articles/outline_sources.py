"""Which passages of the articles bear on a subject: how much of its words they cover, weighed by rarity."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import log

from instep.writer.words.terms import terms_of

_SPLIT = re.compile(r"\n[ \t]*\n")
_FENCED = re.compile(r"(?ms)^ {0,3}(`{3,}|~{3,}).*?(?:^ {0,3}\1[^\n]*$|\Z)")
_HEADING = re.compile(r" {0,3}#{1,6}[ \t]+(.*?)[ \t#]*$")
# Tables, quotes, pictures, markup, code and definitions say little apart from what they stand in.
_NOT_PROSE = re.compile(r"[ \t]*[|>]|    |\t|.*(?:<|!\[|\[\^|\[[^\]]+\]:)")
_LINK = re.compile(r"\[([^\[\]]{1,300})\](?:\([^()\s]{0,500}(?: \"[^\"\n]{0,200}\")?\)|\[[^\[\]]{0,300}\])")
_SHORTEST, _LONGEST = 30, 800
_NOISE_WORDS = """
    how what why where your you my we our they them their do does should must please up out back get make new
    all any more other own which who than then so
"""
_NOISE = frozenset(_NOISE_WORDS.split())
# A word that no article holds says little against one that holds the others.
_UNKNOWN_WEIGHT, _NAMED_WEIGHT = 0.4, 0.5
_TITLE_WEIGHT, _MOST_TERMS = 3.0, 10
_BEARING = 0.3


@dataclass(frozen=True, slots=True)
class Source:
    """An article that everybody may read, and its address."""

    id: str
    title: str
    text: str
    url: str


@dataclass(frozen=True, slots=True)
class Passage:
    """A paragraph or list of an article, how much of the subject it covers, and by which words.

    `named` is how much of it the article's title says alone.
    """

    source: Source
    text: str
    covered: float
    named: float
    shared: tuple[str, ...]

    @property
    def score(self) -> float:
        return self.covered + _NAMED_WEIGHT * self.named


class Sources:
    """The passages of all articles, to be asked by subject."""

    def __init__(self, sources: Sequence[Source]) -> None:
        self._passages: list[tuple[Source, str]] = []
        self._holders: dict[str, list[int]] = defaultdict(list)
        self._titles = {source.id: frozenset(terms_of(source.title)) for source in sources}
        held: Counter[str] = Counter()
        for source in sources:
            held.update(self._read(source))
        total = len(sources)
        self._rarity = {term: log(1 + (total - n + 0.5) / (n + 0.5)) for term, n in held.items()}
        self._unknown = _UNKNOWN_WEIGHT * log(1 + (total + 0.5) / 0.5)

    def _read(self, source: Source) -> set[str]:
        """Take in the passages of an article; the terms that it holds."""
        held = set(self._titles[source.id])
        for heading, text in _prose_of(source.text):
            terms = terms_of(f"{source.title} {heading} {text}").keys()
            for term in terms:
                self._holders[term].append(len(self._passages))
            self._passages.append((source, text))
            held |= terms
        return held

    def bearing_on(self, title: str, more: str = "", *, is_searched: bool = False) -> list[Passage]:
        """Passages that bear on a subject, the one that covers most of it first.

        What a search has found for the subject bears on it with one word of it.
        """
        wanted = self._wanted(title, more)
        shared: dict[int, list[str]] = defaultdict(list)
        for term in sorted(wanted, key=lambda term: (-wanted[term], term)):
            for at in self._holders.get(term, ()):
                shared[at].append(term)
        least = 1 if is_searched else min(2, len(wanted))
        found = [self._passage(wanted, at, terms) for at, terms in shared.items() if len(terms) >= least]
        bearing = [one for one in found if is_searched or one.score >= _BEARING]
        return sorted(bearing, key=lambda one: (-one.score, one.source.id, one.text))

    def _passage(self, wanted: Mapping[str, float], at: int, shared: Sequence[str]) -> Passage:
        source, text = self._passages[at]
        whole = sum(wanted.values())
        covered = sum(wanted[term] for term in shared)
        named = sum(wanted[term] for term in shared if term in self._titles[source.id])
        return Passage(source, text, covered / whole, named / whole, tuple(shared))

    def _wanted(self, title: str, more: str) -> dict[str, float]:
        named = {term: _TITLE_WEIGHT * self._weight(term) for term in _telling(title)}
        rest = [term for term in _telling(more) if term in self._rarity and term not in named]
        rest.sort(key=lambda term: (-self._weight(term), term))
        return named | {term: self._weight(term) for term in rest[:_MOST_TERMS]}

    def _weight(self, term: str) -> float:
        return self._rarity.get(term, self._unknown)


def _telling(text: str) -> list[str]:
    return [term for term in terms_of(text) if term not in _NOISE]


def _prose_of(text: str) -> Iterator[tuple[str, str]]:
    """The paragraphs and lists of an article that can stand alone, each with the heading over it."""
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

"""How much an edit has to do with a change: the cosine between their terms, rare ones weighing most."""

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cached_property, lru_cache
from math import log, sqrt

from instep.drafting.writer.words.change_terms import change_terms
from instep.platform.core import limits

_TITLE_WEIGHT = 3


class Relatedness:
    """`title` has what names the change: its title and paths. `lines` are the texts that it changes."""

    def __init__(self, title: str, lines: str, articles: Sequence[str]) -> None:
        self._title, self._lines, self._articles = title, lines, articles

    @cached_property
    def _article_frequency(self) -> Mapping[str, int]:
        frequency: Counter[str] = Counter()
        for text in self._articles:
            frequency.update(_distinct_terms(text))
        return frequency

    @cached_property
    def _weights(self) -> Mapping[str, float]:
        """The weight of each term of the change: more for many occurrences, and for rare terms."""
        counts = change_terms(self._lines)
        for term, count in change_terms(self._title).items():
            counts[term] += _TITLE_WEIGHT * count
        return {term: sqrt(count) * self._rarity(term) for term, count in counts.items()}

    @cached_property
    def _length(self) -> float:
        return sqrt(sum(weight * weight for weight in self._weights.values())) or 1.0

    def _rarity(self, term: str) -> float:
        return max(0.0, log((len(self._articles) + 1) / (self._article_frequency.get(term, 0) + 0.5)))

    def of(self, text: str) -> float:
        """From 0, for a text without a term of the change, to 1."""
        rarities = {term: self._rarity(term) for term in change_terms(text)}
        length = sqrt(sum(rarity * rarity for rarity in rarities.values()))
        product = sum(rarity * self._weights.get(term, 0.0) for term, rarity in rarities.items())
        return product / (length * self._length) if length else 0.0


@lru_cache(maxsize=limits.MAX_WRITER_ARTICLES)
def _distinct_terms(text: str) -> frozenset[str]:
    return frozenset(change_terms(text))

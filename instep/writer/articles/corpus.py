"""The articles as the writer sees them: their words, and how rare a word is among them."""

import re
from collections import defaultdict
from functools import lru_cache
from math import log

from instep.writer.shapes import Article
from instep.writer.words.identifiers import TOKEN

_WORD = re.compile(r"\w+")


@lru_cache(maxsize=1_024)
def _words_in(text: str) -> frozenset[str]:
    """Words of an article, kept because one article is read for change after change."""
    return frozenset(TOKEN.findall(text)) | frozenset(_WORD.findall(text))


@lru_cache(maxsize=4)
def corpus_of(articles: tuple[Article, ...]) -> "Corpus":
    """The same articles are read for change after change."""
    return Corpus(articles)


class Corpus:
    def __init__(self, articles: tuple[Article, ...]) -> None:
        self.articles = articles
        self._postings: dict[str, set[int]] = defaultdict(set)
        for place, article in enumerate(self.articles):
            for word in _words_in(article.text) | _words_in(article.title):
                self._postings[word].add(place)

    def articles_with(self, text: str) -> list[Article]:
        """Articles that hold each word of a text, in their order."""
        holders = sorted((self._postings.get(word, set()) for word in set(_WORD.findall(text))), key=len)
        found = set.intersection(*holders) if holders else set()
        return [self.articles[place] for place in sorted(found)]

    def document_frequency(self, word: str) -> int:
        """In how many articles a word stands."""
        return len(self._postings.get(word, ()))

    def total_idf(self, text: str) -> float:
        """How much a text tells: the rarity of its words, each counted once."""
        return sum(max(0.0, self._idf(word)) for word in dict.fromkeys(_WORD.findall(text)))

    def _idf(self, word: str) -> float:
        return log((len(self.articles) + 1) / (self.document_frequency(word) + 0.5))

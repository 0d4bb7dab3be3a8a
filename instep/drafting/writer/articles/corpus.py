"""The articles of a help center, with an index of their words."""

import re
from collections import defaultdict
from functools import lru_cache
from math import log

from instep.drafting.writer.shapes import Article
from instep.drafting.writer.words.identifiers import TOKEN
from instep.platform.core import limits

_WORD = re.compile(r"\w+")


@lru_cache(maxsize=2 * limits.MAX_WRITER_ARTICLES)
def _words_in(text: str) -> frozenset[str]:
    """The words of an article, cached because one article is read for many changes."""
    return frozenset(TOKEN.findall(text)) | frozenset(_WORD.findall(text))


# One entry: each change to a large help center has its own articles, and the words of 2,000 take 100 MB.
@lru_cache(maxsize=1)
def corpus_of(articles: tuple[Article, ...]) -> "Corpus":
    """The corpus of these articles, cached because the same articles are read for many changes."""
    return Corpus(articles)


class Corpus:
    def __init__(self, articles: tuple[Article, ...]) -> None:
        self.articles = articles
        self._postings: dict[str, set[int]] = defaultdict(set)
        for index, article in enumerate(self.articles):
            for word in _words_in(article.text) | _words_in(article.title):
                self._postings[word].add(index)

    def articles_with(self, text: str) -> list[Article]:
        """Articles that contain every word of a text, in their order."""
        postings = sorted((self._postings.get(word, set()) for word in set(_WORD.findall(text))), key=len)
        common = set.intersection(*postings) if postings else set()
        return [self.articles[index] for index in sorted(common)]

    def document_frequency(self, word: str) -> int:
        """The number of articles that contain a word."""
        return len(self._postings.get(word, ()))

    def total_idf(self, text: str) -> float:
        """The sum of the IDF of the words of a text, each counted once."""
        return sum(max(0.0, self._idf(word)) for word in dict.fromkeys(_WORD.findall(text)))

    def _idf(self, word: str) -> float:
        return log((len(self.articles) + 1) / (self.document_frequency(word) + 0.5))

"""The baseline of sureness in one line: the share of a question's rare words that the best passage has."""

import re
from collections.abc import Sequence
from math import log
from typing import Any

WORD = re.compile(r"\w+")


class RareWordCoverage:
    """The articles of a help center as sets of words: whole ones for rarity, paragraphs for coverage."""

    def __init__(self, articles: Sequence[dict[str, Any]]) -> None:
        self.documents = [words_of(f"{row['title']} {row['text']}") for row in articles]
        self.passages = [
            words_of(f"{row['title']} {paragraph}")
            for row in articles
            for paragraph in row["text"].split("\n\n")
        ]

    def coverage(self, question: str) -> float:
        weights = {word: self.rarity(word) for word in words_of(question)}
        total = sum(weights.values()) or 1.0
        return (
            max(sum(weights[word] for word in weights.keys() & passage) for passage in self.passages) / total
        )

    def rarity(self, word: str) -> float:
        return log((len(self.documents) + 1) / (sum(word in document for document in self.documents) + 0.5))


def words_of(text: str) -> frozenset[str]:
    return frozenset(WORD.findall(text.lower()))

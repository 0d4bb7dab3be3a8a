"""Matches passages with one question: their matching words, and the sentence with most of them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import chain

from instep.search.index.stems import Stems, index_term
from instep.search.query.proximity import Match, TermWeights, overlap
from instep.search.query.tokenizer import tokenize
from instep.search.schemas import Passage

MAX_CACHED_TOKENS = 20_000
# The relation of each word of a text to a question: a match, nothing, or a stop word, which has no position.
Matches = list[Match]


@dataclass(slots=True)
class FoundPassage:
    """A passage that an index finds for a question, with its words and which of them match."""

    passage: Passage
    # Its words in lower case, grouped by sentence, and the start and end of each sentence in its text.
    spans: list[tuple[int, int]]
    title_words: list[str]
    heading_words: list[str]
    sentence_words: list[list[str]]
    # The words of the article's description above an introduction without a match of its own; else empty.
    introduction_words: list[str]
    title: Matches = field(default_factory=list)
    text: Matches = field(default_factory=list)
    # Start and end, in characters of its text, of the sentence with most of the question's words.
    best: tuple[int, int] = (0, 0)

    @property
    def words(self) -> Iterator[str]:
        return chain(self.title_words, self.heading_words, *self.sentence_words, self.introduction_words)


class Matcher:
    """The matches of words with the terms of a question."""

    def __init__(self, weights: TermWeights, stems: Mapping[str, Stems]) -> None:
        self.weights = weights
        self.stems = stems
        self.by_word: dict[str, Match] = {}

    def match(self, word: str) -> Match:
        """The terms that a word matches, each with its weight; `None` for a stop word."""
        if word not in self.by_word:
            index_terms = [
                index_term(config, stem) for config, by_word in self.stems.items() if (stem := by_word[word])
            ]
            matching = tuple(self.weights[term] for term in index_terms if term in self.weights)
            self.by_word[word] = matching if index_terms else None
        return self.by_word[word]

    def index_terms(self, words: Sequence[str]) -> list[list[str]]:
        """The index terms of each word in the bot's languages; a stop word has none."""
        return [
            [index_term(config, stem) for config, by_word in self.stems.items() if (stem := by_word[word])]
            for word in words
        ]

    def matches(self, words: Sequence[str]) -> Matches:
        by_word = self.by_word
        return [by_word[word] if word in by_word else self.match(word) for word in words]

    def read(self, passage: FoundPassage) -> None:
        """Add the matches of a passage."""
        sentences = [self.matches(words) for words in passage.sentence_words]
        passage.title = self.matches(passage.title_words)
        passage.text = [*self.matches(passage.heading_words), *chain.from_iterable(sentences)]
        if sentences:
            passage.best = passage.spans[max(range(len(sentences)), key=lambda at: overlap(sentences[at]))]

    @property
    def word_matches(self) -> dict[str, tuple[tuple[str, float], ...]]:
        """The matches of the words that were read and match the question."""
        return {word: match for word, match in self.by_word.items() if match}


def words_of_text(text: str) -> list[str]:
    return [word for token in text.split() for word in words_of_token(token)]


@lru_cache(MAX_CACHED_TOKENS)
def words_of_token(token: str) -> tuple[str, ...]:
    """The words of a token, cached because texts repeat their tokens."""
    return tuple(word for words in tokenize(token) for word in words)

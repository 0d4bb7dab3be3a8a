"""Reads passages for one question: which of their words match it, and in which sentence most of them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from instep.platform.text.sentences import sentence_spans
from instep.search.index.stems import Stems, index_term
from instep.search.query.proximity import Match, TermWeights, overlap
from instep.search.query.tokenizer import tokenize

MAX_CACHED_TOKENS = 20_000
# What a word of a text is to a question: a match, nothing, or a stop word, which has no place in the text.
Matches = list[Match]


@dataclass(frozen=True, slots=True)
class PassageText:
    """The words of a passage in lower case, its sentences apart."""

    title: list[str]
    headings: list[str]
    plain: str
    spans: list[tuple[int, int]]
    sentences: list[list[str]]

    @property
    def words(self) -> Iterator[str]:
        yield from self.title
        yield from self.headings
        for sentence in self.sentences:
            yield from sentence


@dataclass(frozen=True, slots=True)
class PassageMatches:
    """The matches of a passage with a question."""

    article_id: str
    plain: str
    title: Matches
    text: Matches
    # Start and end, in characters of `plain`, of the sentence that has most of the question.
    best: tuple[int, int]


def read_text(title: str, headings: Sequence[str], plain: str) -> PassageText:
    spans = sentence_spans(plain, at_line_breaks=True)
    sentences = [words_of_text(plain[start:end]) for start, end in spans]
    return PassageText(words_of_text(title), words_of_text(" ".join(headings)), plain, spans, sentences)


class Matcher:
    """The matches of words with the terms of a question."""

    def __init__(self, weights: TermWeights, stems: Mapping[str, Stems]) -> None:
        self.weights = weights
        self.stems = stems
        self.by_word: dict[str, Match] = {}

    def match(self, word: str) -> Match:
        """The terms that a word stands for, each with its weight; `None` for a stop word."""
        if word not in self.by_word:
            index_terms = [
                index_term(config, stem) for config, by_word in self.stems.items() if (stem := by_word[word])
            ]
            matching = tuple(self.weights[term] for term in index_terms if term in self.weights)
            self.by_word[word] = matching if index_terms else None
        return self.by_word[word]

    def index_terms(self, words: Sequence[str]) -> list[list[str]]:
        """For each word its index terms in the bot's languages; a stop word has none."""
        return [
            [index_term(config, stem) for config, by_word in self.stems.items() if (stem := by_word[word])]
            for word in words
        ]

    def matches(self, words: Sequence[str]) -> Matches:
        by_word = self.by_word
        return [by_word[word] if word in by_word else self.match(word) for word in words]

    def read(self, article_id: str, text: PassageText) -> PassageMatches:
        sentences = [self.matches(words) for words in text.sentences]
        best = max(range(len(sentences)), key=lambda at: overlap(sentences[at]), default=None)
        return PassageMatches(
            article_id,
            text.plain,
            self.matches(text.title),
            [*self.matches(text.headings), *(match for sentence in sentences for match in sentence)],
            (0, 0) if best is None else text.spans[best],
        )

    @property
    def word_matches(self) -> dict[str, tuple[tuple[str, float], ...]]:
        """The matches of the words that were read and match the question."""
        return {word: match for word, match in self.by_word.items() if match}


def words_of_text(text: str) -> list[str]:
    return [word for token in text.split() for word in words_of_token(token)]


@lru_cache(MAX_CACHED_TOKENS)
def words_of_token(token: str) -> tuple[str, ...]:
    """Cached, because texts repeat their tokens."""
    return tuple(word for words in tokenize(token) for word in words)

"""Marks the words of a text that match a search."""

import re
import unicodedata
from collections.abc import Collection, Iterator, Mapping
from itertools import pairwise

from instep.search.query.tokenizer import CAMEL_CASE_BOUNDARY, PUNCTUATION, UNSEGMENTED_RUN, tokenize

# A piece of a text, and whether it matches.
Highlighted = tuple[str, bool]
RUN = re.compile(rf"[^\s{PUNCTUATION}]+")
# A match with less than this share of the weight of its word's best match in a text, such as a synonym's, is
# not the reason why the text was found.
MIN_SHARE_OF_WEIGHT = 0.5


def highlight(text: str, words: Collection[str]) -> list[Highlighted]:
    """The text in pieces. `words` are in lower case; in scripts without spaces they are pairs of letters."""
    pieces: list[Highlighted] = []
    end = 0
    for span_start, span_end in merge_spans(matching_spans(text, words)):
        pieces += [(text[end:span_start], False), (text[span_start:span_end], True)]
        end = span_end
    return [piece for piece in (*pieces, (text[end:], False)) if piece[0]]


def best_matches(text: str, matches: Mapping[str, Collection[tuple[str, float]]]) -> set[str]:
    """The words of the text to mark: a word of the question itself or, if the text has none, its synonyms.

    `matches`: for each lower-case word of a text, the question's words that it matches, with weights.
    """
    words = {word for token in text.split() for words in tokenize(token) for word in words}
    best: dict[str, float] = {}
    for word in words:
        for question_word, weight in matches.get(word, ()):
            best[question_word] = max(weight, best.get(question_word, 0.0))
    return {
        word
        for word in words
        if any(
            weight >= best[question_word] * MIN_SHARE_OF_WEIGHT
            for question_word, weight in matches.get(word, ())
        )
    }


def matching_spans(text: str, words: Collection[str]) -> Iterator[tuple[int, int]]:
    for run in RUN.finditer(text):
        offset = run.start()
        for part in UNSEGMENTED_RUN.split(run[0]):
            spans = bigram_spans if UNSEGMENTED_RUN.fullmatch(part) else camel_case_spans
            yield from ((offset + start, offset + end) for start, end in spans(part, words))
            offset += len(part)


def bigram_spans(run: str, words: Collection[str]) -> Iterator[tuple[int, int]]:
    """The spans of a run that are among the words: the whole run, and its pairs of characters."""
    if run in words:
        yield 0, len(run)
    for start, pair in enumerate(pairwise(run)):
        if "".join(pair) in words:
            yield start, start + 2


def camel_case_spans(run: str, words: Collection[str]) -> Iterator[tuple[int, int]]:
    start = 0
    for word in CAMEL_CASE_BOUNDARY.split(run):
        if unicodedata.normalize("NFKC", word).lower() in words:
            yield start, start + len(word)
        start += len(word)


def merge_spans(spans: Iterator[tuple[int, int]]) -> list[tuple[int, int]]:
    """The spans, sorted by start, with touching ones merged."""
    merged: list[tuple[int, int]] = []
    for start, end in spans:
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged

"""Which words of a text are those that were looked for, as a page marks them."""

import re
import unicodedata
from collections.abc import Collection, Iterator
from itertools import pairwise

from instep.search.query.tokens import CAMEL_CASE_BOUNDARY, PUNCTUATION, UNSEGMENTED_RUN

# A piece of a text, and whether it is marked.
Marked = tuple[str, bool]
RUN = re.compile(rf"[^\s{PUNCTUATION}]+")


def highlight(text: str, words: Collection[str]) -> list[Marked]:
    """The text in pieces; words are in small letters, in scripts without blanks pairs of letters."""
    pieces: list[Marked] = []
    end = 0
    for start, stop in merge_spans(spans_of(text, words)):
        pieces += [(text[end:start], False), (text[start:stop], True)]
        end = stop
    return [piece for piece in (*pieces, (text[end:], False)) if piece[0]]


def spans_of(text: str, words: Collection[str]) -> Iterator[tuple[int, int]]:
    for run in RUN.finditer(text):
        at = run.start()
        for part in UNSEGMENTED_RUN.split(run[0]):
            spans = bigram_spans if UNSEGMENTED_RUN.fullmatch(part) else camel_case_spans
            yield from ((at + start, at + end) for start, end in spans(part, words))
            at += len(part)


def bigram_spans(run: str, words: Collection[str]) -> Iterator[tuple[int, int]]:
    """One letter alone is a word where it is all that was looked for."""
    if run in words:
        yield 0, len(run)
    for at, pair in enumerate(pairwise(run)):
        if "".join(pair) in words:
            yield at, at + 2


def camel_case_spans(run: str, words: Collection[str]) -> Iterator[tuple[int, int]]:
    at = 0
    for word in CAMEL_CASE_BOUNDARY.split(run):
        if unicodedata.normalize("NFKC", word).lower() in words:
            yield at, at + len(word)
        at += len(word)


def merge_spans(spans: Iterator[tuple[int, int]]) -> list[tuple[int, int]]:
    """Those that touch as one."""
    found: list[tuple[int, int]] = []
    for start, end in spans:
        if found and start <= found[-1][1]:
            found[-1] = (found[-1][0], max(end, found[-1][1]))
        else:
            found.append((start, end))
    return found

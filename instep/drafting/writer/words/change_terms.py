"""Search terms of a text: stems of words, and names both whole and in parts."""

import re
from collections import Counter
from collections.abc import Iterable
from functools import lru_cache

from instep.drafting.writer.words.identifiers import parts_of
from instep.platform.text.terms import stop_words

_WORD = re.compile(r"[A-Za-z_]\w*(?:-\w+)*|\d+(?:\.\d+)*|[^\W\d_]+")
_STOP_WORDS = stop_words("change_query")
_ENDINGS = ("ing", "ies", "es", "ed", "s")


def change_terms(text: str) -> "Counter[str]":
    return Counter(sequence_of(text))


def words_for(terms: Iterable[str], text: str) -> list[str]:
    """The words of a text that have the terms, in the order of the terms."""
    words: dict[str, str] = {}
    for word in _WORD.findall(text):
        for term in _terms(word):
            words.setdefault(term, word.lower() if word.istitle() else word)
    return list(dict.fromkeys(words[term] for term in terms if term in words))


def sequence_of(text: str) -> list[str]:
    """The terms in their order; a name comes before its parts."""
    return [term for word in _WORD.findall(text) for term in _terms(word)]


@lru_cache(maxsize=50_000)
def _terms(word: str) -> tuple[str, ...]:
    parts = parts_of(word)
    terms = [word.lower(), *map(_stem, parts)] if len(parts) > 1 else [_stem(word.lower())]
    return tuple(term for term in terms if len(term) > 1 and term not in _STOP_WORDS)


def _stem(word: str) -> str:
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 4:
            return word[: -len(ending)]
    return word

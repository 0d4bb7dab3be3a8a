"""Frequencies of words in a language, independent of the help center's topic.

A help center of three articles can't tell a rare word from a common one. The files contain the frequencies of
the most common words of seven languages, from wordfreq by Robyn Speer and others (CC BY-SA 4.0, see
the LICENSE next to them); `python -m scripts.word_frequencies` writes them.
"""

import gzip
from collections.abc import Iterable
from functools import cache
from math import exp
from pathlib import Path

from instep.search.index.stems import SITE_LANGUAGES
from instep.search.query.tokenizer import UNSEGMENTED_RUN

FOLDER = Path(__file__).parent / "word_frequencies"
LANGUAGES = ("ar", "de", "en", "es", "fr", "ja", "pt")
# The length of a typical article: a word of frequency `f` is in `1 - exp(-f * WORDS_OF_ARTICLE)` of them.
WORDS_OF_ARTICLE = 250


@cache
def frequencies(language: str) -> dict[str, float]:
    """The frequency of each common word of a language, read once at first use."""
    table: dict[str, float] = {}
    for line in gzip.decompress((FOLDER / f"{language}.txt.gz").read_bytes()).decode().split("\n"):
        level, *words = line.split(" ")
        table.update(dict.fromkeys(words, 10 ** (-int(level) / 10)))
    return table


def is_common(word: str, configs: Iterable[str]) -> bool:
    """True if a word is among the most common ones of a language."""
    return any(word in frequencies(language) for language in languages_of(configs))


def languages_of(configs: Iterable[str]) -> set[str]:
    """The languages with frequencies; a configuration without stems may be that of any language."""
    return {SITE_LANGUAGES[config] for config in configs if config in SITE_LANGUAGES and config != "simple"}


def share_of_articles(word: str, configs: Iterable[str]) -> float:
    """The share of typical articles (0 to 1) with a word, in the language where it is most common."""
    languages = languages_of(configs)
    if UNSEGMENTED_RUN.match(word):
        languages.add("ja")
    frequency = max((frequencies(language).get(word, 0.0) for language in languages), default=0.0)
    return 1 - exp(-frequency * WORDS_OF_ARTICLE)

"""The words of a text in any script, and its content words as terms: without case, endings, stop words."""

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise
from typing import Literal

from instep.platform.core import limits
from instep.platform.text.characters import UNSEGMENTED_SCRIPTS, is_word_character

UNSEGMENTED_CHARACTER = re.compile(f"[{UNSEGMENTED_SCRIPTS}]")
RUN = re.compile(f"[{UNSEGMENTED_SCRIPTS}]+|[^\\s{UNSEGMENTED_SCRIPTS}]+")
StopWordUse = Literal["text", "search_query", "question_key", "change_query", "grounding"]

# `text`: words in most sentences, whatever their topic.
# `search_query`, `question_key`: words in questions that say little about the answer, in addition to those
# that PostgreSQL's dictionary drops. The second list is short, because it decides which questions are equal.
# `change_query`: words of commit messages. `grounding`: words that a model may use without a source.
_ENGLISH: dict[StopWordUse, str] = {
    "text": """
        a about after all also am an and any are as at be because been before being both but by can could did
        do does doing done each either for from get gets got had has have having he her here him his how
        however i if in into is it its itself just let like made make makes many may me might more most much
        must my need needs new of on once one only onto or other our out over own per please same see shall
        she should since so some such than that the their them then there these they this those through thus
        to too under until up upon us use used uses using very via want was way we well were what when where
        whether which while who whom whose why will with within would you your yours
    """,
    "search_query": """
        able anybody anyone anything anyway anywhere ask available away best better cannot could different
        directly easy easily else ever everybody everyone everything exactly exist find get give go going
        good got happen have help hello hi instead keep kind know let like look lot make many maybe may
        might must need nice one only option otherwise people perhaps person please possible possibly
        properly reason right say see seem set shall simple simply somebody somehow someone something
        sometimes somewhere sort still sure take tell thank thanks thing think tried try unable use used
        user using want way will wish without wonder work would wrong yes yet
    """,
    "question_key": "please want need find get help possible way would could like",
    "change_query": """
        a an the of to in on for and or is are be with by from as at this that it its if not no into when can
        will fix feat chore add use update support closes refs issue
    """,
    "grounding": """
        about access add after all allow allowed also among an and another any are as assign at automatically
        available be become becomes been before being both but by call can choose click complete could default
        define did do does each either else enter every example first for from get gets give given go had has
        have here how if in inside instead into is it its just keep let lets like look may more most must name
        need needed new next no not note now of off on once one only open optionally or other our out over own
        pass per please press put read run same see select sent set sets should single so some
        specify start starting still such than that the their them themselves then there these they this those
        through to too turn two type under until up us use used uses using value very via was we well were
        what when where which while who whole why will with within without would write yet you your
    """,
}
STOP_WORDS: dict[str, dict[StopWordUse, frozenset[str]]] = {
    "en": {use: frozenset(words.split()) for use, words in _ENGLISH.items()}
}
ENDINGS = ("ings", "ing", "ies", "ied", "es", "ed", "er", "s", "e", "y")
MIN_STEM_CHARACTERS = 3
_TEXT_STOP_WORDS = STOP_WORDS["en"]["text"]
# In ASCII this finds the same words as `words_in`, much faster.
_ASCII_WORD = re.compile("[a-z0-9]+")
_CAMEL_CASE_BOUNDARY = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


def words_in(text: str) -> Iterator[str]:
    """The words in order and in their own case; for scripts without spaces, pairs of characters."""
    for run in RUN.findall("".join(char if is_word_character(char) else " " for char in text)):
        if UNSEGMENTED_CHARACTER.match(run):
            yield from bigrams(run)
        else:
            yield run[: limits.MAX_TERM_CHARACTERS]


def bigrams(run: str) -> list[str]:
    """Adjacent pairs of characters, the units of a script without spaces; or a single character."""
    return [first + second for first, second in pairwise(run)] or [run]


def stop_words(use: StopWordUse, language: str = "en") -> frozenset[str]:
    """The stop words of a language (ISO 639) for one use; empty for a language without a list."""
    return STOP_WORDS.get(language, {}).get(use, frozenset())


@lru_cache(maxsize=2_000)
def terms_of(text: str) -> frozenset[str]:
    """The distinct terms of a text."""
    return frozenset(ordered_terms(text))


def ordered_terms(text: str) -> list[str]:
    """The terms of a text in their order, with repetitions."""
    lower = _CAMEL_CASE_BOUNDARY.sub(" ", text).casefold()
    words = _ASCII_WORD.findall(lower) if lower.isascii() else words_in(lower)
    return [stem(word) for word in words if is_content_word(word)]


def is_content_word(word: str) -> bool:
    """True if a word is neither a stop word nor a single letter; a single Chinese character is a word."""
    return word not in _TEXT_STOP_WORDS and (
        len(word) > 1 or word.isdigit() or UNSEGMENTED_CHARACTER.match(word) is not None
    )


@lru_cache(maxsize=50_000)
def stem(word: str) -> str:
    """An English word without the first of its endings that leaves a stem; "displays" ends like "display"."""
    if not word.isascii() or word.isdigit():
        return word
    for ending in ENDINGS:
        is_long_enough = word.endswith(ending) and len(word) - len(ending) >= MIN_STEM_CHARACTERS
        if is_long_enough and not (ending == "y" and word[-2] in "aeou"):
            return word[: -len(ending)]
    return word

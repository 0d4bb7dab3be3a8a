"""The words of a text that tell something: without case and endings; pairs of signs without blanks."""

import re
from functools import lru_cache

from instep.core.words import IS_UNSPACED, words_of

# What most sentences hold, whatever they say.
_EMPTY_WORDS = """
    a about after all also am an and any are as at be because been before being both but by can could did do
    does doing done each either for from get gets got had has have having he her here him his how however i if
    in into is it its itself just let like made make makes many may me might more most much must my need needs
    new of on once one only onto or other our out over own per please same see shall she should since so some
    such than that the their them then there these they this those through thus to too under until up upon us
    use used uses using very via want was way we well were what when where whether which while who whom whose
    why will with within would you your yours
"""
EMPTY = frozenset(_EMPTY_WORDS.split())
_ENDINGS = ("ings", "ing", "ies", "ied", "es", "ed", "er", "s", "e", "y")
_SHORTEST_STEM = 3
# The same words as for other texts, found in a fraction of the time.
_PLAIN = re.compile("[a-z0-9]+")
_BREAKS = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


@lru_cache(maxsize=2_000)
def terms_of(text: str) -> frozenset[str]:
    """The different words that tell something."""
    return frozenset(ordered_terms(text))


def ordered_terms(text: str) -> list[str]:
    """The same in their order."""
    small = _BREAKS.sub(" ", text).casefold()
    words = _PLAIN.findall(small) if small.isascii() else words_of(small)
    return [stem(word) for word in words if tells(word)]


def tells(word: str) -> bool:
    return word not in EMPTY and (len(word) > 1 or word.isdigit() or IS_UNSPACED.match(word) is not None)


@lru_cache(maxsize=50_000)
def stem(word: str) -> str:
    if not word.isascii() or word.isdigit():
        return word
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _SHORTEST_STEM:
            return word[: -len(ending)]
    return word

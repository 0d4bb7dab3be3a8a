"""The words of a text in any script, for comparing questions and articles."""

import re
from collections.abc import Iterator
from itertools import pairwise

from instep.platform.core import limits
from instep.platform.text.characters import UNSEGMENTED_SCRIPTS, is_word_character

UNSEGMENTED_CHARACTER = re.compile(f"[{UNSEGMENTED_SCRIPTS}]")
RUN = re.compile(f"[{UNSEGMENTED_SCRIPTS}]+|[^\\s{UNSEGMENTED_SCRIPTS}]+")


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

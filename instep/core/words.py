"""The words of a text in any script, as questions and articles are compared by them."""

import re
import unicodedata
from collections.abc import Iterator

from instep.core import limits

# Scripts that write no blanks between words, and Korean, whose words carry their endings: pairs of signs.
UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u2e80-\u9fff\uac00-\ud7ff\U00020000-\U0003ffff"
)
RUN = re.compile(f"[{UNSPACED}]+|[^\\s{UNSPACED}]+")
IS_UNSPACED = re.compile(f"[{UNSPACED}]")


def words_of(text: str) -> Iterator[str]:
    for run in RUN.findall("".join(sign if is_of_word(sign) else " " for sign in text)):
        if not IS_UNSPACED.match(run) or len(run) == 1:
            yield run[: limits.MAX_TERM_CHARACTERS]
        else:
            yield from (run[place : place + 2] for place in range(len(run) - 1))


def is_of_word(sign: str) -> bool:
    """Marks are a part of their letter: without its vowel signs a Hindi or Thai word is another one."""
    return sign.isalnum() or unicodedata.category(sign) in ("Mn", "Mc")

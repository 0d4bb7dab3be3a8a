"""Words, numbers and signs of a text, with their places."""

import re
from typing import NamedTuple

# A version or decimal is one token, and so is a name with its underscores; signs stand alone.
TOKEN = re.compile(r"v?\d+(?:\.\d+)+|\w+|[^\w\s]")
_HUMPS = re.compile(r"[A-Z]+(?![a-z])|[A-Z][a-z]+|[a-z]+|\d+|[^\W\da-zA-Z_]+")


class Token(NamedTuple):
    text: str
    start: int
    end: int


def tokens_of(text: str) -> list[Token]:
    return [Token(found[0], found.start(), found.end()) for found in TOKEN.finditer(text)]


def parts_of(name: str) -> list[str]:
    """The words a name is made of: `pageSize`, `PAGE_SIZE` and `page-size` are all page, size."""
    return [part.lower() for part in _HUMPS.findall(name)]

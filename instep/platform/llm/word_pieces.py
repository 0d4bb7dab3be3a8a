"""Splits texts into the word pieces of BERT, the tokens of small English embedding models.

Hand-written because the equivalent library depends on a model-registry client. Tests compare them.
"""

import string
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, groupby
from pathlib import Path

MAX_WORD_CHARACTERS = 100
MAX_CACHED_WORDS = 20_000
ASCII_SIGNS = frozenset(string.punctuation)
UNKNOWN, BEGIN, END = "[UNK]", "[CLS]", "[SEP]"
CONTROLS = frozenset(("Cc", "Cf", "Co"))
# Each ideograph is a separate word.
IDEOGRAPHS = ("CJK UNIFIED", "CJK COMPATIBILITY IDEOGRAPH")


@dataclass(frozen=True, slots=True)
class WordPieces:
    """A vocabulary: the number of each piece; one that continues a word begins with `##`."""

    numbers: dict[str, int]

    @classmethod
    def read(cls, path: Path) -> "WordPieces":
        return cls({piece: number for number, piece in enumerate(path.read_text().splitlines())})

    def encode(self, text: str, max_tokens: int) -> list[int]:
        """The numbers of a text's pieces, of its beginning if it is long, between start and end markers."""
        pieces: list[int] = []
        for word in words_of(text):
            pieces += pieces_of(self, word)
            if len(pieces) >= max_tokens - 2:
                break
        return [self.numbers[BEGIN], *pieces[: max_tokens - 2], self.numbers[END]]

    def __hash__(self) -> int:
        return id(self)


@lru_cache(MAX_CACHED_WORDS)
def pieces_of(vocabulary: WordPieces, word: str) -> tuple[int, ...]:
    """The longest piece that begins a word, then that of the rest, and so on; or "unknown"."""
    numbers = vocabulary.numbers
    if len(word) > MAX_WORD_CHARACTERS:
        return (numbers[UNKNOWN],)
    pieces: list[int] = []
    start = 0
    while start < len(word):
        prefix = "##" if start else ""
        ends = range(len(word), start, -1)
        end = next((end for end in ends if prefix + word[start:end] in numbers), None)
        if end is None:
            return (numbers[UNKNOWN],)
        pieces.append(numbers[prefix + word[start:end]])
        start = end
    return tuple(pieces)


def words_of(text: str) -> Iterator[str]:
    """The words of a text in lower case and without accents; each punctuation mark is a word."""
    cleaned = "".join(map(clean_character, text))
    stripped = "".join(
        character
        for character in unicodedata.normalize("NFD", cleaned)
        if unicodedata.category(character) != "Mn"
    )
    return chain.from_iterable(map(split_punctuation, stripped.lower().split()))


@lru_cache(4_096)
def clean_character(character: str) -> str:
    """A space for any white space, an ideograph between spaces, nothing for a control character."""
    if character in "\t\n\r":
        return " "
    if character in "\0\ufffd" or unicodedata.category(character) in CONTROLS:
        return ""
    if character.isspace():
        return " "
    return f" {character} " if unicodedata.name(character, "").startswith(IDEOGRAPHS) else character


def split_punctuation(word: str) -> Iterator[str]:
    for is_mark, run in groupby(word, is_punctuation):
        part = "".join(run)
        yield from part if is_mark else [part]


@lru_cache(4_096)
def is_punctuation(character: str) -> bool:
    """True for punctuation, including ASCII characters that Unicode counts as symbols."""
    return character in ASCII_SIGNS or unicodedata.category(character).startswith("P")

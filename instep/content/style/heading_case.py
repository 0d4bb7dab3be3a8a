"""Headings in sentence case or in title case; names keep their capital letters."""

import re
from collections.abc import Collection

from instep.content.style.schemas import HeadingCase
from instep.platform.text.prose_blocks import CODE_MASK

LETTERS = re.compile(r"[^\W\d_]+(?:['\u2019][^\W\d_]+)*")
PIECE_OF_HEADING = re.compile(rf"{LETTERS.pattern}|\S")
# A heading has a second beginning after these characters: “Plans: what they include”.
BEGINNINGS = frozenset(".:?!\u2013\u2014")
# Characters that join a word to a name of code, a path or an address.
NAME_JOINERS = frozenset("./\\@_")
# Words that English titles don't capitalize inside.
SMALL_WORDS = {
    *("a", "an", "and", "as", "at", "but", "by", "for", "from", "if", "in", "into", "nor", "of", "off", "on"),
    *("or", "per", "so", "the", "to", "up", "via", "vs", "with", "yet"),
}


def with_case(title: str, case: HeadingCase, names: Collection[str]) -> str:
    """The heading in this case; `names` and words with capital letters inside stay as they are."""
    pieces = list(PIECE_OF_HEADING.finditer(title))
    last_start = max((piece.start() for piece in pieces if piece[0][0].isalpha()), default=0)
    parts, position, begins = [], 0, True
    for piece in pieces:
        word = piece[0]
        if not word[0].isalpha():
            # A quote or a bracket before the first word does not begin the heading.
            begins = word in BEGINNINGS or (begins and not word.isalnum() and word != CODE_MASK)
            continue
        if not is_fixed(word, names) and not is_joined(title, piece.start(), piece.end()):
            is_edge = begins or piece.start() == last_start
            parts += [title[position : piece.start()], cased_word(word, case, begins=begins, is_edge=is_edge)]
            position = piece.end()
        begins = False
    return "".join((*parts, title[position:]))


def is_fixed(word: str, names: Collection[str]) -> bool:
    """True for names, single letters, and words such as API and macOS."""
    return word in names or len(word) == 1 or word[1:] != word[1:].lower()


def is_joined(title: str, start: int, end: int) -> bool:
    return title[start - 1 : start] in NAME_JOINERS or (
        title[end : end + 1] in NAME_JOINERS and title[end + 1 : end + 2].isalnum()
    )


def cased_word(word: str, case: HeadingCase, *, begins: bool, is_edge: bool) -> str:
    """A word of a heading; the first word keeps its form in sentence case, as it may be a name."""
    if case == "sentence":
        return word if begins else word.lower()
    is_small = word.lower() in SMALL_WORDS and not is_edge
    return word.lower() if is_small else word[0].upper() + word[1:]

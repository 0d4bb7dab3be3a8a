"""What is kept of a text that was looked through: its problems, and what is compared with other articles."""

import re
import unicodedata
import zlib
from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from instep.core import limits
from instep.insights.checks_text import TEXT_CHECKS, Text
from instep.insights.problems import Problem, run
from instep.insights.structure import Structure, read_structure
from instep.text.characters import UNSEGMENTED_SCRIPTS

WORD = re.compile(f"[{UNSEGMENTED_SCRIPTS}]|[^\\W_{UNSEGMENTED_SCRIPTS}]+")
SHINGLE_WORDS = 5
MINHASH_BINS = 64
EMPTY = 0xFFFFFFFF


@dataclass(frozen=True, slots=True)
class TextAnalysis:
    """What a text is by itself; `minhash` tells how much of it another text shares."""

    problems: tuple[Problem, ...]
    links: tuple[tuple[int, str], ...] = ()
    anchors: frozenset[str] = frozenset()
    minhash: bytes = b""
    is_partial: bool = False

    @property
    def size(self) -> int:
        """About how many bytes it takes."""
        words = sum(len(href) for _, href in self.links) + sum(map(len, self.anchors))
        parts = len(self.links) + len(self.anchors) + 2 * len(self.problems)
        return 600 + words + 120 * parts


TOO_COMPLEX = Problem(
    "too_complex", "warning", "This text takes too long to look through: make its nesting simpler.", None
)
NOT_ANALYZED = TextAnalysis((TOO_COMPLEX,), is_partial=True)


def analyze_text(title: str | None, content: str) -> TextAnalysis:
    """Look through one text: time and memory grow with its length, as far as the renderer's do."""
    structure = read_structure(content)
    return TextAnalysis(
        tuple(run(TEXT_CHECKS, Text(title, content, structure))),
        links_of(structure),
        frozenset(structure.anchors),
        minhash_of(words for _, words in structure.prose),
    )


def analyze_texts(texts: Sequence[tuple[str | None, str]]) -> list[TextAnalysis]:
    return [analyze_text(title, content) for title, content in texts]


def links_of(structure: Structure) -> tuple[tuple[int, str], ...]:
    kept = [
        (link.line, link.href)
        for link in structure.links
        if link.href
        and len(link.href) <= limits.MAX_SOURCE_URL_CHARACTERS
        and not link.href.startswith("mailto:")
    ]
    return tuple(kept[: limits.MAX_LINKS_CHECKED])


def minhash_of(pieces: Iterable[str]) -> bytes:
    """The smallest hash of five words in a row in each of 64 bins; none where there is too little to compare.

    The share of bins that are equal in two texts is about the share of what they have in common.
    """
    words = WORD.findall(unicodedata.normalize("NFKC", " ".join(pieces)).casefold())
    if len(words) < limits.MIN_COMPARED_WORDS:
        return b""
    bins = [EMPTY] * MINHASH_BINS
    for place in range(len(words) - SHINGLE_WORDS + 1):
        value = zlib.crc32(" ".join(words[place : place + SHINGLE_WORDS]).encode("utf-8", "replace"))
        number = value % MINHASH_BINS
        bins[number] = min(bins[number], value)
    return array("I", bins).tobytes()


def jaccard_estimate(one: bytes, other: bytes) -> float:
    """The share of two sketches that is equal, from 0 to 1."""
    bins = zip(array("I", one), array("I", other), strict=True)
    pairs = [pair for pair in bins if pair != (EMPTY, EMPTY)]
    return sum(mine == theirs for mine, theirs in pairs) / len(pairs)

"""The analysis of a text: its problems, and its data for comparisons with other articles."""

import re
import unicodedata
import zlib
from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from instep.content.style.schemas import Style
from instep.content.style.style_checks import Violation, check_style
from instep.platform.core import limits
from instep.platform.text.characters import UNSEGMENTED_SCRIPTS
from instep.visitors.insights.health.checks_text import TEXT_CHECKS, CheckedText
from instep.visitors.insights.health.problems import Problem, run_checks
from instep.visitors.insights.health.structure import Structure, read_structure

WORD = re.compile(f"[{UNSEGMENTED_SCRIPTS}]|[^\\W_{UNSEGMENTED_SCRIPTS}]+")
SHINGLE_WORDS = 5
MINHASH_BINS = 64
# The value of a bin that no shingle fell into.
EMPTY_BIN = 0xFFFFFFFF


@dataclass(frozen=True, slots=True)
class TextAnalysis:
    """The data that the checks need about one text.

    `links` are lines, from 1, and addresses. `minhash` is a uint32[64] in native byte order: the signature of
    `minhash_of`, empty for a short text. `is_partial` says that the text could not be analyzed.
    """

    problems: tuple[Problem, ...]
    links: tuple[tuple[int, str], ...] = ()
    anchors: frozenset[str] = frozenset()
    minhash: bytes = b""
    is_partial: bool = False

    @property
    def size(self) -> int:
        """Its approximate size in memory, in bytes."""
        characters = sum(len(href) for _, href in self.links) + sum(map(len, self.anchors))
        parts = len(self.links) + len(self.anchors) + 2 * len(self.problems)
        return 600 + characters + 120 * parts


TOO_COMPLEX = Problem(
    "too_complex", "warning", "This text takes too long to check: simplify its nesting.", None
)
NOT_ANALYZED = TextAnalysis((TOO_COMPLEX,), is_partial=True)


class AnalyzedText(NamedTuple):
    """A text in Markdown; `title` is None for one that does not belong to an article yet."""

    title: str | None
    content: str
    locale: str = "en"


def analyze_text(
    title: str | None, content: str, locale: str = "en", style: Style | None = None
) -> TextAnalysis:
    """Analyze one text; besides the renderer's, time and memory grow linearly with its length."""
    structure = read_structure(content)
    problems = run_checks(TEXT_CHECKS, CheckedText(title, content, structure))
    violations = check_style(content, style, locale) if style is not None else []
    return TextAnalysis(
        (*problems, *map(problem_of_style, violations[: limits.MAX_REPORTED_PROBLEMS_PER_CODE])),
        links_of(structure),
        frozenset(structure.anchors),
        minhash_of(words for _, words in structure.prose),
    )


def problem_of_style(violation: Violation) -> Problem:
    return Problem("style", "info", f"{violation.message} (Style: {violation.rule})", violation.line)


def analyze_texts(texts: Sequence[AnalyzedText], style: Style) -> list[TextAnalysis]:
    return [analyze_text(*text, style) for text in texts]


def links_of(structure: Structure) -> tuple[tuple[int, str], ...]:
    links = [
        (link.line, link.href)
        for link in structure.links
        if link.href
        and len(link.href) <= limits.MAX_SOURCE_URL_CHARACTERS
        and not link.href.startswith("mailto:")
    ]
    return tuple(links[: limits.MAX_LINKS_CHECKED])


def minhash_of(pieces: Iterable[str]) -> bytes:
    """The one-permutation MinHash signature of a text: the smallest shingle hash in each of 64 bins.

    A shingle is five words in a row. The share of equal bins of two texts estimates the Jaccard similarity of
    their shingles. A text with too few words has no signature.
    """
    words = WORD.findall(unicodedata.normalize("NFKC", " ".join(pieces)).casefold())
    if len(words) < limits.MIN_COMPARED_WORDS:
        return b""
    bins = [EMPTY_BIN] * MINHASH_BINS
    for start in range(len(words) - SHINGLE_WORDS + 1):
        value = zlib.crc32(" ".join(words[start : start + SHINGLE_WORDS]).encode("utf-8", "replace"))
        number = value % MINHASH_BINS
        bins[number] = min(bins[number], value)
    return array("I", bins).tobytes()


def jaccard_estimate(left: bytes, right: bytes) -> float:
    """The estimated Jaccard similarity of two texts, from 0 to 1, by their signatures."""
    bins = zip(array("I", left), array("I", right), strict=True)
    pairs = [pair for pair in bins if pair != (EMPTY_BIN, EMPTY_BIN)]
    return sum(a == b for a, b in pairs) / len(pairs)

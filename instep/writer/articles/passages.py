"""The sentence, row, line or heading of an article around a place in it."""

import re
from bisect import bisect_right
from functools import lru_cache

_HEADING = re.compile(r"(?m)^#{1,6}[ \t]+(.+)$|^(\S.*)\n([=\-~#*^\"'`+])\3{2,}[ \t]*$")
_STOP = re.compile(r"[.!?;][ \t\n]|\n[ \t]*(?:\n|[-*+|#>]|\d+[.)] |:)")
_CODE = re.compile(r"(?:    |\t|[|>])")
# Bounded where a text without line breaks or with nothing else would make them quadratic.
_URL = re.compile(
    r"\b[a-z][a-z0-9+.-]{0,20}://[^\s<>\"'`)\]]+"
    r"|\]\((?!#)[^)\s]{1,500}\)"
    r"|(?:href|src)=[\"'][^\"'\n]*[\"']"
    r"|^[ \t]*\[[^\]\n]+\]:[ \t]*\S+",
    re.MULTILINE,
)
_CODE_SPAN = re.compile(r"(?ms:^[ \t]*(```|~~~).*?^[ \t]*\1)|``?[^`\n]+`|(?m:^(?: {4}|\t).*$)")
_REACH = 400


def sentence_around(text: str, start: int, end: int) -> tuple[int, int]:
    """The bounds of the sentence, table row or line of code that holds a span."""
    line_start = text.rfind("\n", 0, start) + 1
    line_end = text.find("\n", end)
    line_end = len(text) if line_end < 0 else line_end
    if _CODE.match(text, line_start):
        return line_start, line_end
    low, high = max(0, start - _REACH), min(len(text), end + _REACH)
    first = max((found.end() for found in _STOP.finditer(text, low, start)), default=low)
    last = _STOP.search(text, end, high)
    return min(first, start), last.start() + 1 if last else high


@lru_cache(maxsize=256)
def headings(text: str) -> tuple[tuple[int, str], ...]:
    return tuple((found.start(), found[1] or found[2]) for found in _HEADING.finditer(text))


def heading_over(text: str, place: int) -> str:
    """The heading of the section that a place is in."""
    known = headings(text)
    at = bisect_right(known, (place, "\U0010ffff"))
    return known[at - 1][1] if at else ""


@lru_cache(maxsize=64)
def _code_spans(text: str) -> tuple[tuple[int, int], ...]:
    return tuple(found.span() for found in _CODE_SPAN.finditer(text))


def is_in_code(text: str, place: int) -> bool:
    return _is_inside(_code_spans(text), place, len(text))


@lru_cache(maxsize=64)
def _url_spans(text: str) -> tuple[tuple[int, int], ...]:
    return tuple(found.span() for found in _URL.finditer(text))


def is_in_url(text: str, place: int) -> bool:
    return _is_inside(_url_spans(text), place, len(text))


def _is_inside(spans: tuple[tuple[int, int], ...], place: int, size: int) -> bool:
    at = bisect_right(spans, (place, size))
    return bool(at) and spans[at - 1][1] > place


def line_of(text: str, place: int) -> int:
    return text.count("\n", 0, place) + 1

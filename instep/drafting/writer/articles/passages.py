"""The sentence, row or line of an article around an offset, and whether that is code or a URL."""

import re
from bisect import bisect_right
from functools import lru_cache

from instep.drafting.writer.articles.parsed_article import parse_article

_STOP = re.compile(r"[.!?;][ \t\n]|\n[ \t]*(?:\n|[-*+|#>]|\d+[.)] |:)")
_CODE = re.compile(r"(?:    |\t|[|>])")
# The repetitions are bounded, because some texts would take quadratic time.
_URL = re.compile(
    r"\b[a-z][a-z0-9+.-]{0,20}://[^\s<>\"'`)\]]+"
    r"|\]\((?!#)[^)\s]{1,500}\)"
    r"|(?:href|src)=[\"'][^\"'\n]*[\"']"
    r"|^[ \t]*\[[^\]\n]+\]:[ \t]*\S+",
    re.MULTILINE,
)
_CODE_SPAN = re.compile(r"``?[^`\n]+`|(?m:^(?: {4}|\t).*$)")
_BLANK_LINES = re.compile(r"\n{2,}")
_INFO = re.compile(r"\s*[`~]{3,}\s*\{?\.?([\w#+-]*)")
_ITEM = re.compile(r"[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]")
_MAX_SENTENCE_CHARACTERS = 400
_MAX_LEAD_CHARACTERS = 200


def sentence_around(text: str, start: int, end: int) -> tuple[int, int]:
    """The bounds of the sentence, table row or line of code that contains a span."""
    line_start = text.rfind("\n", 0, start) + 1
    line_end = text.find("\n", end)
    line_end = len(text) if line_end < 0 else line_end
    if _CODE.match(text, line_start) or is_in_example(text, start):
        return line_start, line_end
    low, high = max(0, start - _MAX_SENTENCE_CHARACTERS), min(len(text), end + _MAX_SENTENCE_CHARACTERS)
    first = max((match.end() for match in _STOP.finditer(text, low, start)), default=low)
    last = _STOP.search(text, end, high)
    return min(first, start), last.start() + 1 if last else high


def lead_over(text: str, start: int) -> str:
    """The topic of a sentence: the beginning of its item, the defined term, the header of a table."""
    line_start = text.rfind("\n", 0, start) + 1
    if text.startswith("|", line_start):
        starts = _paragraph_starts(text)
        head = starts[bisect_right(starts, line_start) - 1]
        return text[head : min(text.find("\n", head), head + _MAX_LEAD_CHARACTERS)]
    if text.startswith(":", line_start):
        first = text.rfind("\n", 0, max(0, line_start - 1)) + 1
    elif _ITEM.match(text, line_start):
        first = line_start
    else:
        return ""
    return text[first : min(start, first + _MAX_LEAD_CHARACTERS)]


@lru_cache(maxsize=64)
def _paragraph_starts(text: str) -> tuple[int, ...]:
    return (0, *(match.end() for match in _BLANK_LINES.finditer(text)))


@lru_cache(maxsize=64)
def _code_spans(text: str) -> tuple[tuple[int, int], ...]:
    """Inline code, indented lines and fenced code, in order; fenced code line by line."""
    spans = [(line.start, line.end) for line in parse_article(text).lines if line.in_code]
    return tuple(sorted([*spans, *(match.span() for match in _CODE_SPAN.finditer(text))]))


def is_in_code(text: str, offset: int) -> bool:
    return _is_inside(_code_spans(text), offset, len(text))


def fence_at(text: str, offset: int) -> str | None:
    """The word after the fence of the example at an offset; None outside of examples."""
    examples = _examples(text)
    index = bisect_right(examples, (offset, len(text), "")) - 1
    return examples[index][2] if index >= 0 and examples[index][1] > offset else None


@lru_cache(maxsize=64)
def _examples(text: str) -> tuple[tuple[int, int, str], ...]:
    """The span of each fenced example, and the word after its fence."""
    article = parse_article(text)
    examples = []
    for block in article.blocks:
        if block.kind == "code" and block.marker:
            first, last = article.lines[block.first_line - 1], article.lines[block.last_line - 1]
            info = _INFO.match(first.text)
            examples.append((first.start, last.end, info[1] if info else ""))
    return tuple(sorted(examples))


def is_in_example(text: str, offset: int) -> bool:
    return is_in_code(text, offset) and fence_at(text, offset) is not None


@lru_cache(maxsize=64)
def _url_spans(text: str) -> tuple[tuple[int, int], ...]:
    return tuple(match.span() for match in _URL.finditer(text))


def is_in_url(text: str, offset: int) -> bool:
    return _is_inside(_url_spans(text), offset, len(text))


def _is_inside(spans: tuple[tuple[int, int], ...], offset: int, size: int) -> bool:
    at = bisect_right(spans, (offset, size))
    return bool(at) and spans[at - 1][1] > offset


def line_of(text: str, offset: int) -> int:
    return text.count("\n", 0, offset) + 1

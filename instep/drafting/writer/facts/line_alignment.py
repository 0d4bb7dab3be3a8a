"""Pairs each removed line with the added line that replaces it."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise, takewhile

from instep.drafting.writer.words.identifiers import TOKEN
from instep.platform.text.file_kinds import LONG_LINE
from instep.platform.text.patch import FilePatch, Line

_MAX_CELLS = 2_500
_MIN_SIMILARITY = 0.4
# The weight of letters relative to tokens: they decide between lines that share equally many tokens.
_TIE_SHARE = 0.001
_MAX_ARGUMENTS = 8
_FLAG = re.compile(r"\s*[\"']--[a-z][\w-]+[\"'],\s*")
# A line of prose in a comment or a long string, and the lower-case start of one that continues a sentence.
_PROSE = re.compile(r"[\s*#/]*(?P<text>[A-Za-z][^<>{}=;|]*)")
_CONTINUATION = re.compile(r"[\s*#/]*[a-z](?![\w.-]*\s*:)[^<>{}=;|]*$")
_MIN_WRAPPED_CHARACTERS, _MIN_WRAPPED_WORDS = 40, 6


@dataclass(frozen=True, slots=True)
class LinePair:
    """Two versions of a line, and the line before the new one, or the flag whose argument it is."""

    old: Line
    new: Line
    before: str = ""


def pairs_of(file: FilePatch) -> Iterator[LinePair]:
    """Line pairs of every block of a file, in order."""
    for hunk in file.hunks:
        texts = [line.text for line in hunk.lines if line.mark != "-"]
        first = next((line.new for line in hunk.lines if line.mark != "-"), 0)
        for removed, added in hunk.blocks():
            is_rewrapped = len(removed) != len(added)
            old_lines, new_lines = (_readable(side, is_rewrapped=is_rewrapped) for side in (removed, added))
            for old, new in _paired(old_lines, new_lines):
                yield LinePair(old, new, _line_before(texts[: new.new - first]))


def _line_before(texts: Sequence[str]) -> str:
    """The last line or, for further arguments of a call, the flag that the call defines."""
    for text in reversed(texts[-_MAX_ARGUMENTS:]):
        if _FLAG.fullmatch(text):
            return text
        if not text.rstrip().endswith(","):
            break
    return texts[-1] if texts else ""


def _readable(lines: Sequence[Line], *, is_rewrapped: bool) -> list[Line]:
    """The lines that are not too long, without wrapped prose if it may be wrapped in other places now."""
    continued = {
        index + step
        for index, (line, following) in enumerate(pairwise(lines))
        if is_rewrapped and _continues(line.text, following.text)
        for step in (0, 1)
    }
    return [
        line for index, line in enumerate(lines) if len(line.text) <= LONG_LINE and index not in continued
    ]


def _continues(before: str, text: str) -> bool:
    """True if the second line continues a sentence of prose of the first one."""
    prose = _PROSE.fullmatch(before) if len(before) <= LONG_LINE else None
    return (
        prose is not None
        and len(prose["text"]) >= _MIN_WRAPPED_CHARACTERS
        and len(prose["text"].split()) >= _MIN_WRAPPED_WORDS
        and not prose["text"].rstrip().endswith((".", "!", "?", ":"))
        and _CONTINUATION.match(text) is not None
    )


def _paired(removed: list[Line], added: list[Line]) -> Iterator[tuple[Line, Line]]:
    if not removed or not added:
        return
    if len(removed) == len(added) == 1:
        yield removed[0], added[0]
    elif len(removed) * len(added) <= _MAX_CELLS:
        yield from _aligned(removed, added)


def _similarity(old: "Counter[str]", new: "Counter[str]") -> float:
    total = old.total() + new.total()
    if 2 * min(old.total(), new.total()) < _MIN_SIMILARITY * total:
        return 0.0
    shared = sum(min(old[token], new[token]) for token in old.keys() & new.keys())
    return 2 * shared / total if total else 0.0


def _aligned(removed: list[Line], added: list[Line]) -> Iterator[tuple[Line, Line]]:
    """The monotonic pairing with the greatest total similarity, by dynamic programming."""
    olds = [Counter(TOKEN.findall(line.text)) for line in removed]
    news = [Counter(TOKEN.findall(line.text)) for line in added]
    similarities = [
        [
            _similarity(old, new) + _TIE_SHARE * _affix_share(removed[i].text, added[j].text)
            for j, new in enumerate(news)
        ]
        for i, old in enumerate(olds)
    ]
    best = [[0.0] * (len(news) + 1) for _ in range(len(olds) + 1)]
    for i in range(len(olds) - 1, -1, -1):
        row, below = best[i], best[i + 1]
        for j in range(len(news) - 1, -1, -1):
            matched = similarities[i][j] + below[j + 1] if similarities[i][j] >= _MIN_SIMILARITY else 0.0
            row[j] = max(matched, below[j], row[j + 1])
    i = j = 0
    while i < len(olds) and j < len(news):
        if best[i][j] == best[i + 1][j]:
            i += 1
        elif best[i][j] == best[i][j + 1]:
            j += 1
        else:
            yield removed[i], added[j]
            i, j = i + 1, j + 1


def shared_length(left: Sequence[str], right: Sequence[str]) -> int:
    """The number of tokens or characters in the common prefix."""
    shared = takewhile(lambda pair: pair[0] == pair[1], zip(left, right, strict=False))
    return sum(1 for _ in shared)


def _affix_share(old: str, new: str) -> float:
    """The share of characters in the common prefix and suffix: `Canceled` is nearer to `Cancelled`."""
    shared = shared_length(old, new) + shared_length(old[::-1], new[::-1])
    return min(1.0, shared / max(len(old), len(new), 1))

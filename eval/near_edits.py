"""Whether people made an edit, word for word or nearly."""

from collections import Counter
from functools import lru_cache

_NEAR = 0.6


def is_right_edit(before: str, after: str, start: int, end: int, new: str) -> bool:
    """True if people took out the lines of a span, and put in the new ones, or lines that are near them.

    `start` and `end` are offsets in `before`. A near line says the new text, too.
    """
    first, last = before.rfind("\n", 0, start) + 1, before.find("\n", end)
    last = len(before) if last < 0 else last
    old_lines = _stripped(before[first:last])
    new_lines = _stripped(before[first:start] + new + before[end:last])
    is_exact, is_near = _compare(before, after, old_lines, new_lines)
    return is_exact or (is_near and any(new in line for line in _differences(before, after)[1]))


def _stripped(text: str) -> tuple[str, ...]:
    return tuple(line.strip() for line in text.splitlines() if line.strip())


def _compare(before: str, after: str, old: tuple[str, ...], new: tuple[str, ...]) -> tuple[bool, bool]:
    """Whether the edit is what people did word for word, and if it is near."""
    removed, added = _differences(before, after)
    lines_out, lines_in = Counter(old) - Counter(new), Counter(new) - Counter(old)
    if not all(line in removed for line in lines_out):
        return False, False
    is_exact = all(line in added for line in lines_in)
    return is_exact, is_exact or all(_is_near(line, before, added) for line in lines_in)


@lru_cache(maxsize=64)
def _differences(before: str, after: str) -> tuple[frozenset[str], frozenset[str]]:
    old, new = Counter(_stripped(before)), Counter(_stripped(after))
    return frozenset(old - new), frozenset(new - old)


def _is_near(line: str, before: str, added: frozenset[str]) -> bool:
    nearest = max((_similarity(line, other) for other in added), default=0.0)
    if nearest < _NEAR:
        return False
    return nearest >= max((_similarity(line, other) for other in set(_stripped(before))), default=0.0)


def _similarity(left: str, right: str) -> float:
    """1 - Levenshtein distance in words / words of the longer one."""
    a, b = left.casefold().split(), right.casefold().split()
    longest = max(len(a), len(b), 1)
    if abs(len(a) - len(b)) > longest * (1 - _NEAR):
        return 0.0
    row = list(range(len(b) + 1))
    for i, word in enumerate(a, 1):
        previous, row[0] = row[0], i
        for j, other in enumerate(b, 1):
            previous, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, previous + (word != other))
    return 1 - row[-1] / longest

"""Restores the line endings of a text from a form: browsers normalize them, a stored text may mix several."""

import re
from collections.abc import Iterator

from patiencediff import PatienceSequenceMatcher

LINE_END = re.compile(r"\r\n|\r|\n")
# Maximum number of lines with mixed line endings to compare, from the first changed one to the
# last. If there are more, a new line gets the ending of the previous line.
MAX_COMPARED_LINES = 5_000


def with_line_ends_of(base: str, sent: str) -> str:
    """The sent text with the line endings of the text that it is based on.

    Common lines keep theirs, so an unchanged text stays the same byte for byte; a new line ends like the one
    before it.
    """
    base_lines, sent_lines = LINE_END.split(base), LINE_END.split(sent)
    if base_lines == sent_lines:
        return base
    ends = LINE_END.findall(base)
    if len(set(ends)) <= 1:
        return (ends[0] if ends else "\n").join(sent_lines)
    known_ends = {
        theirs: ends[ours] for ours, theirs in same_places(base_lines, sent_lines) if ours < len(ends)
    }
    text, end = "", ends[0]
    for number, line in enumerate(sent_lines[:-1]):
        end = known_ends.get(number, end)
        text += line + end
    return text + sent_lines[-1]


def value_in_field(base: str, sent: str) -> str:
    """A value from a single-line field, which drops the line endings of its initial value."""
    return base if LINE_END.sub("", base) == sent else sent


def same_places(before: list[str], after: list[str]) -> Iterator[tuple[int, int]]:
    """The numbers, from 0, of lines in both texts, and of those that replaced another."""
    start = common_length(before, after)
    end = common_length(before[start:][::-1], after[start:][::-1])
    middle = before[start : len(before) - end], after[start : len(after) - end]
    ours, theirs = 0, 0
    blocks = [*same_blocks(*middle, start), (len(before) - end, len(after) - end, end)]
    for our_start, their_start, length in [(0, 0, start), *blocks]:
        yield from zip(range(ours, our_start), range(theirs, their_start), strict=False)
        ours, theirs = our_start + length, their_start + length
        yield from zip(range(our_start, ours), range(their_start, theirs), strict=True)


def same_blocks(before: list[str], after: list[str], offset: int) -> list[tuple[int, int, int]]:
    """Starts and lengths of the runs of equal lines in both texts."""
    if max(len(before), len(after)) > MAX_COMPARED_LINES:
        return []
    blocks = PatienceSequenceMatcher(None, before, after).get_matching_blocks()
    return [(offset + ours, offset + theirs, length) for ours, theirs, length in blocks]


def common_length(before: list[str], after: list[str]) -> int:
    """The number of equal lines at the beginning of both texts."""
    pairs = enumerate(zip(before, after, strict=False))
    return next((number for number, (ours, theirs) in pairs if ours != theirs), min(len(before), len(after)))

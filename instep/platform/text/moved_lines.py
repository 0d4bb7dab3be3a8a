"""Finds where the lines of a text are in another version of it."""

from dataclasses import dataclass, field

from patiencediff import PatienceSequenceMatcher

from instep.platform.core import limits
from instep.platform.core.sandbox import TimeLimitExceeded, is_short, run_bounded
from instep.platform.text.diff import split_lines


@dataclass(frozen=True, slots=True)
class MovedLines:
    """Where the lines of a text, from 1, are in another one.

    `moved` has the lines that both texts share, `replaced` others with the line that stands in their place,
    and `added` the lines of the other text that this one lacks.
    """

    moved: dict[int, int] = field(default_factory=dict)
    replaced: dict[int, int] = field(default_factory=dict)
    added: list[int] = field(default_factory=list)

    def place_of(self, line: int | None) -> int | None:
        """Where a line is now, or what stands in its place; None if nothing does."""
        return None if line is None else self.moved.get(line, self.replaced.get(line))


async def moved_lines(before: str, after: str) -> MovedLines:
    """A comparison that exceeds `MAX_DIFF_SECONDS` says that every line was replaced."""
    is_small = is_short(before, after)
    try:
        return await run_bounded(
            moved_lines_now, before, after, seconds=limits.MAX_DIFF_SECONDS, is_small=is_small
        )
    except TimeLimitExceeded:
        return MovedLines(added=list(range(1, len(split_lines(after)) + 1)))


def moved_lines_now(before: str, after: str) -> MovedLines:
    matcher = PatienceSequenceMatcher(None, split_lines(before), split_lines(after))
    lines = MovedLines()
    for kind, start, end, new_start, new_end in matcher.get_opcodes():
        if kind == "equal":
            lines.moved.update(zip(range(start + 1, end + 1), range(new_start + 1, new_end + 1), strict=True))
            continue
        lines.added.extend(range(new_start + 1, new_end + 1))
        if kind == "replace":
            lines.replaced.update(
                {line + 1: min(new_start + line - start + 1, new_end) for line in range(start, end)}
            )
    return lines

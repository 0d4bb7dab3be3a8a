"""Finds the lines of a text in another version of it."""

from dataclasses import dataclass, field

from patiencediff import PatienceSequenceMatcher

from instep.platform.core import limits
from instep.platform.core.sandbox import TimeLimitExceeded, is_short, run_bounded
from instep.platform.text.diff import split_lines


@dataclass(frozen=True, slots=True)
class MovedLines:
    """The positions of a text's lines, from 1, in another text.

    `moved` has the common lines, `replaced` other lines with the line that replaced them,
    and `added` the lines of the other text that this one lacks.
    """

    moved: dict[int, int] = field(default_factory=dict)
    replaced: dict[int, int] = field(default_factory=dict)
    added: list[int] = field(default_factory=list)

    def place_of(self, line: int | None) -> int | None:
        """The current position of a line or of its replacement; None if it has neither."""
        return None if line is None else self.moved.get(line, self.replaced.get(line))


async def moved_lines(before: str, after: str) -> MovedLines:
    """Compare two texts; a comparison that exceeds `MAX_DIFF_SECONDS` counts every line as replaced."""
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

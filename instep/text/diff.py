"""Comparing and merging texts line by line, with a matcher whose worst case stays near linear."""

from dataclasses import dataclass
from typing import Any

from merge3 import Merge3
from patiencediff import PatienceSequenceMatcher, unified_diff

from instep.core import limits
from instep.core.sandbox import TimeLimitExceeded, run_with_timeout

NO_NEWLINE = "\\ No newline at end of file\n"


@dataclass(frozen=True, slots=True)
class ChangedLines:
    """Which lines of two texts the other one lacks, by their numbers from 0."""

    removed: frozenset[int]
    added: frozenset[int]


@dataclass(frozen=True, slots=True)
class TextDiff:
    """A unified diff (empty when the texts are equal) and its counts of added and removed lines."""

    diff: str
    additions: int
    deletions: int


async def compare(before: str, after: str, names: tuple[str, str]) -> TextDiff:
    """The unified diff of two texts; `names` stand in its header. One that takes too long replaces it all."""
    if len(before) + len(after) <= limits.MAX_INLINE_CHARACTERS:
        return compare_now(before, after, names)
    try:
        return await run_with_timeout(compare_now, before, after, names, seconds=limits.MAX_DIFF_SECONDS)
    except TimeLimitExceeded:
        return replace_all(before, after, names)


async def changed_lines(before: str, after: str) -> ChangedLines:
    """Which lines of `before` were removed and which of `after` added; all where it takes too long."""
    if len(before) + len(after) <= limits.MAX_INLINE_CHARACTERS:
        return changed_lines_now(before, after)
    try:
        return await run_with_timeout(changed_lines_now, before, after, seconds=limits.MAX_DIFF_SECONDS)
    except TimeLimitExceeded:
        removed, added = (frozenset(range(len(lines_of(text)))) for text in (before, after))
        return ChangedLines(removed, added)


async def merge(base: str, ours: str, theirs: str) -> str | None:
    """The three-way merge, or None where both sides changed the same lines differently.

    None, too, where it takes too long: a person decides then.
    """
    if len(base) + len(ours) + len(theirs) <= limits.MAX_INLINE_CHARACTERS:
        return merge_now(base, ours, theirs)
    try:
        return await run_with_timeout(merge_now, base, ours, theirs, seconds=limits.MAX_DIFF_SECONDS)
    except TimeLimitExceeded:
        return None


def compare_now(before: str, after: str, names: tuple[str, str]) -> TextDiff:
    if not before or not after:
        # The library writes `-1,0` for a side without lines, where `diff` writes `-0,0`.
        return replace_all(before, after, names)
    lines = list(
        unified_diff(lines_of(before), lines_of(after), *names, sequencematcher=PatienceSequenceMatcher)
    )
    return in_text(lines)


def changed_lines_now(before: str, after: str) -> ChangedLines:
    matcher = PatienceSequenceMatcher(None, lines_of(before), lines_of(after))
    changes = [change for change in matcher.get_opcodes() if change[0] != "equal"]
    return ChangedLines(
        removed=frozenset(line for _, start, end, _, _ in changes for line in range(start, end)),
        added=frozenset(line for _, _, _, start, end in changes for line in range(start, end)),
    )


def replace_all(before: str, after: str, names: tuple[str, str]) -> TextDiff:
    """A diff that looks for nothing in common."""
    if before == after:
        return TextDiff("", 0, 0)
    removed, added = lines_of(before), lines_of(after)
    spans = [f"{min(1, len(side))},{len(side)}" for side in (removed, added)]
    header = [f"--- {names[0]}\n", f"+++ {names[1]}\n", f"@@ -{spans[0]} +{spans[1]} @@\n"]
    return in_text([*header, *(f"-{line}" for line in removed), *(f"+{line}" for line in added)])


def in_text(lines: list[str]) -> TextDiff:
    body = lines[2:]
    return TextDiff(
        diff="".join(line if line.endswith("\n") else f"{line}\n{NO_NEWLINE}" for line in lines),
        additions=sum(line.startswith("+") for line in body),
        deletions=sum(line.startswith("-") for line in body),
    )


def merge_now(base: str, ours: str, theirs: str) -> str | None:
    matcher: Any = PatienceSequenceMatcher
    merged = Merge3(lines_of(base), lines_of(ours), lines_of(theirs), sequence_matcher=matcher)
    lines: list[str] = []
    for kind, *content in merged.merge_groups():
        if kind == "conflict":
            return None
        lines.extend(content[0])
    return "".join(lines)


def lines_of(text: str) -> list[str]:
    """Lines with their ends, split at line feeds only, as `diff` and `patch` do."""
    pieces = text.split("\n")
    ended = [piece + "\n" for piece in pieces[:-1]]
    return [*ended, pieces[-1]] if pieces[-1] else ended

"""Compares and merges texts line by line, with a matcher whose worst case stays near linear."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from merge3 import Merge3
from patiencediff import PatienceSequenceMatcher, unified_diff

from instep.platform.core import limits
from instep.platform.core.sandbox import TimeLimitExceeded, is_short, run_bounded

NO_NEWLINE = "\\ No newline at end of file\n"
HEADER = re.compile(r"@@ -(\d+),(\d+) \+\d+,\d+ @@\n")


@dataclass(frozen=True, slots=True)
class ChangedLines:
    """The numbers, from 0, of the lines of each text that the other text lacks."""

    removed: frozenset[int]
    added: frozenset[int]


@dataclass(frozen=True, slots=True)
class TextDiff:
    """A unified diff (empty when the texts are equal) and its counts of added and removed lines."""

    diff: str
    additions: int
    deletions: int


async def compare(before: str, after: str, names: tuple[str, str]) -> TextDiff:
    """The unified diff of two texts, with `names` in its header.

    A comparison that exceeds `MAX_DIFF_SECONDS` gives a diff that replaces the whole text.
    """
    is_small = is_short(before, after)
    try:
        return await run_bounded(
            compare_now, before, after, names, seconds=limits.MAX_DIFF_SECONDS, is_small=is_small
        )
    except TimeLimitExceeded:
        return replace_all(before, after, names)


async def changed_lines(before: str, after: str) -> ChangedLines:
    """The lines removed from `before` and those added in `after`.

    A comparison that exceeds `MAX_DIFF_SECONDS` counts every line as changed.
    """
    is_small = is_short(before, after)
    try:
        return await run_bounded(
            changed_lines_now, before, after, seconds=limits.MAX_DIFF_SECONDS, is_small=is_small
        )
    except TimeLimitExceeded:
        removed, added = (frozenset(range(len(split_lines(text)))) for text in (before, after))
        return ChangedLines(removed, added)


async def merge(base: str, ours: str, theirs: str) -> str | None:
    """The three-way merge, or None if both sides changed the same lines differently.

    None, too, if the merge exceeds `MAX_DIFF_SECONDS`: then a person decides.
    """
    is_small = is_short(base, ours, theirs)
    try:
        return await run_bounded(
            merge_now, base, ours, theirs, seconds=limits.MAX_DIFF_SECONDS, is_small=is_small
        )
    except TimeLimitExceeded:
        return None


def compare_now(before: str, after: str, names: tuple[str, str]) -> TextDiff:
    if not before or not after:
        # The library writes `-1,0` for a side without lines, where `diff` writes `-0,0`.
        return replace_all(before, after, names)
    lines = list(
        unified_diff(split_lines(before), split_lines(after), *names, sequencematcher=PatienceSequenceMatcher)
    )
    return to_text_diff(lines)


def changed_lines_now(before: str, after: str) -> ChangedLines:
    matcher = PatienceSequenceMatcher(None, split_lines(before), split_lines(after))
    changes = [change for change in matcher.get_opcodes() if change[0] != "equal"]
    return ChangedLines(
        removed=frozenset(line for _, start, end, _, _ in changes for line in range(start, end)),
        added=frozenset(line for _, _, _, start, end in changes for line in range(start, end)),
    )


def replace_all(before: str, after: str, names: tuple[str, str]) -> TextDiff:
    """A diff that removes every line of `before` and adds every line of `after`."""
    if before == after:
        return TextDiff("", 0, 0)
    removed, added = split_lines(before), split_lines(after)
    spans = [f"{min(1, len(side))},{len(side)}" for side in (removed, added)]
    header = [f"--- {names[0]}\n", f"+++ {names[1]}\n", f"@@ -{spans[0]} +{spans[1]} @@\n"]
    return to_text_diff([*header, *(f"-{line}" for line in removed), *(f"+{line}" for line in added)])


def to_text_diff(lines: list[str]) -> TextDiff:
    body = lines[2:]
    return TextDiff(
        diff="".join(line if line.endswith("\n") else f"{line}\n{NO_NEWLINE}" for line in lines),
        additions=sum(line.startswith("+") for line in body),
        deletions=sum(line.startswith("-") for line in body),
    )


def merge_now(base: str, ours: str, theirs: str) -> str | None:
    matcher: Any = PatienceSequenceMatcher
    merged = Merge3(split_lines(base), split_lines(ours), split_lines(theirs), sequence_matcher=matcher)
    lines: list[str] = []
    for kind, *content in merged.merge_groups():
        if kind == "conflict":
            return None
        lines.extend(content[0])
    return "".join(lines)


def split_lines(text: str) -> list[str]:
    """The lines with their ends, split at line feeds only, as `diff` and `patch` do."""
    *lines, rest = text.split("\n")
    return [*(f"{line}\n" for line in lines), *([rest] if rest else [])]


@dataclass(slots=True)
class LineReplacement:
    """The lines of a text from number `start`, from 0, up to `end` (exclusive), and their replacement."""

    start: int
    end: int
    new_lines: list[str] = field(default_factory=list)


def hunks_of(diff: str) -> list[LineReplacement]:
    """The hunks of a unified diff by `instep.platform.text.diff`."""
    hunks, mark = list[LineReplacement](), ""
    for line in split_lines(diff)[2:]:
        if header := HEADER.fullmatch(line):
            number, count = int(header[1]), int(header[2])
            # An empty range names the line before it (POSIX, diff -u).
            start = number - 1 if count else number
            hunks.append(LineReplacement(start, start + count))
        elif line == NO_NEWLINE and mark in (" ", "+"):
            hunks[-1].new_lines[-1] = hunks[-1].new_lines[-1].removesuffix("\n")
        elif line[0] in " +":
            hunks[-1].new_lines.append(line[1:])
        mark = line[0]
    return hunks


def patched(text: str, hunks: Sequence[LineReplacement]) -> str:
    """The text with these hunks, which are in the order of their lines, applied."""
    lines, parts, end = split_lines(text), list[str](), 0
    for hunk in hunks:
        parts += lines[end : hunk.start]
        parts += hunk.new_lines
        end = hunk.end
    return "".join([*parts, *lines[end:]])

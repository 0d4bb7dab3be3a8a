"""Two texts as one, with removed and added words marked, for people who read a change."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from patiencediff import PatienceSequenceMatcher

from instep.platform.core import limits
from instep.platform.core.sandbox import TimeLimitExceeded, is_short, run_bounded
from instep.platform.text.diff import split_lines

# Lines with a low share of common words, from 0 to 1, are no rewording: they are shown one by one.
MIN_WORDS_IN_COMMON = 0.3
TOKEN = re.compile(r"\w+|\s+|[^\w\s]")

Change = Literal["same", "removed", "added"]


@dataclass(frozen=True, slots=True)
class WordRun:
    """A run of unchanged, removed or added words."""

    change: Change
    text: str


@dataclass(frozen=True, slots=True)
class LineRun:
    """A run of whole lines: unchanged ones, removed ones, added ones, or reworded ones with marked words."""

    change: Literal["same", "removed", "added", "reworded"]
    words: tuple[WordRun, ...]

    @property
    def text(self) -> str:
        return "".join(run.text for run in self.words)


async def mark_changes(before: str, after: str) -> list[LineRun]:
    """The lines of both texts in order.

    A comparison beyond `MAX_DIFF_SECONDS` or `MAX_MARKED_RUNS` replaces everything.
    """
    is_small = is_short(before, after)
    try:
        return await run_bounded(
            mark_changes_now, before, after, seconds=limits.MAX_DIFF_SECONDS, is_small=is_small
        )
    except TimeLimitExceeded:
        return list(one_after_the_other(before, after))


def mark_changes_now(before: str, after: str) -> list[LineRun]:
    runs = list(runs_of_lines(split_lines(before), split_lines(after)))
    if sum(len(run.words) for run in runs) > limits.MAX_MARKED_RUNS:
        return list(one_after_the_other(before, after))
    return runs


def runs_of_lines(before: Sequence[str], after: Sequence[str]) -> Iterator[LineRun]:
    matcher = PatienceSequenceMatcher(None, before, after)
    for change, start, end, new_start, new_end in matcher.get_opcodes():
        old, new = "".join(before[start:end]), "".join(after[new_start:new_end])
        if change == "equal":
            yield LineRun("same", (WordRun("same", old),))
        elif old and new:
            yield from reworded(old, new)
        else:
            yield from one_after_the_other(old, new)


def reworded(old: str, new: str) -> Iterator[LineRun]:
    """Both texts as one run with marked words; one after the other if they have too little in common."""
    before, after = TOKEN.findall(old), TOKEN.findall(new)
    runs: list[WordRun] = []
    for change, start, end, new_start, new_end in PatienceSequenceMatcher(None, before, after).get_opcodes():
        removed, added = "".join(before[start:end]), "".join(after[new_start:new_end])
        if change == "equal":
            runs.append(WordRun("same", removed))
        else:
            runs += [WordRun(kind, text) for kind, text in pairs(removed, added) if text]
    common = sum(len(run.text) for run in runs if run.change == "same" and run.text.strip())
    if common < MIN_WORDS_IN_COMMON * max(len(old), len(new)):
        yield from one_after_the_other(old, new)
    else:
        yield LineRun("reworded", tuple(runs))


def pairs(removed: str, added: str) -> tuple[tuple[Change, str], tuple[Change, str]]:
    return ("removed", removed), ("added", added)


def one_after_the_other(old: str, new: str) -> Iterator[LineRun]:
    for change, text in pairs(old, new):
        if text:
            yield LineRun(change, (WordRun(change, text),))

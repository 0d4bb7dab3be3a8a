"""Determines which of its section's steps a passage contains: a long list is split over several passages."""

import re
from collections.abc import Sequence

from instep.search.index.passages import MarkdownPassage
from instep.search.passage_kinds import FENCE

# A step of the outermost list.
NUMBERED_STEP = re.compile(r"^(\d{1,3})[.)][ \t]+\S", re.MULTILINE)
# The number of steps before the passage's own, and in the whole section; 0 of 0 if the section is not a
# single list of steps.
StepPlace = tuple[int, int]
NO_STEPS: StepPlace = (0, 0)


def place_of_steps(passages: Sequence[MarkdownPassage], index: int) -> StepPlace:
    """The position of a passage's steps within its section; `passages`: all passages of the article."""
    passage = passages[index]
    if not NUMBERED_STEP.search(passage.markdown):
        return NO_STEPS
    same_section = section_range(passages, index)
    numbers = [step_numbers(passages[at].markdown) for at in same_section]
    every = [number for some in numbers for number in some]
    if every not in (list(range(1, len(every) + 1)), [1] * len(every)):
        return NO_STEPS
    before = sum(len(some) for at, some in zip(same_section, numbers, strict=True) if at < index)
    return before, len(every)


def section_range(passages: Sequence[MarkdownPassage], index: int) -> range:
    first = last = index
    while first > 0 and passages[first - 1].number == passages[index].number:
        first -= 1
    while last + 1 < len(passages) and passages[last + 1].number == passages[index].number:
        last += 1
    return range(first, last + 1)


def step_numbers(markdown: str) -> list[int]:
    return [int(number) for number in NUMBERED_STEP.findall(FENCE.sub("", markdown))]

"""Shortens a list of steps in an answer to the first ones that fit: "Steps 1 to 4 of 6"."""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from instep.visitors.answers.answer_blocks import AnswerBlock, AnswerUnit
from instep.visitors.answers.reply_texts import place_of_steps_in

STEP = re.compile(r"\d{1,9}[.)] ")
MIN_STEPS = 2


def is_step(unit: AnswerUnit) -> bool:
    return STEP.match(unit.prefix) is not None


def are_steps(block: AnswerBlock) -> bool:
    return block.kind == "list" and sum(map(is_step, block.units)) >= MIN_STEPS


def first_steps(block: AnswerBlock, size: Callable[[AnswerBlock], int], max_size: int) -> AnswerBlock:
    """The first steps that fit, from step one on, because starting in the middle can do harm."""
    chosen: list[AnswerUnit] = []
    for step in split_steps(block.units):
        if chosen and size(replace(block, units=(*chosen, *step))) > max_size:
            break
        chosen += step
    return replace(block, units=tuple(chosen))


def split_steps(units: Sequence[AnswerUnit]) -> list[list[AnswerUnit]]:
    """The steps, each with the blocks below it."""
    steps: list[list[AnswerUnit]] = []
    for unit in units:
        if is_step(unit) or not steps:
            steps.append([unit])
        else:
            steps[-1].append(unit)
    return steps


def with_place(
    blocks: Sequence[AnswerBlock], whole: Sequence[AnswerBlock], count: int, locale: str
) -> tuple[AnswerBlock, ...]:
    """The blocks, with a line such as "Steps 1 to 4 of 6" above steps if some of the section are missing.

    `whole`: the blocks of the passage; `count`: the steps of its section.
    """
    every = [unit for block in whole for unit in block.units if is_step(unit)]
    return tuple(
        replace(block, head=place(block, every, count, locale)) if are_steps(block) else block
        for block in blocks
    )


def place(block: AnswerBlock, every: Sequence[AnswerUnit], count: int, locale: str) -> str:
    """The line above steps; none if these are all, or if the passage is not one list of steps."""
    steps = [unit for unit in block.units if is_step(unit)]
    if not steps or len(steps) >= count or len(every) > count or steps[0] != every[0]:
        return ""
    return place_of_steps_in(locale, len(steps), count)

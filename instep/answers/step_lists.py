"""A list of steps in an answer: whole, or so many steps in a row with their place, "Steps 2 to 4 of 6"."""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from instep.answers.answer_blocks import AnswerBlock, AnswerUnit

STEP = re.compile(r"\d{1,9}[.)] ")
MIN_STEPS = 2
# By language: the first step, the last one, and how many there are.
PLACES = {
    "en": "Steps {first} to {last} of {count}:",
    "de": "Schritte {first} bis {last} von {count}:",
    "fr": "Étapes {first} à {last} sur {count} :",
    "es": "Pasos {first} a {last} de {count}:",
    "pt": "Passos {first} a {last} de {count}:",
    "it": "Passaggi da {first} a {last} di {count}:",
    "nl": "Stappen {first} tot {last} van {count}:",
    "ja": "手順 {first}-{last} (全 {count}):",
    "zh": "第 {first} 至 {last} 步 (共 {count} 步):",
    "ar": "الخطوات من {first} إلى {last} من أصل {count}:",
}


def is_step(unit: AnswerUnit) -> bool:
    return STEP.match(unit.prefix) is not None


def are_steps(block: AnswerBlock) -> bool:
    return block.kind == "list" and sum(map(is_step, block.units)) >= MIN_STEPS


def steps_in_a_row(
    block: AnswerBlock,
    weight: Callable[[AnswerUnit], float],
    size: Callable[[AnswerBlock], int],
    max_size: int,
) -> AnswerBlock:
    """As many steps as fit: from the first one, or from the best one if that is farther on."""
    steps = split_steps(block.units)
    best = max(range(len(steps)), key=lambda at: (max(map(weight, steps[at])), -at))
    chosen = steps_from(block, steps, 0, size, max_size)
    if best >= len(chosen):
        chosen = steps_from(block, steps, best, size, max_size)
    return replace(block, units=tuple(unit for step in chosen for unit in step))


def split_steps(units: Sequence[AnswerUnit]) -> list[list[AnswerUnit]]:
    """Each step with what is below it."""
    steps: list[list[AnswerUnit]] = []
    for unit in units:
        if is_step(unit) or not steps:
            steps.append([unit])
        else:
            steps[-1].append(unit)
    return steps


def steps_from(
    block: AnswerBlock,
    steps: Sequence[list[AnswerUnit]],
    first: int,
    size: Callable[[AnswerBlock], int],
    max_size: int,
) -> list[list[AnswerUnit]]:
    chosen: list[list[AnswerUnit]] = []
    for step in steps[first:]:
        units = tuple(unit for some in [*chosen, step] for unit in some)
        if chosen and size(replace(block, units=units)) > max_size:
            break
        chosen.append(step)
    return chosen


def with_place(
    blocks: Sequence[AnswerBlock], whole: Sequence[AnswerBlock], before: int, count: int, locale: str
) -> tuple[AnswerBlock, ...]:
    """The blocks, with their place above steps that are not all of their section's.

    `whole`: the blocks of the passage; `before`: the steps before it in its section; `count`: all of these.
    """
    every = [unit for block in whole for unit in block.units if is_step(unit)]
    return tuple(
        replace(block, head=place(block, every, before, count, locale)) if are_steps(block) else block
        for block in blocks
    )


def place(block: AnswerBlock, every: Sequence[AnswerUnit], before: int, count: int, locale: str) -> str:
    """The line above steps; none if these are all, or if the passage is not one list of steps."""
    steps = [unit for unit in block.units if is_step(unit)]
    if not steps or len(steps) >= count or before + len(every) > count or steps[0] not in every:
        return ""
    first = before + every.index(steps[0]) + 1
    text = PLACES.get(locale.split("-")[0], PLACES["en"])
    return text.format(first=first, last=first + len(steps) - 1, count=count)

"""Checks that work takes linear time, even on a busy machine."""

import gc
from collections.abc import Callable
from time import thread_time
from typing import TypeVar

Input = TypeVar("Input")

# Four times the input takes about 4 times as long if time is linear, and 16 times if it is quadratic.
TIMES, MOST = 4, 8
# Faster work is fast at any size, and too short to compare.
FLOOR_SECONDS = 0.01
TRIES = 5


def grows_linearly(
    work: Callable[[Input], object],
    make: Callable[[int], Input],
    size: int,
    clock: Callable[[], float] = thread_time,
) -> bool:
    """True if `work` is linear in the size passed to `make`; by default only this thread's time counts."""
    smaller, larger = make(size // TIMES), make(size)
    least = [float("inf"), float("inf")]
    for _ in range(TRIES):
        least = [min(least[0], seconds(work, smaller, clock)), min(least[1], seconds(work, larger, clock))]
        if least[1] < MOST * max(FLOOR_SECONDS, least[0]):
            return True
    return False


def seconds(work: Callable[[Input], object], made: Input, clock: Callable[[], float]) -> float:
    # Garbage collection costs as much as all earlier tests left behind.
    gc.disable()
    try:
        began = clock()
        work(made)
        return clock() - began
    finally:
        gc.enable()

"""Whether work takes time that grows with its input only, on a machine as busy as it may be."""

import gc
from collections.abc import Callable
from time import thread_time
from typing import TypeVar

Input = TypeVar("Input")

# Four times the input costs some 4 times as much if time is linear, and 16 times if it is quadratic.
TIMES, MOST = 4, 8
# What takes less than this is quick at any size, and too short to compare.
FLOOR_SECONDS = 0.01
TRIES = 5


def grows_linearly(
    work: Callable[[Input], object],
    make: Callable[[int], Input],
    size: int,
    clock: Callable[[], float] = thread_time,
) -> bool:
    """True if `work` takes linear time for what `make` makes of a size, by default in this thread alone."""
    smaller, larger = make(size // TIMES), make(size)
    least = [float("inf"), float("inf")]
    for _ in range(TRIES):
        least = [min(least[0], seconds(work, smaller, clock)), min(least[1], seconds(work, larger, clock))]
        if least[1] < MOST * max(FLOOR_SECONDS, least[0]):
            return True
    return False


def seconds(work: Callable[[Input], object], made: Input, clock: Callable[[], float]) -> float:
    # Collecting garbage costs as much as all earlier tests have left behind.
    gc.disable()
    try:
        began = clock()
        work(made)
        return clock() - began
    finally:
        gc.enable()

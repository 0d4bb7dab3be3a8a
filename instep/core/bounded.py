"""Expensive pure functions, run in a process that ends when its time is over."""

import os
import signal
from collections.abc import Callable
from typing import TypeVar, TypeVarTuple

from anyio import BrokenWorkerProcess, CapacityLimiter, fail_after, to_process
from anyio.lowlevel import RunVar

T = TypeVar("T")
Arguments = TypeVarTuple("Arguments")

# Work that may take longer than this has places of its own: a person's page never waits behind a task.
SHORT_SECONDS = 5
# Beside the time on the processor: a process to start, a busy machine. Only what hangs is ended by this.
STARTING_SECONDS = 20
LOAD = 4

short_places: RunVar[CapacityLimiter] = RunVar("short_places")
long_places: RunVar[CapacityLimiter] = RunVar("long_places")


class TooExpensive(Exception):
    """The work did not end within its time limit."""


async def run_bounded(function: Callable[[*Arguments], T], *arguments: *Arguments, seconds: float) -> T:
    """What a module-level function gives; after `seconds` of work its process is killed: `TooExpensive`."""
    async with places(seconds):
        try:
            with fail_after(STARTING_SECONDS + LOAD * seconds):
                return await to_process.run_sync(
                    timed, function, arguments, seconds, cancellable=True, limiter=CapacityLimiter(1)
                )
        except (TimeoutError, BrokenWorkerProcess):
            raise TooExpensive from None


def places(seconds: float) -> CapacityLimiter:
    kind = short_places if seconds <= SHORT_SECONDS else long_places
    try:
        return kind.get()
    except LookupError:
        made = CapacityLimiter(os.cpu_count() or 2)
        kind.set(made)
        return made


def timed(function: Callable[[*Arguments], T], arguments: tuple[*Arguments], seconds: float) -> T:
    """Run under a timer of processor time: native code can't hold it back, a busy machine does not use it."""
    set_timer = getattr(signal, "setitimer", None)
    if set_timer is None:
        return function(*arguments)
    set_timer(signal.ITIMER_PROF, seconds)
    try:
        return function(*arguments)
    finally:
        set_timer(signal.ITIMER_PROF, 0)

"""Expensive pure functions, run in a process that ends when its time or its memory is used up."""

import os
import signal
from collections.abc import Callable
from functools import partial
from typing import TypeVar, TypeVarTuple

from anyio import BrokenWorkerProcess, CapacityLimiter, fail_after, to_process
from anyio.lowlevel import RunVar

from instep.core import limits
from instep.core.memory import bound_memory
from instep.core.places import Places, entered_workspace
from instep.core.restarts import attempts_under_way

T = TypeVar("T")
Arguments = TypeVarTuple("Arguments")

# Work that may take longer than this has places of its own: a person's page never waits behind a task.
SHORT_SECONDS = 5
# Beside the time on the processor: a process to start, a busy machine. Only what hangs is ended by this.
STARTING_SECONDS = 20
LOAD = 4

short_places: RunVar[Places] = RunVar("short_places")
long_places: RunVar[Places] = RunVar("long_places")


class TimeLimitExceeded(Exception):
    """The work did not end within its limits of time and memory."""


async def run_with_timeout(function: Callable[[*Arguments], T], *arguments: *Arguments, seconds: float) -> T:
    """What a pure module-level function gives; `TimeLimitExceeded` after `seconds` of work, or out of memory.

    Within `restartable` no connection is held meanwhile: the transaction ends here and runs anew afterwards.
    `QueueFull` where too much work of the workspace waits already.
    """
    attempts = attempts_under_way.get()
    if attempts is None:
        return await run_in_process(function, *arguments, seconds=seconds)
    compute = partial(run_in_process, function, *arguments, seconds=seconds)
    result: T = attempts.result_of(function, arguments, compute)
    return result


async def run_in_process(function: Callable[[*Arguments], T], *arguments: *Arguments, seconds: float) -> T:
    async with process_slots(seconds).hold(entered_workspace.get()):
        try:
            with fail_after(STARTING_SECONDS + LOAD * seconds):
                return await to_process.run_sync(
                    run_in_child, function, arguments, seconds, cancellable=True, limiter=CapacityLimiter(1)
                )
        except (TimeoutError, BrokenWorkerProcess):
            raise TimeLimitExceeded from None


def process_slots(seconds: float) -> Places:
    kind = short_places if seconds <= SHORT_SECONDS else long_places
    try:
        return kind.get()
    except LookupError:
        # One more than there are processors: a workspace may use them all, and others still begin at once.
        made = Places((os.cpu_count() or 2) + 1)
        kind.set(made)
        return made


def run_in_child(function: Callable[[*Arguments], T], arguments: tuple[*Arguments], seconds: float) -> T:
    """Run under a timer of processor time: native code can't hold it back, a busy machine does not use it."""
    bound_memory(limits.WORK_MEMORY_BYTES)
    set_timer = getattr(signal, "setitimer", None)
    if set_timer is None:
        return function(*arguments)
    set_timer(signal.ITIMER_PROF, seconds)
    try:
        return function(*arguments)
    except MemoryError:
        # A process that has filled its memory may fail anywhere: the next work gets a new one.
        os._exit(1)
    finally:
        set_timer(signal.ITIMER_PROF, 0)

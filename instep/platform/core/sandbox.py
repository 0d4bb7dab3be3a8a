"""Runs expensive pure functions in child processes with limits of time and memory."""

import os
import signal
from collections.abc import Callable
from functools import partial
from time import monotonic
from typing import TypeVar, TypeVarTuple

from anyio import BrokenWorkerProcess, CapacityLimiter, fail_after, to_process
from anyio.lowlevel import RunVar

from instep.platform.core import limits
from instep.platform.core.memory import bound_memory
from instep.platform.core.places import FairSlots, entered_workspace
from instep.platform.core.restarts import between_attempts

Result = TypeVar("Result")
Arguments = TypeVarTuple("Arguments")

# Longer work has its own slots, so that people's pages never wait for tasks.
MAX_SHORT_SECONDS = 5
# Wall-clock time in addition to the CPU time, for starting a process on a busy machine.
STARTING_SECONDS = 20
# Wall-clock time per second of CPU time on a busy machine.
LOAD_FACTOR = 4
# The number of attempts if the process of a piece of work turns out to be dead.
MAX_ATTEMPTS = 3

short_slots: RunVar[FairSlots] = RunVar("short_slots")
long_slots: RunVar[FairSlots] = RunVar("long_slots")


class TimeLimitExceeded(Exception):
    """The work did not end within its limits of time and memory."""


async def run_with_timeout(
    function: Callable[[*Arguments], Result], *arguments: *Arguments, seconds: float
) -> Result:
    """The result of a pure module-level function.

    Raises `TimeLimitExceeded` after `seconds` of CPU time or out of memory, and `QueueFull` if too much work
    of the workspace is waiting. Inside `restartable` no connection is held while the function runs: the
    transaction ends here and is repeated with the result.
    """
    compute = partial(run_in_process, function, *arguments, seconds=seconds)
    return await between_attempts(function, arguments, compute)


async def run_bounded(
    function: Callable[[*Arguments], Result], *arguments: *Arguments, seconds: float, is_small: bool
) -> Result:
    """Like `run_with_timeout`; work that is known to be small is done here, at once.

    Server processes must use it for all work whose cost depends on someone's text, which
    tests/architecture enforces.
    """
    if is_small:
        return function(*arguments)
    return await run_with_timeout(function, *arguments, seconds=seconds)


def is_short(*texts: str) -> bool:
    """True if linear-time work on these texts, such as comparing them, is small enough to do at once."""
    return sum(map(len, texts)) <= limits.MAX_INLINE_CHARACTERS


async def run_in_process(
    function: Callable[[*Arguments], Result], *arguments: *Arguments, seconds: float
) -> Result:
    async with process_slots(seconds).hold(entered_workspace.get()):
        try:
            with fail_after(STARTING_SECONDS + LOAD_FACTOR * seconds):
                return await run_in_living_process(function, *arguments, seconds=seconds)
        except (TimeoutError, BrokenWorkerProcess):
            raise TimeLimitExceeded from None


async def run_in_living_process(
    function: Callable[[*Arguments], Result], *arguments: *Arguments, seconds: float
) -> Result:
    """The result from a process of the pool; a process that had died while idle is replaced.

    The pool may offer a process that something else killed. Such a process breaks before the work can have
    used up its CPU time, and a pure function may run again.
    """
    work = partial(
        to_process.run_sync,
        run_in_child,
        function,
        arguments,
        seconds,
        cancellable=True,
        limiter=CapacityLimiter(1),
    )
    for _ in range(MAX_ATTEMPTS - 1):
        began = monotonic()
        try:
            return await work()
        except BrokenWorkerProcess:
            if monotonic() - began >= seconds:
                raise
    return await work()


def process_slots(seconds: float) -> FairSlots:
    kind = short_slots if seconds <= MAX_SHORT_SECONDS else long_slots
    try:
        return kind.get()
    except LookupError:
        # With one slot more than CPUs a workspace can use all CPUs, and others still begin at once.
        slots = FairSlots((os.cpu_count() or 2) + 1)
        kind.set(slots)
        return slots


def run_in_child(
    function: Callable[[*Arguments], Result], arguments: tuple[*Arguments], seconds: float
) -> Result:
    """Run under a timer of CPU time; its signal kills the process even in native code."""
    bound_memory(limits.MAX_WORK_MEMORY_BYTES)
    set_timer = getattr(signal, "setitimer", None)
    if set_timer is None:
        return function(*arguments)
    set_timer(signal.ITIMER_PROF, seconds)
    try:
        return function(*arguments)
    except MemoryError:
        # A process that ran out of memory is in an unknown state, so the next work gets a new one.
        os._exit(1)
    finally:
        set_timer(signal.ITIMER_PROF, 0)

"""Expensive work has a time limit and never delays other work."""

import os
import signal
import time
from asyncio import create_task, gather, sleep

import pytest

from instep.platform.core import limits
from instep.platform.core.errors import InvalidRequest
from instep.platform.core.sandbox import MAX_SHORT_SECONDS, TimeLimitExceeded, run_with_timeout


def spin(seconds: float) -> float:
    """Burn CPU time for this long without checking for cancellation, as native code would."""
    end = time.process_time() + seconds
    while time.process_time() < end:
        pass
    return seconds


def rest(seconds: float) -> float:
    time.sleep(seconds)
    return seconds


def refuse(message: str) -> None:
    raise InvalidRequest(message, details=[("title", message)])


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def deafen_and_spin() -> None:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    spin(60)


async def test_the_result_comes_back() -> None:
    assert await run_with_timeout(divmod, 7, 2, seconds=1) == (3, 1)


async def test_slow_work_is_ended() -> None:
    began = time.monotonic()

    with pytest.raises(TimeLimitExceeded):
        await run_with_timeout(deafen_and_spin, seconds=0.1)

    assert time.monotonic() - began < 15


async def test_after_something_too_expensive_the_next_work_runs() -> None:
    for _ in range(3):
        with pytest.raises(TimeLimitExceeded):
            await run_with_timeout(spin, 60, seconds=0.05)
        assert await run_with_timeout(abs, -1, seconds=1) == 1


async def test_a_process_that_dies_is_too_expensive() -> None:
    with pytest.raises(TimeLimitExceeded):
        await run_with_timeout(die, seconds=1)

    assert await run_with_timeout(abs, -1, seconds=1) == 1


async def test_a_process_that_died_while_it_waited_is_replaced() -> None:
    for _ in range(2):
        waiting = await run_with_timeout(os.getpid, seconds=1)
        os.kill(waiting, signal.SIGKILL)

        assert await run_with_timeout(os.getpid, seconds=1) != waiting


async def test_an_error_comes_back_whole() -> None:
    with pytest.raises(InvalidRequest, match="too odd") as refusal:
        await run_with_timeout(refuse, "too odd", seconds=1)

    assert refusal.value.details == (("title", "too odd"),)


async def test_waiting_and_sleeping_do_not_count_as_work() -> None:
    """A busy machine rejects nothing that an idle one accepts."""
    assert await run_with_timeout(rest, 0.3, seconds=0.05) == 0.3


async def test_many_at_once_all_end() -> None:
    assert await gather(*(run_with_timeout(spin, 0.02, seconds=1) for _ in range(12))) == [0.02] * 12


async def test_short_work_does_not_wait_behind_long_work() -> None:
    """A reviewer's page is neither delayed nor refused because tasks are running."""
    long = [create_task(run_with_timeout(time.sleep, 60, seconds=MAX_SHORT_SECONDS + 1)) for _ in range(8)]
    await sleep(0)

    assert await run_with_timeout(abs, -1, seconds=1) == 1

    for task in long:
        task.cancel()
    await gather(*long, return_exceptions=True)


async def test_the_loop_serves_others_meanwhile() -> None:
    task = create_task(run_with_timeout(spin, 0.2, seconds=2))
    turns = 0
    while not task.done():
        await sleep(0.01)
        turns += 1

    assert turns > 5


def fill(megabytes: int) -> int:
    return len(bytearray(megabytes * 1024 * 1024))


def keep(megabytes: int) -> int:
    """Allocate memory that the process keeps, like the libraries it has loaded."""
    kept.append(bytearray(megabytes * 1024 * 1024))
    return os.getpid()


kept: list[bytearray] = []


async def test_work_has_so_much_memory_whatever_was_done_before_and_no_more() -> None:
    spare = limits.MAX_WORK_MEMORY_BYTES // 1024**2

    for _ in range(2):
        await run_with_timeout(keep, spare * 2 // 3, seconds=5)
    assert await run_with_timeout(fill, spare * 2 // 3, seconds=5) > 0
    with pytest.raises(TimeLimitExceeded):
        await run_with_timeout(fill, spare + 100, seconds=5)

    assert await run_with_timeout(abs, -1, seconds=1) == 1

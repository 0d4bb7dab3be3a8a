"""Expensive work of several workspaces: each gets its turn, and a flood delays only its own workspace."""

import asyncio
from asyncio import Task, create_task, gather

import pytest

from instep.platform.core import limits
from instep.platform.core.places import FairSlots, QueueFull


class Office:
    """Work that holds its slot until it is told to end, and a record of what has started."""

    def __init__(self, places: int) -> None:
        self.places = FairSlots(places)
        self.began: list[str] = []
        self.ends: dict[str, list[asyncio.Event]] = {}

    async def begin(self, workspace: str, pieces: int = 1) -> list[Task[None]]:
        tasks = [create_task(self.work(workspace)) for _ in range(pieces)]
        await settle()
        return tasks

    async def work(self, workspace: str) -> None:
        end = asyncio.Event()
        async with self.places.hold(workspace):
            self.began.append(workspace)
            self.ends.setdefault(workspace, []).append(end)
            await end.wait()

    async def end(self, workspace: str) -> None:
        self.ends[workspace].pop(0).set()
        await settle()


async def settle() -> None:
    for _ in range(5):
        await asyncio.sleep(0)


async def drop(tasks: list[Task[None]]) -> None:
    for task in tasks:
        task.cancel()
    await gather(*tasks, return_exceptions=True)


async def test_one_workspace_leaves_a_place_to_others() -> None:
    office = Office(places=3)
    tasks = await office.begin("flood", pieces=10)
    assert office.began == ["flood"] * 2

    tasks += await office.begin("other")

    assert office.began == ["flood"] * 2 + ["other"]
    await drop(tasks)


async def test_waiting_workspaces_are_served_in_turn() -> None:
    office = Office(places=2)
    tasks = await office.begin("a", pieces=3)
    tasks += await office.begin("b", pieces=2) + await office.begin("c", pieces=2)
    assert office.began == ["a", "b"]

    for workspace in ("a", "a", "b", "c"):
        await office.end(workspace)

    assert office.began == ["a", "b", "a", "c", "b", "a"]
    await drop(tasks)


async def test_too_much_waiting_refuses_that_workspace_alone() -> None:
    office = Office(places=2)
    tasks = await office.begin("flood", pieces=1 + limits.MAX_WAITING_WORK_PIECES)

    with pytest.raises(QueueFull) as refusal:
        await office.work("flood")

    assert refusal.value.headers == {"Retry-After": str(limits.WORK_RETRY_SECONDS)}
    tasks += await office.begin("other")
    assert office.began == ["flood", "other"]
    await drop(tasks)


async def test_canceled_waiter_takes_no_place() -> None:
    office = Office(places=2)
    [first, rest, next_one] = await office.begin("a", pieces=3)

    await drop([rest])
    await office.end("a")

    assert office.began == ["a", "a"]
    await drop([next_one, first])
    tasks = await office.begin("a") + await office.begin("b")
    assert office.began == ["a", "a", "a", "b"]
    await drop(tasks)


async def test_a_single_place_serves_everybody() -> None:
    office = Office(places=1)
    tasks = await office.begin("a", pieces=2) + await office.begin("b")

    await office.end("a")
    await office.end("a")

    assert office.began == ["a", "a", "b"]
    await drop(tasks)


async def test_many_who_stop_waiting_at_once_lose_no_place() -> None:
    office = Office(places=3)
    holding = await office.begin("a", pieces=2)
    waiting = await office.begin("a", pieces=2)

    # As in a cancelled task group: tasks with a slot release it while others still wait.
    await drop([*holding, *waiting])

    tasks = await office.begin("a", pieces=2) + await office.begin("b")
    assert office.began == ["a"] * 4 + ["b"]
    await drop(tasks)

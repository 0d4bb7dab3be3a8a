"""Transactions that need expensive work are rolled back and rerun after it, holding no connection."""

from asyncio import create_task
from dataclasses import dataclass

import pytest

from instep.platform.core.database import Database, Guard
from instep.platform.core.errors import InvalidRequest
from instep.platform.core.pipeline import SqlStatement
from instep.platform.core.restarts import between_attempts, restartable
from instep.platform.core.sandbox import TimeLimitExceeded, run_with_timeout
from tests.platform.core.test_bounded import refuse, spin
from tests.support.limits import SetLimit

SPIN_SECONDS = 0.3


async def test_the_attempt_runs_anew_with_the_result() -> None:
    sums: list[tuple[int, int]] = []

    async def attempt() -> str:
        first = await run_with_timeout(divmod, 7, 2, seconds=1)
        sums.append(first)
        second = await run_with_timeout(divmod, first[0], 2, seconds=1)
        return f"{first} {second}"

    assert await restartable(attempt) == "(3, 1) (1, 1)"
    assert sums == [(3, 1)] * 2


async def test_errors_are_raised_where_the_work_was_asked_for() -> None:
    async def attempt() -> str:
        try:
            await run_with_timeout(spin, 60, seconds=0.05)
        except TimeLimitExceeded:
            return "too expensive"
        return "done"

    async def refused() -> None:
        await run_with_timeout(refuse, "too odd", seconds=1)

    assert await restartable(attempt) == "too expensive"
    with pytest.raises(InvalidRequest, match="too odd"):
        await restartable(refused)


async def test_an_answer_that_somebody_made_of_the_interruption_is_void() -> None:
    """A tool server, for example, answers every error by itself."""

    async def attempt() -> str:
        try:
            return str(await run_with_timeout(abs, -1, seconds=1))
        except Exception as error:
            return f"failed: {error!r}"

    assert await restartable(attempt) == "1"


async def test_work_beyond_the_limit_of_restarts_runs_in_place(set_limit: SetLimit) -> None:
    set_limit("MAX_RESTARTS", 2)

    async def attempt() -> list[int]:
        return [await run_with_timeout(abs, -number, seconds=1) for number in range(5)]

    assert await restartable(attempt) == [0, 1, 2, 3, 4]


async def test_no_connection_is_held_while_work_runs(database_url: str) -> None:
    """A pool of one connection serves others while a transaction's work is done."""
    database = Database(database_url, size=1)
    await database.open()

    async def attempt() -> float:
        async with database.enter_workspace("") as tx, tx.transaction():
            return await run_with_timeout(spin, SPIN_SECONDS, seconds=5)

    working = create_task(restartable(attempt))
    others = 0
    while not working.done():
        async with database.enter_workspace("") as tx:
            others += await tx.value("select 1")

    assert await working == SPIN_SECONDS
    assert others > 10
    await database.close()


async def test_the_attempt_that_was_interrupted_leaves_nothing_behind(database: Database) -> None:
    async def attempt() -> int:
        async with database.enter_workspace("") as tx, tx.transaction():
            await tx.execute("insert into jobs (kind, payload) values ('interrupted', '{}')")
            await run_with_timeout(abs, -1, seconds=1)
            return int(await tx.value("select count(*) from jobs where kind = 'interrupted'"))

    assert await restartable(attempt) == 1
    async with database.enter_workspace("") as tx:
        assert await tx.execute("delete from jobs where kind = 'interrupted'") == 1


@dataclass(frozen=True, slots=True)
class Found:
    number: int


async def test_a_request_that_is_refused_has_no_work_done_for_it(database: Database) -> None:
    """The caller is checked after the action has asked for the work, if the action is faster."""
    pieces_done: list[int] = []

    async def work() -> int:
        pieces_done.append(1)
        return 1

    def refuse_caller(row: Found | None) -> None:
        raise InvalidRequest("Nobody knows this key.")

    async def attempt() -> None:
        guard = Guard(Found, SqlStatement("select 1 as number"), refuse_caller)
        async with database.enter_optimistically("", guard):
            await between_attempts(abs, (-1,), work)

    with pytest.raises(InvalidRequest, match="Nobody knows this key"):
        await restartable(attempt)
    assert pieces_done == []

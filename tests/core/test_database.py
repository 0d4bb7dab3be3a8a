"""A connection is always in its caller's company, never keeps the last one's work, and outlives an outage."""

import asyncio
import time
from asyncio import gather
from itertools import pairwise

import psycopg
import pytest

from instep.core import database as module
from instep.core.database import Database, Tx
from instep.core.errors import Unavailable
from tests.support.cast import Cast
from tests.support.limits import SetLimit

WORKSPACE = "select coalesce(current_setting('instep.workspace_id', true), '')"


class Number:
    """A row with one column."""

    def __init__(self, n: int) -> None:
        self.n = n


async def test_a_lent_connection_is_in_the_company_that_was_asked_for(database: Database, cast: Cast) -> None:
    async def workspace_of(workspace_id: str) -> str:
        async with database.enter_workspace(workspace_id) as tx:
            return str(await tx.value(WORKSPACE))

    workspace_ids = [cast.acme.workspace_id, cast.globex.workspace_id, ""] * 10

    assert await gather(*map(workspace_of, workspace_ids)) == workspace_ids


async def test_it_works_as_a_role_that_owns_nothing(database: Database) -> None:
    async with database.enter_workspace("") as tx:
        assert await tx.value("select current_user::text") == "instep_app"


async def test_what_was_not_committed_is_gone_with_the_connection(database: Database, cast: Cast) -> None:
    async def change_and_fail() -> None:
        async with database.enter_workspace(cast.acme.workspace_id) as tx, tx.transaction():
            await tx.execute("update bots set changed_at = 'infinity'")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await change_and_fail()

    async with database.enter_workspace(cast.acme.workspace_id) as tx:
        assert await tx.value("select count(*) from bots where changed_at = 'infinity'") == 0


async def test_without_a_transaction_every_statement_stands(database: Database, owner: Tx) -> None:
    async def insert_and_fail() -> None:
        async with database.enter_workspace("") as tx:
            await tx.execute("insert into jobs (kind, payload) values ('kept', '{}')")
            await tx.value("select 1 / 0")

    with pytest.raises(psycopg.errors.DivisionByZero):
        await insert_and_fail()

    assert await owner.value("select count(*) from jobs where kind = 'kept'") == 1


async def test_rows_come_back_as_what_was_asked_for(database: Database) -> None:
    async with database.enter_workspace("") as tx:
        rows = await tx.all(Number, "select generate_series(1, %(most)s) as n", most=3)
        assert [row.n for row in rows] == [1, 2, 3]
        assert (await tx.fetch_one(Number, "select 7 as n")).n == 7
        assert await tx.first(Number, "select 7 as n where false") is None
        assert await tx.value("select 7 where false") is None


async def test_an_outage_of_all_connections_is_not_noticed(database: Database, owner: Tx) -> None:
    await gather(*(look(database) for _ in range(8)))
    await end_sessions(owner)

    assert await gather(*(look(database) for _ in range(8))) == [1] * 8


async def test_a_connection_lost_in_the_middle_is_said_to_be_an_outage(database: Database, owner: Tx) -> None:
    async def work_through_an_outage() -> None:
        async with database.enter_workspace("") as tx:
            await end_sessions(owner)
            await tx.value("select 1")

    with pytest.raises(Unavailable) as refusal:
        await work_through_an_outage()

    assert (refusal.value.status, refusal.value.headers["Retry-After"]) == (503, "1")
    assert await look(database) == 1


async def test_a_database_that_can_not_be_reached_is_said_in_time(set_limit: SetLimit) -> None:
    set_limit("POOL_WAIT_SECONDS", 0.3, module)
    nowhere = Database("host=/nowhere dbname=instep connect_timeout=1", size=1)
    await nowhere.open()
    try:
        with pytest.raises(Unavailable):
            await look(nowhere)
    finally:
        await nowhere.close()


async def test_when_all_connections_are_taken_a_caller_is_told_to_come_back(
    database_url: str, set_limit: SetLimit
) -> None:
    set_limit("POOL_WAIT_SECONDS", 0.2, module)
    small = Database(database_url, size=1)
    await small.open()
    try:
        async with small.enter_workspace(""):
            with pytest.raises(Unavailable):
                await look(small)
        assert await look(small) == 1
    finally:
        await small.close()


async def test_statements_do_not_run_for_ever(database: Database) -> None:
    async with database.enter_workspace("") as tx:
        assert await tx.value("show statement_timeout") == "15s"
        assert await tx.value("show idle_in_transaction_session_timeout") == "1min"


async def look(database: Database) -> int:
    async with database.enter_workspace("") as tx:
        number: int = await tx.value("select 1")
        return number


async def end_sessions(owner: Tx) -> None:
    """What a restart of PostgreSQL does to them."""
    await owner.value(
        """
        select count(pg_terminate_backend(pid)) from pg_stat_activity
        where datname = current_database() and application_name = 'instep'
        """
    )


NOTE = "insert into jobs (kind, payload) values (%(kind)s, '{}')"


async def kinds(owner: Tx) -> set[str]:
    kinds = await owner.value("select array_agg(kind) from jobs where kind like 'last %%'")
    return set(kinds or ())


async def test_what_is_run_last_stands_with_its_transaction_and_falls_with_it(
    database: Database, owner: Tx
) -> None:
    async def fail_in(tx: Tx) -> None:
        async with tx.transaction():
            await tx.execute_at_commit(NOTE, kind="last of a part that failed")
            raise ZeroDivisionError

    async with database.enter_workspace("") as tx:
        async with tx.transaction():
            await tx.execute_at_commit(NOTE, kind="last of the whole")
            with pytest.raises(ZeroDivisionError):
                await fail_in(tx)
            async with tx.transaction():
                await tx.execute_at_commit(NOTE, kind="last of a part")
            assert await tx.value("select count(*) from jobs where kind = 'last of the whole'") == 0
        with pytest.raises(ZeroDivisionError):
            await fail_in(tx)
        await tx.execute_at_commit(NOTE, kind="last without a transaction")

    assert await kinds(owner) == {"last of the whole", "last of a part", "last without a transaction"}


@pytest.mark.parametrize("is_inner", [False, True])
async def test_what_fails_as_the_last_takes_the_whole_transaction_along(
    database: Database, owner: Tx, is_inner: bool
) -> None:
    async def change(tx: Tx) -> None:
        async with tx.transaction():
            await tx.execute(NOTE, kind="last but one")
            async with tx.transaction():
                if is_inner:
                    await tx.execute_at_commit("insert into nothing values (1)")
            await tx.execute_at_commit("insert into nothing values (1)")

    async with database.enter_workspace("") as tx:
        with pytest.raises(psycopg.errors.UndefinedTable):
            await change(tx)
        # The connection goes on.
        async with tx.transaction():
            await tx.execute_at_commit(NOTE, kind="last afterwards")

    assert await kinds(owner) == {"last afterwards"}


async def test_a_lost_connection_is_tried_again_in_steady_steps_however_long_the_outage() -> None:
    attempts: list[float] = []
    enough = asyncio.Event()

    async def turn_away(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        attempts.append(time.monotonic())
        writer.close()
        if len(attempts) == 6:
            enough.set()

    server = await asyncio.start_server(turn_away, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    absent = Database(f"postgresql://127.0.0.1:{port}/instep?sslmode=disable&gssencmode=disable", size=1)
    await absent.open()
    async with asyncio.timeout(20):
        await enough.wait()
    await absent.close()
    server.close()

    pauses = [later - sooner for sooner, later in pairwise(attempts)]
    # Where each pause is twice the one before, the fifth takes sixteen seconds.
    assert max(pauses) < 5

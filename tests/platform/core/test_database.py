"""A connection always has its caller's company, keeps nothing of earlier work, and survives an outage."""

import asyncio
import socket
import struct
import threading
import time
from asyncio import gather
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from itertools import pairwise

import psycopg
import pytest
import uvloop
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from instep.platform.core import database as database_module
from instep.platform.core import database_connections, pipeline
from instep.platform.core.clock import utc_now
from instep.platform.core.database import Database, Guard, Tx
from instep.platform.core.errors import Unavailable
from instep.platform.core.pipeline import Connection, SqlStatement
from instep.platform.identity.access import writes
from instep.platform.identity.schemas import OPERATOR, WorkspaceCtx
from tests.support.cast import Cast
from tests.support.installation import free_port
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


async def test_callers_one_after_the_other_share_one_connection_however_many_there_are(
    database: Database,
) -> None:
    async def session_of() -> int:
        async with database.enter_workspace("") as tx, tx.transaction():
            return int(await tx.value("select pg_backend_pid()"))

    assert len(set(await gather(*(session_of() for _ in range(20))))) > 1
    assert len({await session_of() for _ in range(20)}) == 1


async def test_the_log_names_a_database_that_can_not_be_reached_once_a_minute(
    caplog: pytest.LogCaptureFixture,
) -> None:
    name = f"the database of {free_port()}"
    lost = Database(f"postgresql://127.0.0.1:{free_port()}/instep", 4, wait_seconds=2.0, name=name)
    await lost.open()
    try:
        with pytest.raises(Unavailable):
            await lost.take_connection()
    finally:
        await lost.close()

    assert len([message for message in caplog.messages if "error connecting" in message]) == 1
    assert name in caplog.text


async def test_connection_has_a_role_that_owns_nothing(database: Database) -> None:
    async with database.enter_workspace("") as tx:
        assert await tx.value("select current_user::text") == "instep_app"


async def test_uncommitted_changes_are_rolled_back(database: Database, cast: Cast) -> None:
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
        async with database.enter_workspace("") as tx, tx.transaction():
            await tx.value("select 1")
            await end_sessions(owner)
            await tx.value("select 1")

    with pytest.raises(Unavailable) as refusal:
        await work_through_an_outage()

    assert (refusal.value.status, refusal.value.headers["Retry-After"]) == (503, "1")
    assert await look(database) == 1


async def test_a_database_that_can_not_be_reached_is_said_in_time() -> None:
    nowhere = Database("host=/nowhere dbname=instep connect_timeout=1", size=1, wait_seconds=0.3)
    await nowhere.open()
    try:
        with pytest.raises(Unavailable):
            await look(nowhere)
    finally:
        await nowhere.close()


async def test_a_request_waits_once_for_a_connection() -> None:
    """The checks of the caller, which must come before other errors, do not wait for a second connection."""
    waits = 0

    class Counting(Database):
        async def take_connection(self) -> Connection:
            nonlocal waits
            waits += 1
            return await super().take_connection()

    @writes
    async def change(ctx: WorkspaceCtx) -> str:
        return str(await ctx.tx.value("select 1"))

    nowhere = Counting("host=/nowhere dbname=instep connect_timeout=1", size=1, wait_seconds=0.2)
    await nowhere.open()
    guard = Guard(Number, SqlStatement("select 1 as n"), lambda row: None)
    try:
        with pytest.raises(Unavailable):
            async with nowhere.enter_optimistically("", guard) as tx, tx.transaction():
                await change(WorkspaceCtx(tx, "", (), covers_all=True, actor=OPERATOR, now=utc_now()))
    finally:
        await nowhere.close()

    assert waits == 1


@pytest.mark.parametrize(
    "statement", ["select 1", "insert into jobs (kind, payload) values ('silent', '{}')"]
)
async def test_a_server_that_falls_silent_is_given_up(
    database_url: str, set_limit: SetLimit, statement: str
) -> None:
    set_limit("ANSWER_SECONDS", 0.5, database_module)
    # The pool closes last: it would wait for its attempt to reconnect, which ends with the server.
    async with AsyncExitStack() as pools, silenceable(database_url) as (url, silenced):
        distant = Database(url, size=1, wait_seconds=1)
        await distant.open()
        pools.push_async_callback(distant.close)
        assert await look(distant) == 1
        silenced.set()
        with pytest.raises(Unavailable):
            async with distant.enter_workspace("") as tx:
                await tx.execute(statement)


async def test_a_pooler_that_resets_a_connection_with_its_error_is_noticed() -> None:
    """Uses uvloop, as servers do, which reports the error and the reset at once."""
    error = b"SFATAL\0VFATAL\0C08P01\0Mquery_wait_timeout\0\0"
    is_asked, is_busy, is_reset = threading.Event(), threading.Event(), threading.Event()

    def serve(listener: socket.socket) -> None:
        client, _ = listener.accept()
        client.recv(65_536)
        client.sendall(b"R" + struct.pack("!II", 8, 0) + b"Z" + struct.pack("!Ic", 5, b"I"))
        client.recv(65_536)
        is_asked.set()
        is_busy.wait(10)
        client.sendall(b"E" + struct.pack("!I", len(error) + 4) + error)
        client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        client.close()
        is_reset.set()

    def be_busy() -> None:
        is_busy.set()
        is_reset.wait(10)

    async def ask(port: int) -> None:
        conninfo = f"host=127.0.0.1 port={port} dbname=x user=x sslmode=disable gssencmode=disable"
        async with await psycopg.AsyncConnection.connect(conninfo, autocommit=True) as connection:
            asking = asyncio.create_task(pipeline.exchange(connection, [SqlStatement("select 1")]))
            await asyncio.to_thread(is_asked.wait, 10)
            be_busy()
            with pytest.raises(psycopg.OperationalError, match="query_wait_timeout"):
                async with asyncio.timeout(10):
                    await asking

    with socket.create_server(("127.0.0.1", 0)) as listener:
        await gather(
            asyncio.to_thread(serve, listener),
            asyncio.to_thread(lambda: uvloop.run(ask(listener.getsockname()[1]))),
        )


async def test_when_all_connections_are_taken_a_caller_is_told_to_come_back(database_url: str) -> None:
    small = Database(database_url, size=1, wait_seconds=0.2)
    await small.open()
    try:
        async with small.enter_workspace("") as tx:
            await tx.value("select 1")
            with pytest.raises(Unavailable):
                await look(small)
        assert await look(small) == 1
    finally:
        await small.close()


async def test_statements_do_not_run_for_ever(database: Database) -> None:
    async with database.enter_workspace("") as tx:
        assert await tx.value("show statement_timeout") == "15s"
        assert await tx.value("show idle_in_transaction_session_timeout") == "1min"


@asynccontextmanager
async def silenceable(database_url: str) -> AsyncIterator[tuple[str, asyncio.Event]]:
    """A URL of the database; no more data comes back once the event is set."""
    folder = conninfo_to_dict(database_url)["host"]
    silenced = asyncio.Event()
    relays = set[asyncio.Task[None]]()

    async def relay(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, is_answer: bool) -> None:
        try:
            while data := await reader.read(65_536):
                if not (is_answer and silenced.is_set()):
                    writer.write(data)
        finally:
            writer.close()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        from_server, to_server = await asyncio.open_unix_connection(f"{folder}/.s.PGSQL.5432")
        relays.add(asyncio.create_task(relay(reader, to_server, False)))
        relays.add(asyncio.create_task(relay(from_server, writer, True)))

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    try:
        yield (
            make_conninfo(database_url, host="127.0.0.1", port=port, sslmode="disable", gssencmode="disable"),
            silenced,
        )
    finally:
        server.close()
        for task in relays:
            task.cancel()
        await gather(*relays, return_exceptions=True)


async def look(database: Database) -> int:
    async with database.enter_workspace("") as tx:
        number: int = await tx.value("select 1")
        return number


async def end_sessions(owner: Tx) -> None:
    """Terminate all sessions, as a restart of PostgreSQL does."""
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


async def test_statement_at_commit_shares_the_outcome_of_its_transaction(
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


async def test_last_statements_run_in_the_order_of_their_locks(database: Database, owner: Tx) -> None:
    async with database.enter_workspace("") as tx, tx.transaction():
        await tx.execute_at_commit(NOTE, lock=("jobs", "b"), kind="last by b")
        async with tx.transaction():
            await tx.execute_at_commit(NOTE, lock=("bots",), kind="last by the bot")
        await tx.execute_at_commit(NOTE, lock=("jobs", "a"), kind="last by a")

    kinds = await owner.value("select array_agg(kind order by id) from jobs where kind like 'last by %%'")
    assert kinds == ["last by the bot", "last by a", "last by b"]


async def test_a_statement_queued_before_a_transaction_outlives_its_end(database: Database) -> None:
    passed = []
    lock = "select pg_advisory_xact_lock(4711)"
    is_locked = "select exists (select from pg_locks where locktype = 'advisory' and objid = 4711)"
    async with database.enter_workspace("") as tx, tx.transaction():
        queued = tx.queue(f"select 7 from ({lock}) l", lambda reply: passed.append(reply.value()))
        for statement in ("select 1", None):
            with suppress(ZeroDivisionError):
                async with tx.transaction():
                    if statement is not None:
                        await tx.value(statement)
                    raise ZeroDivisionError
        assert (await queued.value(), passed) == (7, [7])
        async with database.enter_workspace("") as other:
            assert await other.value(is_locked)


@pytest.mark.parametrize("is_inner", [False, True])
async def test_failed_statement_at_commit_rolls_back_the_transaction(
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
        # The connection is still usable.
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
    # If each pause doubled, the fifth would take sixteen seconds.
    assert max(pauses) < 5


async def test_through_a_pooler_each_transaction_takes_its_role_and_leaves_nothing(
    database_url: str, cast: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A pooler in transaction mode ignores the startup options of a session.
    monkeypatch.setattr(database_connections, "OPTIONS", "-c jit=on")
    pooled = Database(database_url, size=1)
    await pooled.open()
    settings = "current_setting('statement_timeout'), current_setting('jit')"
    state = f"select concat_ws(' ', current_user, ({WORKSPACE}), {settings})"
    try:
        async with pooled.enter_workspace(cast.acme.workspace_id) as tx:
            assert (
                await tx.value("select count(*) from bots where workspace_id <> %(id)s", id=tx.workspace_id)
                == 0
            )
            alone = await tx.value(state)
            async with tx.transaction():
                begun = [await tx.value(state), await tx.value(state)]
            connection = tx.connection
            cursor = await connection.execute(state.encode())
            assert await cursor.fetchone() == ("instep  0 on",)
        assert {alone, *begun} == {f"instep_app {cast.acme.workspace_id} 15s off"}
    finally:
        await pooled.close()


async def test_invalid_parameter_leaves_the_connection_as_it_was(database: Database) -> None:
    async with database.enter_workspace("") as tx:
        with pytest.raises(psycopg.DataError):
            await tx.value("select %(text)s::text", text="a\0b")
        assert await tx.value("select 1") == 1


async def test_a_long_text_goes_both_ways_at_once(database: Database) -> None:
    text = "ü" * 4_000_000
    async with database.enter_workspace("") as tx:
        assert await tx.value("select %(text)s::text", text=text) == text


async def test_more_statements_than_a_connection_keeps_prepared(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pipeline, "MAX_PREPARED", 3)
    async with database.enter_workspace("") as tx:
        for _ in range(4):
            for number in range(6):
                assert await tx.value(f"select %(n)s::integer + {number}", n=1) == number + 1
        assert len(pipeline.prepared_of(tx.connection).names) <= 3
        assert await tx.value("select count(*) from pg_prepared_statements where name like 'instep%%'") <= 4


async def test_a_statement_that_was_interrupted_answers_nobody_else(database: Database) -> None:
    async def sleep() -> None:
        async with database.enter_workspace("") as tx:
            await tx.value("select pg_sleep(20)")

    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.3):
            await sleep()

    assert await gather(*(look(database) for _ in range(10))) == [1] * 10


async def test_a_constraint_that_fails_at_the_commit_is_told_as_what_it_is(
    database: Database, cast: Cast
) -> None:
    async with database.enter_workspace(cast.acme.workspace_id) as tx:
        with pytest.raises(psycopg.errors.ForeignKeyViolation, match="task"):
            await tx.execute(
                """
                insert into idempotency_keys (workspace_id, key, request_hash, task_id, created_at)
                values (%(workspace)s, 'a key', '', 'task_nowhere', now())
                """
            )

        assert await tx.value("select 1") == 1


async def test_statements_know_the_workspace_that_was_entered(database: Database, cast: Cast) -> None:
    async with database.enter_workspace(cast.acme.workspace_id) as tx, tx.transaction():
        assert await tx.value("select %(workspace)s") == cast.acme.workspace_id
        assert await tx.value("select %(workspace)s", workspace="another") == "another"

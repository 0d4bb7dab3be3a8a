"""Connections to PostgreSQL: one pool per process, and `Tx`, through which all SQL runs."""

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from typing import Any, TypeVar

import psycopg
from psycopg import AsyncTransaction
from psycopg.rows import AsyncRowFactory, RowMaker, args_row, class_row, scalar_row
from psycopg.types.json import set_json_loads
from psycopg_pool import AsyncConnectionPool, PoolTimeout
from psycopg_pool.pool_async import AddConnection, MaintenanceTask
from pydantic_core import from_json

from instep.core.errors import Unavailable
from instep.core.outages import OutageLog, is_conclusive, outage_of
from instep.core.places import entered_workspace
from instep.core.tracing import statement_span

Row = TypeVar("Row")
Params = Mapping[str, Any]
Connection = psycopg.AsyncConnection[Any]
TransactionContext = AbstractAsyncContextManager[AsyncTransaction]

# The login role may own the tables, so the session switches to a role that row-level security restricts.
OPTIONS = "-c role=instep_app -c statement_timeout=15s -c idle_in_transaction_session_timeout=60s"
# Errors of broken connections; they include deadlocks, which are worth another try too.
CONNECTION_ERRORS = (psycopg.OperationalError, psycopg.InterfaceError)
OUTAGES = (*CONNECTION_ERRORS, psycopg.errors.ReadOnlySqlTransaction)
POOL_WAIT_SECONDS = 5.0
# The longest pause between attempts to replace a lost connection.
MAX_RECONNECT_SECONDS = 0.5
# A restart of PostgreSQL breaks every pooled connection at once; each is tried and dropped.
MAX_ATTEMPTS = 20
INPUT_BUFFER_BYTES = 250_000
# This parser reads JSON columns many times faster than the standard library's.
set_json_loads(from_json)


def row_of(kind: type[Row]) -> AsyncRowFactory[Row]:
    """Rows as `kind`; columns in the order of its fields are passed by position, which is twice as fast."""
    fields = getattr(kind, "__match_args__", None)

    def factory(cursor: psycopg.AsyncCursor[Any]) -> RowMaker[Row]:
        names = tuple(column.name for column in cursor.description or ())
        return args_row(kind)(cursor) if names == fields else class_row(kind)(cursor)

    return factory


async def grow_buffer(connection: Connection) -> None:
    """Read one large value, because the driver's input buffer grows to the largest value and never shrinks.

    With its initial size a page of articles takes a dozen reads, each with a turn of the event loop.
    """
    await connection.execute("select repeat(' ', %s)", [INPUT_BUFFER_BYTES])


class Pool(AsyncConnectionPool[Connection]):
    """A pool that reconnects soon after an outage; the library alone doubles its pause after each attempt."""

    async def schedule_task(self, task: MaintenanceTask, delay: float) -> None:
        is_attempt = isinstance(task, AddConnection)
        await super().schedule_task(task, min(delay, MAX_RECONNECT_SECONDS) if is_attempt else delay)


class Tx:
    """The connection that one request or job holds; rows come back typed."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        self.statements_at_commit: list[tuple[str, Params]] = []
        self.depth = 0

    async def all(self, kind: type[Row], sql: str, /, **params: Any) -> list[Row]:
        async with self.connection.cursor(binary=True, row_factory=row_of(kind)) as cursor:
            with statement_span(sql):
                await cursor.execute(sql, params)
                return await cursor.fetchall()

    async def first(self, kind: type[Row], sql: str, /, **params: Any) -> Row | None:
        return await self.fetch(row_of(kind), sql, params)

    async def fetch_one(self, kind: type[Row], sql: str, /, **params: Any) -> Row:
        row = await self.first(kind, sql, **params)
        assert row is not None, "the statement always returns a row"
        return row

    async def value(self, sql: str, /, **params: Any) -> Any:
        """The first column of the first row, or None."""
        return await self.fetch(scalar_row, sql, params)

    async def execute(self, sql: str, /, **params: Any) -> int:
        """Run a statement; returns the number of affected rows."""
        async with self.connection.cursor() as cursor:
            with statement_span(sql):
                await cursor.execute(sql, params)
            return cursor.rowcount

    async def fetch(self, factory: AsyncRowFactory[Row], sql: str, params: Params) -> Row | None:
        async with self.connection.cursor(binary=True, row_factory=factory) as cursor:
            with statement_span(sql):
                await cursor.execute(sql, params)
                return await cursor.fetchone()

    async def execute_at_commit(self, sql: str, /, **params: Any) -> None:
        """Run a statement at the end of the transaction, in the same round trip as the commit."""
        if self.depth:
            self.statements_at_commit.append((sql, params))
        else:
            await self.execute(sql, **params)

    @asynccontextmanager
    async def transaction(self) -> AsyncIterator[None]:
        transaction, before = self.connection.transaction(), len(self.statements_at_commit)
        await transaction.__aenter__()
        self.depth += 1
        try:
            yield
        except BaseException as error:
            del self.statements_at_commit[before:]
            await transaction.__aexit__(type(error), error, error.__traceback__)
            raise
        else:
            await self.end(transaction, self.statements_at_commit[before:])
        finally:
            self.depth -= 1
            del self.statements_at_commit[before:]

    async def end(self, transaction: TransactionContext, statements: Sequence[tuple[str, Params]]) -> None:
        if not statements:
            await transaction.__aexit__(None, None, None)
            return
        try:
            async with self.connection.pipeline():
                for sql, params in statements:
                    await self.connection.execute(sql, params)
                await transaction.__aexit__(None, None, None)
        except BaseException:
            # The driver considers the transaction ended. An enclosing one rolls back by itself.
            if self.depth == 1:
                with suppress(psycopg.Error):
                    await self.connection.rollback()
            raise


class Database:
    """The pool of one process; connections are lent only by `enter`, which sets their tenant."""

    def __init__(self, url: str, size: int) -> None:
        self.outage_log = OutageLog()
        # The time of the last successful trial write, by `time.monotonic`.
        self.written_at = float("-inf")
        self.pool = Pool(
            url,
            min_size=1,
            max_size=size,
            open=False,
            timeout=POOL_WAIT_SECONDS,
            configure=grow_buffer,
            kwargs={"autocommit": True, "options": OPTIONS, "application_name": "instep"},
        )

    async def open(self) -> None:
        await self.pool.open()

    async def close(self) -> None:
        await self.pool.close()

    @asynccontextmanager
    async def enter(
        self, kind: type[Row], sql: str, /, **params: Any
    ) -> AsyncIterator[tuple[Row | None, Tx]]:
        """Run `sql`, which sets the tenant of a connection, and lend the connection with the row of `sql`."""
        connection, row = await self.first_statement(kind, sql, params)
        # It stays set when the connection is returned, because work between attempts is this workspace's too.
        entered_workspace.set(getattr(row, "workspace_id", None) or "")
        try:
            yield row, Tx(connection)
        except OUTAGES as error:
            raise self.outage(error) from error
        finally:
            await self.pool.putconn(connection)

    async def first_statement(
        self, kind: type[Row], sql: str, params: Params
    ) -> tuple[Connection, Row | None]:
        for _ in range(MAX_ATTEMPTS):
            try:
                connection = await self.pool.getconn()
            except PoolTimeout as error:
                raise self.outage(None) from error
            try:
                return connection, await Tx(connection).first(kind, sql, **params)
            except OUTAGES as error:
                await self.pool.putconn(connection)
                if is_conclusive(error):
                    raise self.outage(error) from error
            except BaseException:
                await self.pool.putconn(connection)
                raise
        raise self.outage(None)

    def outage(self, error: psycopg.Error | None) -> Unavailable:
        """Log an outage, and return the error for the caller."""
        outage = outage_of(error)
        self.outage_log.log(outage, error)
        return outage

    @asynccontextmanager
    async def enter_workspace(self, workspace_id: str) -> AsyncIterator[Tx]:
        """Lend a connection in a workspace, for work without a caller's credential."""
        sql = "select set_config('instep.workspace_id', %(workspace)s, false) as workspace_id"
        async with self.enter(EnteredWorkspace, sql, workspace=workspace_id) as (_, tx):
            yield tx


class EnteredWorkspace:
    """The workspace that a connection is in."""

    def __init__(self, workspace_id: str) -> None:
        self.workspace_id = workspace_id

"""A process's view of the database, and `Tx`, through which all SQL runs."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Generic, TypeAlias, TypeVar

import psycopg
from psycopg import pq
from psycopg_pool import PoolTimeout

from instep.platform.core.database_connections import TAKE_ROLE, closed_pool, connections_without_role
from instep.platform.core.errors import Unavailable
from instep.platform.core.outages import OutageLog, is_conclusive, outage_of
from instep.platform.core.pipeline import Connection, Outcome, Params, Reply, SqlStatement, exchange
from instep.platform.core.places import entered_workspace
from instep.platform.core.restarts import drop_needed_work, refuse_unfinished
from instep.platform.core.tracing import statement_span

if TYPE_CHECKING:
    from typing_extensions import TypeVar as TypeVarWithDefault

    Value = TypeVarWithDefault("Value", default=Any)
else:
    Value = TypeVar("Value")
Row = TypeVar("Row")
# The table and key of a row that a statement locks.
LockOrder: TypeAlias = tuple[str, ...]

# Begins an outermost transaction; nested ones are savepoints.
BEGIN = "begin"
ENTER = "select set_config('instep.workspace_id', %(workspace)s, true)"
# Errors of broken connections; they include deadlocks, which are also worth a retry.
CONNECTION_ERRORS = (psycopg.OperationalError, psycopg.InterfaceError)
OUTAGES = (*CONNECTION_ERRORS, psycopg.errors.ReadOnlySqlTransaction)
# With these PostgreSQL says that it ends a session and has rolled back its work.
ENDED = {"57P01", "57P02", "57P03", "57P05"}
POOL_WAIT_SECONDS = 5.0
# PostgreSQL ends a statement after 15 seconds. Without an answer for longer, a machine hangs or a pooler
# has lost the answer, and the connection is dropped.
ANSWER_SECONDS = 30.0
# A restart of PostgreSQL breaks every pooled connection at once; each is tried and dropped.
MAX_ATTEMPTS = 20


@dataclass(frozen=True, slots=True)
class Guard(Generic[Row]):
    """The first statement of a request, and `check`, which gets its row and may refuse the request.

    It runs in its own transaction, so that its counts are kept even if the request fails.
    """

    kind: type[Row]
    statement: SqlStatement
    check: Callable[[Row | None], None]


class QueuedStatement:
    """A statement that is sent together with the next one; `check` gets its reply and may raise an error.

    Its methods return the reply, and send the queue if nothing else has sent it yet.
    """

    __slots__ = ("check", "reply", "statement", "tx")

    def __init__(self, tx: "Tx", statement: SqlStatement, check: Callable[[Reply], None] | None) -> None:
        self.tx = tx
        self.statement = statement
        self.check = check
        self.reply: Reply | None = None

    async def all(self, kind: type[Row]) -> list[Row]:
        return (await self.fetch()).rows(kind)

    async def first(self, kind: type[Row]) -> Row | None:
        return (await self.fetch()).first(kind)

    async def value(self) -> Any:
        """The first column of the first row, or None."""
        return (await self.fetch()).value()

    async def fetch(self) -> Reply:
        if self.reply is None:
            await self.tx.flush()
        assert self.reply is not None, "the statement has been sent"
        return self.reply


class Tx:
    """The connection of one request or job; rows are returned as typed objects.

    The first statement takes it from the pool. No session state is used, so that a pooler
    may lend the connection to others between transactions: each transaction enters the workspace in the
    round trip of its first statement. A statement outside `transaction` is its own transaction.
    """

    def __init__(self, connection: Connection | None = None, database: "Database | None" = None) -> None:
        self.lent_connection = connection
        self.database = database
        # None for a connection of the tables' owner, which is in no workspace.
        self.workspace_id: str | None = None
        self.guard: Guard[Any] | None = None
        # Each with its place in the order of locks.
        self.statements_at_commit: list[tuple[LockOrder, SqlStatement]] = []
        self.depth = 0
        # Transaction starts to send with the next statement.
        self.openers: list[str] = []
        self.queued: list[QueuedStatement] = []
        # The error of the last failed attempt to get a connection from the pool.
        self.outage: Unavailable | None = None

    @property
    def connection(self) -> Connection:
        """The driver's connection; only for the database's owner."""
        assert self.lent_connection is not None, "the connection was given"
        return self.lent_connection

    async def all(self, kind: type[Row], sql: str, /, **params: Any) -> list[Row]:
        return (await self.reply(sql, params)).rows(kind)

    async def first(self, kind: type[Row], sql: str, /, **params: Any) -> Row | None:
        return (await self.reply(sql, params)).first(kind)

    async def fetch_one(self, kind: type[Row], sql: str, /, **params: Any) -> Row:
        row = (await self.reply(sql, params)).first(kind)
        assert row is not None, "the statement always returns a row"
        return row

    async def value(self, sql: str, /, **params: Any) -> Value:
        """The first column of the first row, or None; its type is the one that the caller expects."""
        value: Value = (await self.reply(sql, params)).value()
        return value

    async def column(self, sql: str, /, **params: Any) -> list[Any]:
        """The first column of all rows."""
        return (await self.reply(sql, params)).column()

    async def execute(self, sql: str, /, **params: Any) -> int:
        """Run a statement; return the number of affected rows."""
        if self.guard is not None and not self.openers:
            # Without a transaction its change would stay, even if the guard refuses the request.
            await self.flush()
        return (await self.reply(sql, params)).count

    async def reply(self, sql: str, params: Params) -> Reply:
        with statement_span(sql):
            return (await self.send([self.statement(sql, params)]))[-1]

    def statement(self, sql: str, params: Params) -> SqlStatement:
        """A statement with its parameters, which include the entered `workspace`."""
        return SqlStatement(sql, {"workspace": self.workspace_id, **params})

    async def execute_at_commit(self, sql: str, /, *, lock: LockOrder = (), **params: Any) -> None:
        """Run a statement at the end of the outermost transaction, in the same round trip as the commit.

        Statements run in the order of the rows that they lock, so that no two transactions wait for each
        other; those with equal locks in the order of their calls.
        """
        if self.depth:
            self.statements_at_commit.append((lock, self.statement(sql, params)))
        else:
            await self.execute(sql, **params)

    async def advisory_lock(self, subject: str) -> None:
        """Make other transactions that lock the same subject wait until this one ends."""
        await self.execute("select pg_advisory_xact_lock(hashtextextended(%(subject)s, 0))", subject=subject)

    def queue(
        self, sql: str, /, check: Callable[[Reply], None] | None = None, **params: Any
    ) -> QueuedStatement:
        """Send a statement together with the next one, before it, without a round trip of its own."""
        queued = QueuedStatement(self, self.statement(sql, params), check)
        self.queued.append(queued)
        return queued

    async def flush(self) -> None:
        """Send the guard and the queued statements now."""
        if self.guard is not None or self.queued:
            first = self.guard.statement if self.guard else self.queued[0].statement
            with statement_span(first.sql):
                await self.send([])

    async def flush_after(self, error: Exception) -> None:
        """Send the queue, whose errors take precedence; not if `error` is a failure to get a connection."""
        if error is not self.outage:
            await self.flush()

    @asynccontextmanager
    async def transaction(self) -> AsyncIterator[None]:
        """A transaction or, inside another one, a savepoint; an error rolls it back."""
        if self.queued:
            # They belong to the enclosing transaction: a rollback of this one must not undo them.
            await self.flush()
        before, opener = len(self.statements_at_commit), self.open()
        try:
            yield
            if opener == BEGIN:
                refuse_unfinished()
            await self.commit(opener)
        except BaseException:
            del self.statements_at_commit[before:]
            await self.roll_back(opener)
            raise
        finally:
            self.depth -= 1

    def open(self) -> str:
        is_outermost = self.depth == 0 and not self.is_begun
        opener = BEGIN if is_outermost else f"savepoint instep_{self.depth}"
        self.depth += 1
        self.openers.append(opener)
        return opener

    async def commit(self, opener: str) -> None:
        if self.queued:
            # Their checks come before the commit.
            await self.flush()
        statements: list[SqlStatement] = []
        if self.depth == 1:
            ordered = sorted(self.statements_at_commit, key=itemgetter(0))
            statements = [statement for _, statement in ordered]
            self.statements_at_commit.clear()
        is_unsent = opener in self.openers
        if is_unsent and not statements:
            self.openers.remove(opener)
            return
        end = "commit" if opener == BEGIN else f"release {opener}"
        await self.send([*statements, SqlStatement(end)], may_repeat=False)

    async def roll_back(self, opener: str) -> None:
        self.queued.clear()
        if opener in self.openers:
            self.openers.remove(opener)
        elif self.is_begun:
            undo = ["rollback"] if opener == BEGIN else [f"rollback to {opener}", f"release {opener}"]
            with suppress(psycopg.Error):
                await exchange(self.connection, [SqlStatement(sql) for sql in undo])

    @property
    def is_begun(self) -> bool:
        """True if a transaction is open, according to PostgreSQL's last reply."""
        if self.lent_connection is None:
            return False
        status = self.lent_connection.pgconn.transaction_status
        return status in (pq.TransactionStatus.INTRANS, pq.TransactionStatus.INERROR)

    async def send(self, statements: list[SqlStatement], *, may_repeat: bool = True) -> list[Reply]:
        """Send statements with everything that must precede them, in one round trip."""
        queued_count = len(self.queued)
        body = [*(item.statement for item in self.queued), *statements]
        for _ in range(MAX_ATTEMPTS):
            connection = await self.lend()
            was_begun = self.is_begun
            groups = self.groups_of(connection, body)
            try:
                outcomes = await self.exchange_in_time(connection, groups)
                break
            except OUTAGES as error:
                is_safe = may_repeat and (self.openers or all(map(is_read, body)))
                if self.database is None or was_begun or is_conclusive(error):
                    raise
                if not is_safe and error.sqlstate not in ENDED:
                    raise
                await self.release()
        else:
            raise Unavailable
        self.openers.clear()
        if self.guard is not None:
            await self.check_guard(connection, outcomes.pop(0))
        if not body:
            return []
        replies, failure = outcomes[0]
        # Drop the replies to the statements that begin the transaction.
        replies = replies[len(groups[-1]) - len(body) :]
        self.check_queued(replies[:queued_count])
        if failure is not None:
            await close_if_read_only(connection, failure)
            raise failure
        return replies[queued_count:]

    async def exchange_in_time(
        self, connection: Connection, groups: list[list[SqlStatement]]
    ) -> list[Outcome]:
        """Raise a broken-connection error if the answer does not come in time."""
        # The owner's statements, for migrations and restores, have no time limit.
        seconds = None if self.database is None else ANSWER_SECONDS
        try:
            async with asyncio.timeout(seconds):
                return await exchange(connection, *groups)
        except TimeoutError:
            raise psycopg.OperationalError(f"no answer within {seconds} seconds") from None

    def check_queued(self, replies: list[Reply]) -> None:
        queued, self.queued = self.queued, []
        for item, reply in zip(queued, replies, strict=False):
            item.reply = reply
            if item.check is not None:
                with drop_work_if_refused():
                    item.check(reply)

    async def check_guard(self, connection: Connection, outcome: Outcome) -> None:
        guard, self.guard = self.guard, None
        assert guard is not None, "a guard was sent"
        if outcome.error is not None:
            await close_if_read_only(connection, outcome.error)
            raise outcome.error
        with drop_work_if_refused():
            guard.check(outcome.replies[-1].first(guard.kind))

    def groups_of(self, connection: Connection, statements: list[SqlStatement]) -> list[list[SqlStatement]]:
        groups: list[list[SqlStatement]] = []
        has_no_role = connection in connections_without_role
        if self.guard is not None:
            groups.append([*([SqlStatement(TAKE_ROLE)] if has_no_role else []), self.guard.statement])
        if not statements:
            return groups
        body: list[SqlStatement] = []
        openers = [SqlStatement(opener) for opener in self.openers]
        if not self.is_begun:
            if openers:
                body.append(openers.pop(0))
            elif not connection.autocommit:
                body.append(SqlStatement(BEGIN))
            if self.workspace_id is not None:
                body += [SqlStatement(TAKE_ROLE)] if has_no_role else []
                body.append(SqlStatement(ENTER, {"workspace": self.workspace_id}))
        groups.append([*body, *openers, *statements])
        return groups

    async def lend(self) -> Connection:
        """The connection, taken from the pool if there is none yet."""
        if self.lent_connection is None:
            assert self.database is not None, "a transaction has a connection or a pool"
            try:
                self.lent_connection = await self.database.take_connection()
            except Unavailable as outage:
                self.outage = outage
                raise
        return self.lent_connection

    async def release(self) -> None:
        """Return the connection to the pool."""
        if self.database is not None and self.lent_connection is not None:
            connection, self.lent_connection = self.lent_connection, None
            await self.database.pool.putconn(connection)


@contextmanager
def drop_work_if_refused() -> Iterator[None]:
    """Drop the work that an action has requested when a check refuses its request."""
    try:
        yield
    except Exception:
        drop_needed_work()
        raise


async def close_if_read_only(connection: Connection, failure: psycopg.Error) -> None:
    """Close a connection to a read-only server, maybe a former primary: a new one finds the current one."""
    if isinstance(failure, psycopg.errors.ReadOnlySqlTransaction):
        await connection.close()


def is_read(statement: SqlStatement) -> bool:
    """True if a statement may be sent again when it is unknown whether it has run."""
    return statement.sql.lstrip()[:6].lower() == "select"


class Database:
    """The pool of one process; each `Tx` works only in the workspace that it has entered."""

    def __init__(
        self, url: str, size: int, wait_seconds: float = POOL_WAIT_SECONDS, name: str = "the database"
    ) -> None:
        self.outage_log = OutageLog()
        # The time of the last successful trial write, by `time.monotonic`.
        self.written_at = float("-inf")
        self.pool = closed_pool(url, size, wait_seconds, name)

    async def open(self) -> None:
        await self.pool.open()

    async def close(self) -> None:
        await self.pool.close()

    @asynccontextmanager
    async def enter(
        self, kind: type[Row], sql: str, /, **params: Any
    ) -> AsyncIterator[tuple[Row | None, Tx]]:
        """Run `sql`, which finds a workspace, and work in it; yields the row of `sql` and a `Tx`."""
        rows: list[Row | None] = []
        async with self.working() as tx:
            tx.guard = Guard(kind, SqlStatement(sql, params), rows.append)
            await tx.flush()
            tx.workspace_id = getattr(rows[0], "workspace_id", None) or ""
            # It is not reset at the end, because work between attempts belongs to this workspace too.
            entered_workspace.set(tx.workspace_id)
            yield rows[0], tx

    @asynccontextmanager
    async def enter_optimistically(self, workspace_id: str, guard: Guard[Any]) -> AsyncIterator[Tx]:
        """Work in a workspace that the guard will most likely find; both are sent in one round trip.

        `guard.check` must refuse a row with another workspace. Its errors take precedence.
        """
        async with self.working() as tx:
            tx.guard, tx.workspace_id = guard, workspace_id
            entered_workspace.set(workspace_id)
            try:
                yield tx
            except Exception as error:
                await tx.flush_after(error)
                raise
            await tx.flush()

    @asynccontextmanager
    async def enter_workspace(self, workspace_id: str) -> AsyncIterator[Tx]:
        """Work in a workspace, without a caller's credential."""
        async with self.working() as tx:
            tx.workspace_id = workspace_id
            entered_workspace.set(workspace_id)
            yield tx

    @asynccontextmanager
    async def working(self) -> AsyncIterator[Tx]:
        tx = Tx(database=self)
        try:
            yield tx
        except OUTAGES as error:
            raise self.outage(error) from error
        finally:
            await tx.release()

    async def take_connection(self) -> Connection:
        try:
            return await self.pool.getconn()
        except PoolTimeout as error:
            raise self.outage(None) from error

    def outage(self, error: psycopg.Error | None) -> Unavailable:
        """Log an outage, and return the error for the caller."""
        outage = outage_of(error)
        self.outage_log.log(outage, error)
        return outage

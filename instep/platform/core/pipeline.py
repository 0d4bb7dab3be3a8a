"""Sends statements to PostgreSQL together, in one round trip, in libpq's pipeline mode.

The driver's own cursors take one round trip and three times the processor time for each statement.
"""

import asyncio
import re
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import cache, lru_cache
from types import MappingProxyType
from typing import Any, NamedTuple, TypeVar
from weakref import WeakKeyDictionary

import psycopg
from psycopg import abc, errors, pq
from psycopg.adapt import PyFormat, Transformer

Row = TypeVar("Row")
Params = Mapping[str, Any]
Connection = psycopg.AsyncConnection[Any]

# A statement with its parameters' types.
Key = tuple[bytes, tuple[int, ...]]

# A condition on the workspace holds for all rows of a bot. With a collation other than that of the indexes,
# PostgreSQL neither searches by it nor expects it to leave few rows (decision 25).
WORKSPACE = "workspace"
PLACEHOLDER = re.compile(r"%(?:\((\w+)\)([sbt])|%)")
# The driver's format of a parameter, by the letter after its name.
FORMATS = {"s": PyFormat.AUTO, "b": PyFormat.BINARY, "t": PyFormat.TEXT}
# A statement is prepared when a connection runs it this many times; a rare one is not worth its memory.
PREPARED_FROM = 3
# The number of statements that a connection keeps prepared, and counts before that.
MAX_PREPARED = 300
MAX_COUNTED = 2_000
MAX_PARSED = 4_000
CANCEL_SECONDS = 1.0
# A socket is read at this interval even if the event loop reports nothing.
LOOK_SECONDS = 1.0
SUCCESS = {pq.ExecStatus.TUPLES_OK, pq.ExecStatus.COMMAND_OK}
BINARY = pq.Format.BINARY


NO_PARAMS: Params = MappingProxyType({})


class SqlStatement(NamedTuple):
    """SQL with `%(name)s` for its parameters."""

    sql: str
    params: Params = NO_PARAMS


class Reply:
    """PostgreSQL's result of one statement."""

    __slots__ = ("result", "transformer")

    def __init__(self, transformer: abc.Transformer, result: pq.abc.PGresult) -> None:
        self.transformer = transformer
        self.result = result
        transformer.set_pgresult(result)

    @property
    def count(self) -> int:
        """The number of affected rows; -1 for a statement without any."""
        tuples = self.result.command_tuples
        return -1 if tuples is None else tuples

    def rows(self, kind: type[Row]) -> list[Row]:
        if not self.result.ntuples:
            return []
        return self.transformer.load_rows(0, self.result.ntuples, self.row_maker(kind))

    def first(self, kind: type[Row]) -> Row | None:
        if not self.result.ntuples:
            return None
        return self.transformer.load_rows(0, 1, self.row_maker(kind))[0]

    def value(self) -> Any:
        """The first column of the first row, or None."""
        return self.transformer.load_rows(0, 1, first_column)[0] if self.result.ntuples else None

    def column(self) -> list[Any]:
        """The first column of all rows."""
        return self.transformer.load_rows(0, self.result.ntuples, first_column) if self.result.ntuples else []

    def row_maker(self, kind: type[Row]) -> Callable[[Sequence[Any]], Row]:
        names = tuple((self.result.fname(number) or b"").decode() for number in range(self.result.nfields))
        described: Any = kind
        maker: Callable[[Sequence[Any]], Row] = maker_of(described, names)
        return maker


def first_column(values: Sequence[Any]) -> Any:
    return values[0]


@cache
def maker_of(kind: Any, names: tuple[str, ...]) -> Callable[[Sequence[Any]], Any]:
    """A maker of `kind` rows; columns in the order of its fields are passed by position, which is faster."""
    if getattr(kind, "__match_args__", None) == names:
        return lambda values: kind(*values)
    return lambda values: kind(**dict(zip(names, values, strict=True)))


@lru_cache(MAX_PARSED)
def parse(sql: str) -> tuple[bytes, tuple[str, ...], list[PyFormat]]:
    """SQL with `$1` instead of `%(name)s`, and the names in that order."""
    names: dict[str, int] = {}
    formats: list[PyFormat] = []

    def number(mark: re.Match[str]) -> str:
        name = mark[1]
        if name is None:
            return "%"
        if name not in names:
            names[name] = len(names) + 1
            formats.append(FORMATS[mark[2]])
        return f'(${names[name]}::text collate "C")' if name == WORKSPACE else f"${names[name]}"

    query = PLACEHOLDER.sub(number, sql).encode()
    return query, tuple(names), formats


class PreparedStatements:
    """The prepared statements of one connection, the most recently used last."""

    def __init__(self) -> None:
        self.names: OrderedDict[Key, bytes] = OrderedDict()
        self.counts: dict[Key, int] = {}
        self.issued = 0
        # A pooler that lends a connection to another session per transaction doesn't know our statements.
        self.is_possible = True

    def count(self, key: Key) -> bool:
        """Count a use of a statement; return True if it is time to prepare it."""
        if not self.is_possible:
            return False
        if len(self.counts) >= MAX_COUNTED:
            self.counts.clear()
        uses = self.counts.get(key, 0) + 1
        self.counts[key] = uses
        return uses >= PREPARED_FROM

    def new_name(self) -> bytes:
        self.issued += 1
        return b"instep_%d" % self.issued


prepared_by_connection: WeakKeyDictionary[Connection, PreparedStatements] = WeakKeyDictionary()


def prepared_of(connection: Connection) -> PreparedStatements:
    prepared = prepared_by_connection.get(connection)
    if prepared is None:
        # The driver must not prepare statements as well: to drop its own it deallocates all of the session.
        connection.prepare_threshold = None
        prepared = prepared_by_connection[connection] = PreparedStatements()
    return prepared


class Outcome(NamedTuple):
    """The replies to a group's statements, up to the one that failed, and its error."""

    replies: list[Reply]
    error: psycopg.Error | None


async def exchange(connection: Connection, *groups: Sequence[SqlStatement]) -> list[Outcome]:
    """Send groups of statements in one round trip; each group has its own outcome.

    Unless a transaction is open, each group is a transaction, which is committed at its end. Raises the
    driver's error if the connection is lost; an interrupted one is closed.
    """
    async with connection.lock:
        # A value that can't be sent is found before anything is sent.
        encoded_groups = [[encode(connection, statement) for statement in group] for group in groups]
        pipeline = Pipeline(connection)
        try:
            return await pipeline.run(encoded_groups)
        except BaseException as error:
            if connection.pgconn.pipeline_status != pq.PipelineStatus.OFF:
                # Its late results would be taken for the reply to another statement.
                if isinstance(error, asyncio.CancelledError):
                    # A server that does not answer accepts no cancel request either.
                    with suppress(psycopg.Error):
                        await connection.cancel_safe(timeout=CANCEL_SECONDS)
                await connection.close()
            raise


class EncodedStatement(NamedTuple):
    """A statement in the form of the protocol."""

    sql: str
    query: bytes
    values: Sequence[Any]
    types: tuple[int, ...]
    formats: Sequence[pq.Format] | None
    transformer: abc.Transformer


def encode(connection: Connection, statement: SqlStatement) -> EncodedStatement:
    query, names, formats = parse(statement.sql)
    params = statement.params
    transformer = Transformer(connection)
    values = transformer.dump_sequence([params[name] for name in names], formats)
    return EncodedStatement(
        statement.sql, query, values, transformer.types or (), transformer.formats, transformer
    )


class Pipeline:
    """One round trip on one connection."""

    def __init__(self, connection: Connection) -> None:
        self.pgconn = connection.pgconn
        self.encoding = connection.info.encoding
        self.prepared = prepared_of(connection)
        # The expected results by group: of a statement, of preparing one (its key), or of closing one (None).
        self.expected: list[list[EncodedStatement | Key | None]] = []

    async def run(self, groups: Sequence[Sequence[EncodedStatement]]) -> list[Outcome]:
        pgconn = self.pgconn
        pgconn.enter_pipeline_mode()
        for group in groups:
            self.expected.append([])
            for statement in group:
                self.send(statement)
            pgconn.pipeline_sync()
        loop = asyncio.get_running_loop()
        readable = Readable(loop)
        socket = pgconn.socket
        loop.add_reader(socket, readable.wake)
        readable.wake_periodically()
        try:
            await self.flush(loop, socket, readable)
            outcomes = [await self.outcome_of(group, readable) for group in self.expected]
        finally:
            readable.stop()
            loop.remove_reader(socket)
        pgconn.exit_pipeline_mode()
        return outcomes

    def send(self, statement: EncodedStatement) -> None:
        prepared, expected = self.prepared, self.expected[-1]
        key = (statement.query, statement.types)
        name = prepared.names.get(key)
        if name is None and prepared.count(key):
            name = prepared.new_name()
            self.pgconn.send_prepare(name, statement.query, statement.types)
            expected.append(key)
            prepared.names[key] = name
        if name is None:
            self.pgconn.send_query_params(
                statement.query, statement.values, statement.types, statement.formats, BINARY
            )
        else:
            prepared.names.move_to_end(key)
            self.pgconn.send_query_prepared(name, statement.values, statement.formats, BINARY)
        expected.append(statement)
        while len(prepared.names) > MAX_PREPARED:
            self.pgconn.send_close_prepared(prepared.names.popitem(last=False)[1])
            expected.append(None)

    async def flush(self, loop: asyncio.AbstractEventLoop, socket: int, readable: "Readable") -> None:
        """Send the rest that the kernel did not accept at once, such as a long text."""
        while self.pgconn.flush():
            writable: asyncio.Future[None] = loop.create_future()
            loop.add_writer(socket, resolve, writable)
            try:
                # PostgreSQL may wait until its answers are read before it reads on.
                await asyncio.wait({writable, readable.future}, return_when=asyncio.FIRST_COMPLETED)
            finally:
                loop.remove_writer(socket)
            if readable.future.done():
                await readable.wait()
                self.pgconn.consume_input()

    async def outcome_of(
        self, group: Sequence[EncodedStatement | Key | None], readable: "Readable"
    ) -> Outcome:
        replies: list[Reply] = []
        failures: list[psycopg.Error] = []
        try:
            for item in group:
                while (result := await self.result(readable)) is not None:
                    if result.status not in SUCCESS:
                        self.note_failure(item, result, failures)
                    elif isinstance(item, EncodedStatement):
                        replies.append(Reply(item.transformer, result))
            await self.read_sync(readable, failures)
        except psycopg.OperationalError as lost:
            # PostgreSQL's last error says more than that the connection is lost.
            raise (failures[0] if failures else lost) from None
        return Outcome(replies, failures[0] if failures else None)

    async def read_sync(self, readable: "Readable", failures: list[psycopg.Error]) -> None:
        """Read the end of a group. Its implicit commit may still fail because of a deferred constraint."""
        result = await self.result(readable)
        if result is not None and result.status == pq.ExecStatus.FATAL_ERROR:
            self.note_failure(None, result, failures)
            # There may be a `None` between the results.
            result = await self.result(readable) or await self.result(readable)
        if result is None or result.status != pq.ExecStatus.PIPELINE_SYNC:
            raise psycopg.OperationalError("the connection is lost")

    def note_failure(
        self,
        item: EncodedStatement | Key | None,
        result: pq.abc.PGresult,
        failures: list[psycopg.Error],
    ) -> None:
        if item is not None and not isinstance(item, EncodedStatement):
            self.prepared.names.pop(item, None)
        if result.status != pq.ExecStatus.PIPELINE_ABORTED:
            failures.append(errors.error_from_result(result, self.encoding))

    async def result(self, readable: "Readable") -> pq.abc.PGresult | None:
        while self.pgconn.is_busy():
            await readable.wait()
            self.pgconn.consume_input()
        return self.pgconn.get_result()


class Readable:
    """Waits until a socket is readable, or it is time to check.

    uvloop reports a reset connection once. If an error that came with the reset is read then, as
    poolers send one, it does not report the end.
    """

    __slots__ = ("future", "loop", "timer")

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self.loop = loop
        self.future: asyncio.Future[None] = loop.create_future()
        self.timer: asyncio.TimerHandle | None = None

    def wake(self) -> None:
        resolve(self.future)

    def wake_periodically(self) -> None:
        self.timer = self.loop.call_later(LOOK_SECONDS, self.look)

    def look(self) -> None:
        self.wake()
        self.wake_periodically()

    def stop(self) -> None:
        if self.timer is not None:
            self.timer.cancel()

    async def wait(self) -> None:
        await self.future
        self.future = self.loop.create_future()


def resolve(future: "asyncio.Future[None]") -> None:
    if not future.done():
        future.set_result(None)

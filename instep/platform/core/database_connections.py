"""A process's connections to PostgreSQL: their role, their settings, and their pool."""

import logging
from weakref import WeakSet

from psycopg.types.json import set_json_loads
from psycopg_pool import AsyncConnectionPool
from psycopg_pool.pool_async import AddConnection, MaintenanceTask
from pydantic_core import from_json

from instep.platform.core.outages import Throttle
from instep.platform.core.pipeline import Connection, prepared_of

ROLE = "instep_app"
# The login role may own the tables, so the session switches to a role that row-level security restricts.
# Compiling a statement (`jit`) takes a second, more than any of ours would gain from it.
OPTIONS = f"-c role={ROLE} -c statement_timeout=15s -c idle_in_transaction_session_timeout=60s -c jit=off"
# The same for one transaction, through a pooler that may change the session after each.
TAKE_ROLE = f"""
    select set_config('role', '{ROLE}', true), set_config('statement_timeout', '15s', true),
        set_config('idle_in_transaction_session_timeout', '60s', true), set_config('jit', 'off', true)
"""
# The longest pause between attempts to replace a lost connection.
MAX_RECONNECT_SECONDS = 0.5
INPUT_BUFFER_BYTES = 250_000
# This parser reads JSON columns many times faster than the standard library's.
set_json_loads(from_json)

# Connections through a pooler that ignores `OPTIONS`; each of their transactions begins with `TAKE_ROLE`.
connections_without_role: WeakSet[Connection] = WeakSet()


async def configure(connection: Connection) -> None:
    """Detect a pooler, and read one large value.

    The driver's input buffer grows to the largest value and never shrinks. With its initial size a page of
    articles takes a dozen reads, each with a cycle of the event loop.
    """
    cursor = await connection.execute(
        "select pg_backend_pid(), current_user::text, repeat(' ', %s)", [INPUT_BUFFER_BYTES]
    )
    pid, role, _ = await cursor.fetchone() or (0, "", "")
    if pid != connection.info.backend_pid:
        prepared_of(connection).is_possible = False
    if role != ROLE:
        connections_without_role.add(connection)


class Pool(AsyncConnectionPool[Connection]):
    """A pool that lends the connection used last, which has the most statements prepared.

    It reconnects soon after an outage; the library would double its pause after each attempt.
    """

    async def _get_ready_connection(self, timeout: float | None) -> Connection | None:
        # The library lends the first one, which has been idle for the longest time.
        self._pool.rotate()
        return await super()._get_ready_connection(timeout)

    async def schedule_task(self, task: MaintenanceTask, delay: float) -> None:
        is_attempt = isinstance(task, AddConnection)
        await super().schedule_task(task, min(delay, MAX_RECONNECT_SECONDS) if is_attempt else delay)


class PoolLogFilter(logging.Filter):
    """Passes each kind of message of a pool once a minute, since every attempt to connect has one."""

    throttle = Throttle()

    def filter(self, record: logging.LogRecord) -> bool:
        # The name of the pool; other arguments are errors and connections.
        names = [part for part in record.args or () if isinstance(part, str)]
        return self.throttle.allows((record.msg, *names))


logging.getLogger("psycopg.pool").addFilter(PoolLogFilter())


def closed_pool(url: str, size: int, wait_seconds: float, name: str) -> Pool:
    """An unopened pool of up to `size` connections; callers wait at most `wait_seconds` for one.

    The log contains its `name`.
    """
    return Pool(
        url,
        min_size=1,
        max_size=size,
        open=False,
        timeout=wait_seconds,
        name=name,
        configure=configure,
        kwargs={"autocommit": True, "options": OPTIONS, "application_name": "instep"},
    )

"""Database locks for one process at a time; they end with the session at the latest."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress

import psycopg

from instep.operations.backups.tables import Connection


@contextmanager
def try_lock(connection: Connection, key: int) -> Iterator[bool]:
    """Yields whether this session got the lock; closing the session releases it later than this does."""
    is_locked = connection.execute("select pg_try_advisory_lock(%s)", [key]).fetchone() == (True,)
    try:
        yield is_locked
    finally:
        if is_locked:
            with suppress(psycopg.OperationalError):
                connection.execute("select pg_advisory_unlock(%s)", [key])

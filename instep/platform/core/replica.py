"""A replica of the database, which takes over reads, and is never assumed to be up to date."""

import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any, TypeVar

import psycopg
import structlog
from psycopg.errors import SerializationFailure

from instep.platform.core import limits
from instep.platform.core.database import Database, Tx
from instep.platform.core.errors import Unavailable

Row = TypeVar("Row")

log = structlog.get_logger()


class Replica:
    """Reads from the replica, as long as it answers and has the database's current state.

    If it does not answer it is skipped for a while, so that not every request waits for it.
    """

    def __init__(self, url: str, size: int) -> None:
        self.database = Database(url, size, limits.REPLICA_WAIT_SECONDS, "the replica")
        # When to try it again after it did not answer, by `time.monotonic`.
        self.asked_from = float("-inf")

    @asynccontextmanager
    async def enter(self, row: Row, sql: str, /, **params: Any) -> AsyncIterator[Tx | None]:
        """Work in the workspace that `sql` finds; yields None unless it has the same `row` as the database.

        `row` must change together with the data that is read afterwards.
        """
        async with AsyncExitStack() as stack:
            tx = None
            if time.monotonic() >= self.asked_from:
                try:
                    context = self.database.enter(type(row), sql, **params)
                    replica_row, replica_tx = await stack.enter_async_context(context)
                    if replica_row == row:
                        tx = replica_tx
                    else:
                        await replica_tx.release()
                except (Unavailable, psycopg.Error) as error:
                    # A replica that lacks a recent migration counts as unavailable, too.
                    self.leave_alone(error)
            try:
                yield tx
            except SerializationFailure as error:
                if tx is None:
                    raise
                # A standby cancels queries that block its replay. The next attempt uses the database.
                self.leave_alone(error)
                raise Unavailable from error

    def leave_alone(self, error: Exception) -> None:
        self.asked_from = time.monotonic() + limits.REPLICA_REST_SECONDS
        log.warning(
            "the replica can't be read",
            reason=type(error).__name__,
            again_in_seconds=limits.REPLICA_REST_SECONDS,
        )

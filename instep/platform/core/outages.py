"""Outages of PostgreSQL, distinguished by SQLSTATE (PostgreSQL documentation, appendix A)."""

import time
from collections.abc import Callable, Hashable

import psycopg
import structlog

from instep.platform.core.errors import Unavailable

log = structlog.get_logger()

# During an outage every request fails; each kind of outage is logged at most once per interval.
LOG_INTERVAL_SECONDS = 60.0


class DatabaseFull(Unavailable):
    """Nothing can be saved, since the disk of the database is full: free space there, then try again."""

    code = "database_full"
    retry_seconds = 30


class DatabaseReadOnly(Unavailable):
    """Nothing can be saved, since the database takes no writes at present: try again when it does."""

    code = "database_read_only"
    # After a failover the new primary accepts writes within seconds.
    retry_seconds = 5


class DatabaseOutOfMemory(Unavailable):
    """The database has no memory left for this: try again in a moment."""

    retry_seconds = 5


class DatabaseSlow(Unavailable):
    """The database took too long for this: try again in a moment."""

    retry_seconds = 5


BY_SQLSTATE: dict[str, type[Unavailable]] = {
    # disk_full
    "53100": DatabaseFull,
    # read_only_sql_transaction
    "25006": DatabaseReadOnly,
    # out_of_memory
    "53200": DatabaseOutOfMemory,
    # query_canceled, for example by the time limit of a statement
    "57014": DatabaseSlow,
}


def outage_of(error: BaseException | None) -> Unavailable:
    """The error for the caller, by the SQLSTATE of the driver's error."""
    state = error.sqlstate if isinstance(error, psycopg.Error) else None
    return BY_SQLSTATE.get(state or "", Unavailable)()


def is_conclusive(error: psycopg.Error) -> bool:
    """True if PostgreSQL itself reported the outage, so that another connection would fail too."""
    return error.sqlstate in BY_SQLSTATE


class Throttle:
    """Allows one log line of each kind per `LOG_INTERVAL_SECONDS`."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self.clock = clock
        self.logged_at: dict[Hashable, float] = {}

    def allows(self, kind: Hashable) -> bool:
        now = self.clock()
        if now - self.logged_at.get(kind, float("-inf")) < LOG_INTERVAL_SECONDS:
            return False
        self.logged_at[kind] = now
        return True


class OutageLog:
    """Logs each kind of outage at most once a minute."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self.throttle = Throttle(clock)

    def log(self, outage: Unavailable, error: BaseException | None) -> bool:
        """Log an outage; False if its kind was logged less than `LOG_INTERVAL_SECONDS` ago."""
        if not self.throttle.allows(type(outage).__name__):
            return False
        reason = " ".join(str(error).split()) if error else None
        log.error(
            "the database refuses work",
            code=outage.code,
            sqlstate=getattr(error, "sqlstate", None),
            reason=reason,
        )
        return True

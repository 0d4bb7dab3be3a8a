"""Which PostgreSQL this process uses: the operator's, or the embedded one in the data folder."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import psycopg

from instep.core.config import Settings
from instep.core.embedded import DatabaseUnavailable, EmbeddedPostgres

CONNECT_SECONDS = 10


@dataclass(frozen=True, slots=True)
class Postgres:
    """The address of the database; `embedded` is None for one that the operator runs."""

    url: str
    embedded: EmbeddedPostgres | None


@contextmanager
def running_postgres(settings: Settings) -> Iterator[Postgres]:
    """Start or join the embedded server, and leave it at the end: the last process to leave stops it."""
    if settings.database_url:
        refuse_unusable(settings.database_url)
        yield Postgres(settings.database_url, None)
        return
    with EmbeddedPostgres.attach(settings.data_dir) as embedded:
        yield Postgres(embedded.url, embedded)


def refuse_unusable(url: str) -> None:
    """Raise `DatabaseUnavailable` where nobody answers, or where texts would not be kept as UTF-8."""
    try:
        with psycopg.connect(url, connect_timeout=CONNECT_SECONDS) as connection:
            encoding = connection.info.parameter_status("server_encoding")
    except psycopg.OperationalError as error:
        reason = str(error).strip().splitlines()[0]
        raise DatabaseUnavailable(
            f"The database of INSTEP_DATABASE_URL does not let us in: {reason}"
        ) from None
    except psycopg.Error:
        # The message would repeat the address, and a password in it.
        raise DatabaseUnavailable("INSTEP_DATABASE_URL is not an address of PostgreSQL.") from None
    if encoding != "UTF8":
        raise DatabaseUnavailable(
            f"The database must be UTF8, and that of INSTEP_DATABASE_URL is {encoding}: create it with "
            "`create database instep owner instep encoding 'UTF8' template template0`."
        )

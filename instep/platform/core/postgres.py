"""The PostgreSQL server of this process: the operator's, or the embedded one in the data folder."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from types import MappingProxyType

import psycopg
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from instep.platform.core.embedded import DatabaseUnavailable, EmbeddedPostgres
from instep.platform.core.embedded.cluster import Cluster
from instep.platform.core.settings import Settings

# Keepalives detect that the remote machine is gone: seconds, and milliseconds for the last one.
# Without them a request would wait for a quarter of an hour, and an idle connection for two hours.
PATIENCE = {
    "connect_timeout": 5,
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 3,
    "tcp_user_timeout": 20_000,
}
# The choice among several hosts. After a failover a different one accepts writes, which each new
# connection finds by itself.
THE_PRIMARY = MappingProxyType({"target_session_attrs": "read-write"})
ANY_STANDBY = MappingProxyType({"target_session_attrs": "prefer-standby", "load_balance_hosts": "random"})
# The login role of requests and jobs on the embedded server, and the advisory lock for creating it.
LOGIN_ROLE = "instep_login"
LOGIN_LOCK = 4_927_001_734
# The login role may only switch to the application's role, which row-level security restricts.
CREATE_LOGIN_ROLE = f"""
    do $$ begin
      perform pg_advisory_xact_lock({LOGIN_LOCK});
      if to_regrole('{LOGIN_ROLE}') is null then
        create role {LOGIN_ROLE} login noinherit;
        grant instep_app to {LOGIN_ROLE};
      end if;
    end $$
"""


@dataclass(frozen=True, slots=True)
class Postgres:
    """The URL of the database; `embedded` is None for a server that the operator runs."""

    url: str
    embedded: EmbeddedPostgres | None


def application_url(postgres: Postgres) -> str:
    """The URL for requests and jobs; the schema must exist.

    The owner of the embedded server is its superuser. SQL injected into a request could switch back to the
    login role, so requests log in as a role without privileges.
    """
    if postgres.embedded is None:
        return postgres.url
    with psycopg.connect(postgres.url) as connection:
        connection.execute(CREATE_LOGIN_ROLE.encode())
    return make_conninfo(postgres.url, user=LOGIN_ROLE)


def has_database(settings: Settings) -> bool:
    """True if the operator has named a database, or the embedded server has one here."""
    return bool(settings.database_url) or Cluster(settings.data_dir).pgdata.exists()


@contextmanager
def running_postgres(settings: Settings) -> Iterator[Postgres]:
    """Start or join the embedded server, and leave it at the end; the last process to leave stops it."""
    if settings.database_url:
        url = completed_url(settings.database_url)
        refuse_unusable(url)
        yield Postgres(url, None)
        return
    with EmbeddedPostgres.attach(settings.data_dir) as embedded:
        yield Postgres(embedded.url, embedded)


def replica_url(settings: Settings) -> str | None:
    """The URL of the replica; with several, each new connection picks one at random, preferably a standby."""
    if settings.database_read_url is None:
        return None
    return completed_url(settings.database_read_url, "INSTEP_DATABASE_READ_URL", ANY_STANDBY)


def completed_url(
    url: str, variable: str = "INSTEP_DATABASE_URL", choice: Mapping[str, str] = THE_PRIMARY
) -> str:
    """The operator's URL with defaults for missing options; `choice` selects one of several hosts."""
    try:
        given = conninfo_to_dict(url)
    except psycopg.Error:
        # The driver's message would repeat the URL with its password.
        raise DatabaseUnavailable(f"{variable} is not a PostgreSQL URL.") from None
    left_open: dict[str, str | int] = dict(PATIENCE)
    if "," in f"{given.get('host', '')}{given.get('hostaddr', '')}":
        left_open |= choice
    return make_conninfo(url, **{name: value for name, value in left_open.items() if name not in given})


def refuse_unusable(url: str, variable: str = "INSTEP_DATABASE_URL") -> None:
    """Raise `DatabaseUnavailable` if there is no connection, or if the encoding is not UTF-8."""
    try:
        with psycopg.connect(url) as connection:
            encoding = connection.info.parameter_status("server_encoding")
    except psycopg.OperationalError as error:
        reason = str(error).strip().splitlines()[0]
        raise DatabaseUnavailable(f"The database of {variable} refuses the connection: {reason}") from None
    if encoding != "UTF8":
        raise DatabaseUnavailable(
            f"The database of {variable} has the encoding {encoding} instead of UTF8: create it"
            " with `create database instep owner instep encoding 'UTF8' template template0`."
        )

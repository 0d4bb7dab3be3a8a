"""The database schema: Alembic steps in plain SQL, applied under a lock."""

from pathlib import Path

import psycopg
from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from psycopg.errors import InsufficientPrivilege
from sqlalchemy import Connection, Engine, create_engine
from sqlalchemy.exc import ProgrammingError
from sqlalchemy.pool import NullPool

# Any number that no other user of the database locks.
LOCK = 4_927_001_733


class MigrationRefused(Exception):
    """The database user lacks a right that the schema needs."""

    def __init__(self, reason: str) -> None:
        super().__init__(
            f"The database user may not set up the schema ({reason.strip()}): give it the right to create "
            "roles (CREATEROLE) and to create in the schema public."
        )


def migrate(url: str) -> str:
    """Bring the schema at `url` up to date and return its revision; callers wait for each other."""
    with owner(url).connect() as connection:
        connection.exec_driver_sql(f"select pg_advisory_lock({LOCK})")
        connection.commit()
        config = configuration()
        config.attributes["connection"] = connection
        try:
            command.upgrade(config, "head")
        except ProgrammingError as error:
            if not isinstance(error.orig, InsufficientPrivilege):
                raise
            raise MigrationRefused(str(error.orig).splitlines()[0]) from None
        connection.commit()
        return revision(connection) or ""


def is_current(url: str) -> bool:
    """Whether the schema at `url` is the one this version of Instep was written for."""
    with owner(url).connect() as connection:
        return revision(connection) == head()


def head() -> str | None:
    return ScriptDirectory.from_config(configuration()).get_current_head()


def revision(connection: Connection) -> str | None:
    return MigrationContext.configure(connection).get_current_revision()


def owner(url: str) -> Engine:
    return create_engine("postgresql+psycopg://", creator=lambda: psycopg.connect(url), poolclass=NullPool)


def configuration() -> Config:
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent))
    return config

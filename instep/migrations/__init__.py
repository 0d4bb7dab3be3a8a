"""The database schema: Alembic steps in plain SQL, applied under a lock."""

from pathlib import Path

import psycopg
from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, Engine, create_engine
from sqlalchemy.pool import NullPool

# Any number that no other user of the database locks.
LOCK = 4_927_001_733


def migrate(url: str) -> str:
    """Bring the schema at `url` up to date and return its revision; callers wait for each other."""
    with owner(url).connect() as connection:
        connection.exec_driver_sql(f"select pg_advisory_lock({LOCK})")
        connection.commit()
        config = configuration()
        config.attributes["connection"] = connection
        command.upgrade(config, "head")
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

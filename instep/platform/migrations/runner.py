"""Runs the missing migrations with Alembic, under a lock."""

import psycopg
from alembic import command
from alembic.config import Config
from psycopg.errors import InsufficientPrivilege
from sqlalchemy import create_engine
from sqlalchemy.exc import DBAPIError
from sqlalchemy.pool import NullPool

from instep.platform import migrations
from instep.platform.core.outages import is_conclusive, outage_of
from instep.platform.migrations import MigrationRefused

# An arbitrary key that no other user of the database locks.
LOCK = 4_927_001_733


def run_migrations(url: str, revision: str = "head") -> None:
    """Run every migration up to this revision that the schema at `url` lacks."""
    engine = create_engine("postgresql+psycopg://", creator=lambda: psycopg.connect(url), poolclass=NullPool)
    with engine.connect() as connection:
        connection.exec_driver_sql(f"select pg_advisory_lock({LOCK})")
        connection.commit()
        config = Config()
        config.set_main_option("script_location", str(migrations.VERSIONS.parent))
        config.attributes["connection"] = connection
        try:
            command.upgrade(config, revision)
        except DBAPIError as error:
            raise refusal_of(error) from None
        connection.commit()


def refusal_of(error: DBAPIError) -> Exception:
    """An error that tells the operator what to do, or else `error` itself."""
    reason = error.orig
    if isinstance(reason, InsufficientPrivilege):
        return MigrationRefused(str(reason).splitlines()[0])
    return outage_of(reason) if isinstance(reason, psycopg.Error) and is_conclusive(reason) else error

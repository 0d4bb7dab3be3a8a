"""The steps that are left to the newest schema: Alembic's, in plain SQL, taken under a lock."""

from pathlib import Path

import psycopg
from alembic import command
from alembic.config import Config
from psycopg.errors import InsufficientPrivilege
from sqlalchemy import create_engine
from sqlalchemy.exc import DBAPIError
from sqlalchemy.pool import NullPool

from instep.core.outages import is_conclusive, outage_of
from instep.migrations import MigrationRefused

# Any number that no other user of the database locks.
LOCK = 4_927_001_733


def take_steps(url: str, target: str = "head") -> None:
    """Take all steps up to the revision `target` that the schema at `url` does not have behind it."""
    engine = create_engine("postgresql+psycopg://", creator=lambda: psycopg.connect(url), poolclass=NullPool)
    with engine.connect() as connection:
        connection.exec_driver_sql(f"select pg_advisory_lock({LOCK})")
        connection.commit()
        config = Config()
        config.set_main_option("script_location", str(Path(__file__).parent))
        config.attributes["connection"] = connection
        try:
            command.upgrade(config, target)
        except DBAPIError as error:
            raise refusal_of(error) from None
        connection.commit()


def refusal_of(error: DBAPIError) -> Exception:
    """What an operator can act on, or the error itself."""
    reason = error.orig
    if isinstance(reason, InsufficientPrivilege):
        return MigrationRefused(str(reason).splitlines()[0])
    return outage_of(reason) if isinstance(reason, psycopg.Error) and is_conclusive(reason) else error

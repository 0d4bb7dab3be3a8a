"""Runs the missing migrations under a lock, each in a transaction of its own."""

import psycopg
from psycopg import Connection
from psycopg.errors import InsufficientPrivilege

from instep.platform import migrations
from instep.platform.core.outages import is_conclusive, outage_of
from instep.platform.migrations import MigrationRefused

# An arbitrary key that no other user of the database locks.
LOCK = 4_927_001_733
# The table with the revision of a database.
TABLE = """
    create table if not exists alembic_version (
        version_num varchar(32) not null constraint alembic_version_pkc primary key
    )
"""


def run_migrations(url: str, revision: str) -> None:
    """Run every migration up to this revision that the schema at `url` lacks."""
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("select pg_advisory_lock(%s)", [LOCK])
        try:
            connection.execute(TABLE)
            row = connection.execute("select version_num from alembic_version").fetchone()
            present = row[0] if row else ""
            for number, files in migrations.migration_files().items():
                if present < number <= revision:
                    migrate_one(connection, number, [file.read_text(encoding="utf-8") for file in files])
        except psycopg.Error as error:
            raise refusal_of(error) from None


def migrate_one(connection: Connection, revision: str, scripts: list[str]) -> None:
    with connection.transaction():
        connection.execute("set local lock_timeout = '5s'")
        for script in scripts:
            connection.execute(script.encode())
        connection.execute("delete from alembic_version")
        connection.execute("insert into alembic_version values (%s)", [revision])


def refusal_of(error: psycopg.Error) -> Exception:
    """An error that says what the operator can do, or `error` itself."""
    if isinstance(error, InsufficientPrivilege):
        return MigrationRefused(str(error).splitlines()[0])
    return outage_of(error) if is_conclusive(error) else error

"""The database schema, step by step in `versions`, and which of the steps a database has behind it."""

from contextlib import suppress
from pathlib import Path

import psycopg
from psycopg.errors import InsufficientPrivilege

from instep.core.errors import Unusable
from instep.core.progress import tell

VERSIONS = Path(__file__).parent / "versions"


class MigrationRefused(Unusable):
    """The database user lacks a right that the schema needs."""

    def __init__(self, reason: str) -> None:
        super().__init__(
            f"The database user may not set up the schema ({reason.strip()}): give it the right to create "
            "roles (CREATEROLE) and to create in the schema public."
        )


def migrate(url: str) -> str:
    """Bring the schema at `url` up to date and return its revision; callers wait for each other."""
    newest = head()
    present = revision_at(url)
    if present != newest:
        missing = [revision for revision in revisions() if revision > (present or "")]
        tell(f"Applying {len(missing)} migration{'s' if len(missing) != 1 else ''} …")
        # What takes the steps takes a while to load; nearly always there is none to take.
        from instep.migrations.steps import take_steps

        take_steps(url)
    return newest


def head() -> str:
    """The revision that this version of Instep was written for; each file's name begins with its own."""
    return max(revisions())


def revisions() -> list[str]:
    return [file.name.partition("_")[0] for file in VERSIONS.glob("[0-9]*.py")]


def revision_at(url: str) -> str | None:
    """None where there is no schema yet, or none that this user of the database may look at."""
    with psycopg.connect(url) as connection, suppress(InsufficientPrivilege):
        if connection.execute("select to_regclass('alembic_version')").fetchone() != (None,):
            row = connection.execute("select version_num from alembic_version").fetchone()
            return row[0] if row else None
    return None

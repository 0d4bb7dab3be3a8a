"""The database schema: a baseline, the migrations after it in `versions`, and the revision of a database.

Migrations only go forward. A schema change is a new file in `versions`; `baseline` is never changed. Its
revision is the last of the development versions before it, which led to the same schema.
"""

from contextlib import suppress
from pathlib import Path

import psycopg
from psycopg.errors import InsufficientPrivilege

from instep.platform.core.errors import Unusable
from instep.platform.core.progress import tell

VERSIONS = Path(__file__).parent / "versions"
# The revision of the schema in `baseline`, which has a file for each area.
BASELINE = "0061"


class MigrationRefused(Unusable):
    """The database user lacks a right that the schema needs."""

    def __init__(self, reason: str) -> None:
        super().__init__(
            f"The database user is not allowed to set up the schema ({reason.strip()}): give it the right"
            " to create roles (CREATEROLE) and to create in the schema public."
        )


class UnknownRevision(Unusable):
    """The database has a schema that no migration of this version leads to or from."""

    def __init__(self, revision: str) -> None:
        super().__init__(
            f"This version of Instep does not know the revision {revision} of the database's schema: use the "
            "version that made it. If that is older than the first release, run `instep migrate` with the "
            f"last version before the release, which leads to revision {min(revisions())}, and then use this."
        )


class RestoreUnfinished(Unusable):
    """A restore into this database was interrupted: run `instep restore` again, or use another database."""

    def __init__(self) -> None:
        super().__init__(" ".join((self.__doc__ or "").split()))


# `instep restore` creates this table before it changes anything, and removes it at its end.
UNFINISHED_RESTORE = "unfinished_restore"


def migrate(url: str) -> str:
    """Update the schema at `url` and return its revision; concurrent callers wait for each other."""
    newest = head()
    present = revision_at(url)
    if is_being_restored(url):
        raise RestoreUnfinished
    if present is not None and present not in revisions():
        raise UnknownRevision(present)
    if present != newest:
        missing = [revision for revision in revisions() if revision > (present or "")]
        tell(f"Applying {len(missing)} migration{'s' if len(missing) != 1 else ''} …")
        migrate_to(url, newest)
    return newest


def migrate_to(url: str, revision: str) -> None:
    """Create the schema of a revision, or migrate forward to it."""
    from instep.platform.migrations.runner import run_migrations

    run_migrations(url, revision)


def head() -> str:
    """The revision that this version of Instep needs; the name of each migration begins with its revision."""
    return max(revisions())


def revisions() -> list[str]:
    return list(migration_files())


def migration_files() -> dict[str, list[Path]]:
    """The files of each revision, in the order in which they run."""
    areas = sorted((VERSIONS.parent / "baseline").glob("*.sql"))
    changes = sorted(VERSIONS.glob("[0-9]*.sql"))
    return {BASELINE: areas, **{file.name.partition("_")[0]: [file] for file in changes}}


def is_being_restored(url: str) -> bool:
    """True if a restore has begun here and has not finished."""
    with psycopg.connect(url) as connection:
        return connection.execute("select to_regclass(%s)", [UNFINISHED_RESTORE]).fetchone() != (None,)


def revision_at(url: str) -> str | None:
    """The revision of the schema; None when there is no schema, or when the user may not read it."""
    with psycopg.connect(url) as connection, suppress(InsufficientPrivilege):
        if connection.execute("select to_regclass('alembic_version')").fetchone() != (None,):
            row = connection.execute("select version_num from alembic_version").fetchone()
            return row[0] if row else None
    return None

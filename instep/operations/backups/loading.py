"""Loads the tables of a backup into a schema of the same revision, in one transaction."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from obstore.store import ObjectStore
from psycopg.sql import SQL, Identifier

from instep.operations.backups.backup_file import Archive
from instep.operations.backups.errors import RestoreFailed
from instep.operations.backups.manifest import Manifest, TablePart
from instep.operations.backups.stored_objects import load_objects
from instep.operations.backups.tables import Connection, Table, stored_tables

Progress = Callable[[str], None]

# Foreign keys of a schema, and the statements that create them again.
FOREIGN_KEYS = """
    select conrelid::regclass::text, conname::text, pg_get_constraintdef(oid)
    from pg_constraint where contype = 'f' and connamespace = 'public'::regnamespace
    order by 1, 2
"""


def load_tables(
    connection: Connection, archive: Archive, bucket: ObjectStore | None, progress: Progress
) -> None:
    """Load every part; the caller's transaction makes this all or nothing."""
    manifest = archive.manifest
    tables = stored_tables(connection)
    refuse_other_columns(manifest, tables)
    names = SQL(", ").join(Identifier("public", table.name) for table in tables)
    with without_constraints(connection, tables):
        # Migrations write their own rows, such as the first workspace.
        connection.execute(SQL("truncate {} cascade").format(names))
        for part in manifest.tables:
            load_table(connection, archive, part)
            if part.rows:
                progress(f"{part.table}: {part.rows:,}")
        load_objects(connection, bucket, archive.read(manifest.objects, manifest.objects.name))
    set_sequences(connection, manifest)


def refuse_other_columns(manifest: Manifest, tables: list[Table]) -> None:
    here = {table.name: set(table.columns) for table in tables}
    there = {part.table: set(part.columns) for part in manifest.tables}
    different = sorted(name for name in here.keys() | there.keys() if here.get(name) != there.get(name))
    if different:
        raise RestoreFailed(
            f"The tables {', '.join(different)} are not those of revision {manifest.revision}: restore the "
            f"backup with version {manifest.version} of Instep, which made it."
        )


def load_table(connection: Connection, archive: Archive, part: TablePart) -> None:
    statement = SQL("copy {} from stdin").format(Table(part.table, part.columns).sql)
    with connection.cursor() as cursor, cursor.copy(statement) as rows:
        for piece in archive.read(part, part.name):
            rows.write(piece)


@contextmanager
def without_constraints(connection: Connection, tables: list[Table]) -> Iterator[None]:
    """Remove foreign keys and triggers, as tables refer to each other; re-adding them validates all rows.

    A superuser could disable both; the owner of the tables can't.
    """
    foreign_keys = connection.execute(FOREIGN_KEYS.encode()).fetchall()
    for table, name, _ in foreign_keys:
        connection.execute(SQL("alter table {} drop constraint {}").format(SQL(table), Identifier(name)))
    switch_triggers(connection, tables, "disable")
    yield
    switch_triggers(connection, tables, "enable")
    for table, name, definition in foreign_keys:
        connection.execute(
            SQL("alter table {} add constraint {} {}").format(SQL(table), Identifier(name), SQL(definition))
        )


def switch_triggers(connection: Connection, tables: list[Table], switch: str) -> None:
    for table in tables:
        connection.execute(
            SQL("alter table {} {} trigger user").format(Identifier("public", table.name), SQL(switch))
        )


def set_sequences(connection: Connection, manifest: Manifest) -> None:
    for table, columns in manifest.sequences.items():
        for column, last in columns.items():
            connection.execute(
                "select setval(pg_get_serial_sequence(%(table)s, %(column)s), %(last)s) where %(last)s > 0",
                {"table": f"public.{table}", "column": column, "last": last},
            )

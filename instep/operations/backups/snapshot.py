"""Makes a backup while the installation serves: one snapshot of all tables, and the files of the bucket.

The snapshot is a transaction that sees the database as of one moment (REPEATABLE READ). It blocks no other
transaction and waits for none. The secret key is not in a backup: data encrypted with it stays encrypted.
"""

import os
import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path
from threading import Event
from typing import BinaryIO

import psycopg
from obstore.store import ObjectStore
from psycopg.sql import SQL

from instep import __version__
from instep.content.files.storage import BACKUP_LOCK
from instep.operations.backups.backup_file import ArchiveWriter, open_archive
from instep.operations.backups.errors import BackupFailed, Stopped
from instep.operations.backups.manifest import FORMAT, OBJECTS, Manifest, ObjectsPart, TablePart
from instep.operations.backups.stored_objects import write_objects
from instep.operations.backups.tables import Connection, Table, list_sequences, stored_tables
from instep.platform.core.database import OUTAGES
from instep.platform.core.disk import sync_folder
from instep.platform.core.outages import outage_of
from instep.platform.migrations import UnknownRevision, revision_at, revisions

APPLICATION = "instep backup"
# Session settings: a large table takes longer than the server's default statement timeout.
OPTIONS = "-c statement_timeout=0 -c idle_in_transaction_session_timeout=0"

Progress = Callable[[str], None]


def make_backup(
    url: str,
    bucket: ObjectStore | None,
    path: Path,
    progress: Progress = lambda _: None,
    stop: Event | None = None,
) -> Manifest:
    """Write a backup of the database at `url`, as its owner, and of the bucket, to a new file.

    The file gets its name once it is complete and was read back. Raises `BackupFailed` if it can't be written
    or exists, and `Stopped` after `stop` was set.
    """
    with new_file(path) as (file, draft):
        archive = ArchiveWriter(file)
        try:
            manifest = write_snapshot(url, bucket, archive, progress, stop or Event())
        except OUTAGES as error:
            raise BackupFailed(f"The backup failed: {outage_of(error).message}") from None
        finally:
            archive.abandon()
        file.flush()
        os.fsync(file.fileno())
        progress("Reading it back …")
        with open_archive(draft):
            return manifest


@contextmanager
def new_file(path: Path) -> Iterator[tuple[BinaryIO, Path]]:
    """A file that only its owner may read, under a temporary name until it is complete."""
    draft = path.with_name(f".{path.name}.{secrets.token_hex(4)}.part")
    if path.exists():
        raise BackupFailed(f"{path} already exists: name a new file.")
    try:
        descriptor = os.open(draft, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
        try:
            with os.fdopen(descriptor, "w+b") as file:
                yield file, draft
            draft.rename(path)
            sync_folder(path.parent)
        finally:
            with suppress(FileNotFoundError):
                draft.unlink()
    except OSError as error:
        raise BackupFailed(f"{path} can't be written: {error.strerror or error}.") from None


def write_snapshot(
    url: str, bucket: ObjectStore | None, archive: ArchiveWriter, progress: Progress, stop: Event
) -> Manifest:
    revision = known_revision(url)
    with psycopg.connect(url, autocommit=True, options=OPTIONS, application_name=APPLICATION) as connection:
        connection.execute("select pg_advisory_lock_shared(%s)", [BACKUP_LOCK])
        connection.execute("begin transaction isolation level repeatable read, read only")
        created_at = moment_of(connection)
        tables = [
            write_table(connection, table, archive, progress, stop) for table in stored_tables(connection)
        ]
        with archive.part(OBJECTS) as part:
            counts = write_objects(connection, bucket, part, stop)
        if counts.count:
            progress(f"files of the bucket: {counts.count:,}")
        sequences: dict[str, dict[str, int]] = {}
        for sequence in list_sequences(connection):
            sequences.setdefault(sequence.table, {})[sequence.column] = sequence.last
        manifest = Manifest(
            format=FORMAT,
            version=__version__,
            revision=revision,
            created_at=created_at,
            tables=tables,
            sequences=sequences,
            objects=ObjectsPart(
                bytes=part.bytes, sha256=part.sha256, count=counts.count, missing=counts.missing
            ),
        )
        archive.finish(manifest)
        return manifest


def known_revision(url: str) -> str:
    revision = revision_at(url)
    if revision is None:
        raise BackupFailed("There is nothing to back up: the database is empty.")
    if revision not in revisions():
        raise UnknownRevision(revision)
    return revision


def moment_of(connection: Connection) -> datetime:
    """The time of the snapshot, which the first statement of the transaction sets."""
    row = connection.execute("select now()").fetchone()
    assert row is not None, "the statement returns a row"
    moment: datetime = row[0]
    return moment


def write_table(
    connection: Connection, table: Table, archive: ArchiveWriter, progress: Progress, stop: Event
) -> TablePart:
    statement = SQL("copy {} to stdout").format(table.sql)
    with (
        archive.part(f"tables/{table.name}") as part,
        connection.cursor() as cursor,
        cursor.copy(statement) as rows,
    ):
        for row in rows:
            part.write(bytes(row))
            if stop.is_set():
                raise Stopped
    if part.lines:
        progress(f"{table.name}: {part.lines:,}")
    return TablePart(
        table=table.name, columns=table.columns, rows=part.lines, bytes=part.bytes, sha256=part.sha256
    )

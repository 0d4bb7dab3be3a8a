"""The jobs of backups: a daily backup to `INSTEP_BACKUPS`, and erasure marks next to it."""

import asyncio
import time
from contextlib import suppress
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from threading import Event

import psycopg
import structlog

from instep.accounts.workspaces.backup_state import find_backup_state
from instep.content.files.storage import open_bucket
from instep.operations.backups import destinations
from instep.operations.backups.destinations import Destination
from instep.operations.backups.erasure_ledger import write_marks
from instep.operations.backups.errors import Stopped
from instep.operations.backups.snapshot import make_backup
from instep.operations.backups.tables import Connection, try_lock
from instep.platform.core import limits
from instep.platform.core.clock import utc_now
from instep.platform.core.config import settings
from instep.platform.core.database import OUTAGES, Database
from instep.platform.core.errors import Unusable
from instep.platform.core.jobs import Job, defer, schedule_next, schedule_recurring
from instep.platform.core.settings import Settings
from instep.visitors.privacy.erasure_marks import ErasureMark, list_marks

log = structlog.get_logger()

BACK_UP = "back_up"
INTERVAL = timedelta(hours=limits.BACKUP_INTERVAL_HOURS)
RETRY_DELAY = timedelta(minutes=limits.BACKUP_RETRY_MINUTES)
# If a run is scheduled twice, the second one finds a recent backup.
MIN_INTERVAL = INTERVAL - timedelta(hours=1)
SCHEDULE_LOCK = 4_927_001_737
# A temporary file that was not written for this long is abandoned; the run's lock protects uploads.
DRAFT_RETENTION = timedelta(days=2)
RUN_RETENTION = timedelta(days=400)


async def schedule_backups(database: Database) -> None:
    """Schedule a backup a day after the last one, or at once without one; never without the setting."""
    if settings().backups is None:
        return
    async with database.enter_workspace("") as tx:
        state = await find_backup_state(tx)
        run_at = utc_now() if state.began_at is None else max(utc_now(), state.began_at + INTERVAL)
        await defer(tx, BACK_UP, {}, run_at=run_at, dedupe=BACK_UP)


async def back_up(database: Database, owner_url: str, job: Job) -> None:
    """Make the daily backup as the database's owner; a failed one is retried after an hour."""
    if settings().backups is None:
        return
    await schedule_next(partial(schedule_run, database, INTERVAL))
    marks, stop = await read_marks_of(database), Event()
    try:
        succeeded = await asyncio.to_thread(run_scheduled, settings(), owner_url, marks, stop)
    except asyncio.CancelledError:
        stop.set()
        raise
    if not succeeded:
        await schedule_run(database, RETRY_DELAY)


async def schedule_run(database: Database, wait: timedelta) -> None:
    await schedule_recurring(database, BACK_UP, wait)


async def keep_erasures(database: Database, job: Job) -> None:
    """Write the erasure marks that are not next to the backups yet."""
    if marks := await read_marks_of(database):
        await asyncio.to_thread(lambda: write_marks(destinations.erasures_destination(settings()), marks))


async def read_marks_of(database: Database) -> list[ErasureMark]:
    async with database.enter_workspace("") as tx:
        return await list_marks(tx)


def run_scheduled(settings: Settings, owner_url: str, marks: list[ErasureMark], stop: Event) -> bool:
    """Make, store and record one backup, unless another process does or has; return False on failure."""
    with (
        psycopg.connect(owner_url, autocommit=True) as connection,
        try_lock(connection, SCHEDULE_LOCK) as is_locked,
    ):
        if not is_locked or has_recent_backup(connection):
            return True
        began_at, started = utc_now(), time.monotonic()
        name = destinations.backup_name(began_at)
        try:
            write_marks(destinations.scheduled_destination(settings), marks)
            size = store_backup(settings, owner_url, name, stop)
        except Stopped:
            return True
        except (Unusable, *OUTAGES) as error:
            log.error("the scheduled backup failed", reason=str(error))
            note_run(connection, began_at, None, None, str(error))
            return False
        note_run(connection, began_at, name, size, None)
        log.info("backed up", name=name, bytes=size, seconds=round(time.monotonic() - started, 1))
        return True


def has_recent_backup(connection: Connection) -> bool:
    recent = "select from backup_runs where name is not null and began_at > now() - %s limit 1"
    return connection.execute(recent, [MIN_INTERVAL]).rowcount > 0


def note_run(
    connection: Connection, began_at: datetime, name: str | None, size: int | None, error: str | None
) -> None:
    connection.execute(
        """
        insert into backup_runs (began_at, ended_at, name, bytes, error)
        values (%s, clock_timestamp(), %s, %s, %s)
        """,
        [began_at, name, size, error],
    )
    connection.execute("delete from backup_runs where began_at < now() - %s", [RUN_RETENTION])


def store_backup(settings: Settings, owner_url: str, name: str, stop: Event) -> int:
    """Make a backup at its destination or, for a bucket, in the data folder first; return its size."""
    destination = destinations.scheduled_destination(settings)
    folder = destination.folder or settings.data_dir
    remove_drafts(folder)
    bucket = open_bucket(settings.files) if settings.files else None
    # Before its upload to a bucket it has a temporary name, so that a later run removes it after a crash.
    path = folder / (name if destination.folder else f".{name}.part")
    make_backup(owner_url, bucket, path, stop=stop)
    size = path.stat().st_size
    if destination.folder is None:
        try:
            destination.put(name, path)
        finally:
            path.unlink()
    remove_old(destination, settings.backup_keep)
    return size


def remove_old(destination: Destination, keep: int) -> None:
    """Keep the newest backups; never remove files with other names."""
    for name in destination.list_names()[:-keep]:
        destination.remove(name)


def remove_drafts(folder: Path) -> None:
    """Remove files left by a killed process."""
    oldest = time.time() - DRAFT_RETENTION.total_seconds()
    # `make_backup` writes to the same name with an additional leading dot.
    for draft in folder.glob(".*instep-*.part"):
        with suppress(FileNotFoundError):
            if draft.stat().st_mtime < oldest:
                draft.unlink()

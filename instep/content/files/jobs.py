"""The sweep of files, which runs every hour and right after a deletion."""

from datetime import timedelta
from functools import partial

from instep.content.files.actions import SWEEP_FILES
from instep.content.files.queries import FreedObject, list_removable, remove_unreferenced
from instep.content.files.storage import Storages
from instep.platform.core.clock import utc_now
from instep.platform.core.database import Database
from instep.platform.core.jobs import Job, schedule_next, schedule_recurring

EVERY = timedelta(hours=1)
# The number of rows per statement; their objects are removed from the bucket one by one.
REMOVED_AT_ONCE = 200


async def schedule_sweep(database: Database) -> None:
    """Schedule one sweep in an hour, however many processes ask."""
    await schedule_recurring(database, SWEEP_FILES, EVERY)


async def sweep_files(database: Database, storages: Storages, job: Job) -> None:
    """Remove files that no text has referred to for long enough, and objects that belong to no file."""
    await schedule_next(partial(schedule_sweep, database))
    async with database.enter_workspace("") as tx:
        while await remove_unreferenced(tx, utc_now(), REMOVED_AT_ONCE) == REMOVED_AT_ONCE:
            pass
    if storages.bucket is not None:
        while freed_objects := await removable(database):
            for freed in freed_objects:
                await storages.bucket.remove(freed.workspace_id, freed.key)
            if len(freed_objects) < REMOVED_AT_ONCE:
                break


async def removable(database: Database) -> list[FreedObject]:
    async with database.enter_workspace("") as tx:
        return await list_removable(tx, utc_now(), REMOVED_AT_ONCE)

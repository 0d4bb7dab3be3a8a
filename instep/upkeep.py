"""Housekeeping that returns every hour: rows that have done their work are removed."""

from datetime import timedelta

from instep.core import limits
from instep.core.clock import utc_now
from instep.core.database import Database
from instep.core.jobs import Job, defer

PRUNE = "prune"
EVERY = timedelta(hours=1)
# No window is longer than an hour; twice that leaves nothing that still counts.
RATE_WINDOWS_KEPT = timedelta(hours=2)


async def schedule_prune(database: Database) -> None:
    """Have it run an hour from now, once, however many processes ask."""
    async with database.enter_workspace("") as tx:
        await defer(tx.connection, PRUNE, {}, run_at=utc_now() + EVERY, dedupe=PRUNE)


async def prune(database: Database, job: Job) -> None:
    async with database.enter_workspace("") as tx:
        await tx.run("select prune_rate_windows(%(age)s)", age=RATE_WINDOWS_KEPT)
        keys_kept = timedelta(hours=limits.IDEMPOTENCY_HOURS)
        await tx.run("select prune_idempotency_keys(%(age)s)", age=keys_kept)
    await schedule_prune(database)

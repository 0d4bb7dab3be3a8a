"""The job of an uploaded import: reads and plans it and, after a person confirms, imports it.

If a worker dies, the row is unchanged, and the next attempt continues after the last batch.
"""

import asyncio
from contextlib import suppress

from instep.content.files.storage import ObjectMissing, Storages
from instep.platform.core import limits
from instep.platform.core.database import Database
from instep.platform.core.errors import PlanInactive
from instep.platform.core.jobs import Job, defer
from instep.platform.identity.access import refuse_paused
from instep.platform.identity.job_context import job_context
from instep.platform.identity.schemas import Actor, Bot
from instep.transfer.imports import queries
from instep.transfer.imports.plan.source_planning import plan_source
from instep.transfer.imports.report_forms import as_stored
from instep.transfer.imports.schemas import ImportRow
from instep.transfer.imports.source.source_reading import Source
from instep.transfer.imports.tree.schemas import UnreadableSource
from instep.transfer.imports.write.running import ImportRun, run_plan

SERVICE = Actor("task", "Instep", can_write=True, channel="job")
FAILED = (
    "The import failed after several attempts because of an internal error. Everything imported so far is"
    " kept: upload the archive again."
)
MISSING = "The archive is no longer stored: upload it again."


async def run_import(database: Database, storages: Storages, job: Job) -> None:
    """Run the next step of an import, depending on its state; a finished import is left alone."""
    payload = job.payload
    try:
        async with job_context(database, payload, SERVICE) as ctx, ctx.tx.transaction():
            await refuse_paused(ctx)
            row = await queries.find(ctx, payload["import"])
            bot = ctx.bot
        if row is None or not row.is_under_way:
            return
        source = await load_source(storages, row, bot)
        if row.state == "reading":
            await plan_row(database, payload, row, source)
        else:
            await import_row(database, storages, payload, row, source, bot)
    except UnreadableSource as refusal:
        await fail(database, payload, str(refusal))
    except PlanInactive:
        await retry_later(database, job)


async def give_up_import(database: Database, job: Job) -> None:
    """Fail an import whose job failed, or killed its worker, in its last attempt."""
    await fail(database, job.payload, FAILED)


async def plan_row(database: Database, payload: dict[str, str], row: ImportRow, source: Source) -> None:
    plan = await plan_source(database, payload, SERVICE, source, row.format)
    async with job_context(database, payload, SERVICE) as ctx, ctx.tx.transaction():
        await queries.set_plan(ctx, row.id, plan.tree.format, plan.source, as_stored(plan.report))


async def import_row(
    database: Database,
    storages: Storages,
    payload: dict[str, str],
    row: ImportRow,
    source: Source,
    bot: Bot,
) -> None:
    """Plan again, because the bot may have changed since the confirmation, and import."""
    plan = await plan_source(database, payload, SERVICE, source, row.format, prunes=row.prunes)
    files = await asyncio.to_thread(source.open)
    # The person who started the import is the author of its changes.
    actor = Actor(row.author_type, row.author_name, can_write=True, channel="job")
    async with job_context(database, payload, SERVICE) as ctx:
        await queries.set_progress(ctx, row.id, 0, plan.total)
    run = ImportRun(
        *(database, storages.for_new_files, bot, actor, row.id, plan, files), tell=lambda done, total: None
    )
    report = await run_plan(run)
    async with job_context(database, payload, SERVICE) as ctx, ctx.tx.transaction():
        await queries.end(ctx, row.id, as_stored(report), None)


async def load_source(storages: Storages, row: ImportRow, bot: Bot) -> Source:
    assert row.object_key is not None, "an import that a worker runs has an archive"
    assert row.bytes is not None, "an archive has a size"
    for storage in filter(None, (storages.for_new_files, storages.database)):
        with suppress(ObjectMissing):
            stream = storage.read(bot.workspace_id, row.object_key, 0, row.bytes)
            return Source(row.name, archive=b"".join([piece async for piece in stream]), site=row.site)
    raise UnreadableSource(MISSING)


async def retry_later(database: Database, job: Job) -> None:
    """Postpone the job: a paused workspace refuses writes, so its imports wait until it is resumed."""
    async with job_context(database, job.payload, SERVICE) as ctx:
        run_at = ctx.now + limits.PAUSED_TASK_RETRY_DELAY
        await defer(ctx.tx, job.kind, job.payload, run_at=run_at)


async def fail(database: Database, payload: dict[str, str], error: str) -> None:
    async with job_context(database, payload, SERVICE) as ctx, ctx.tx.transaction():
        await queries.end(ctx, payload["import"], None, error)

"""The daily job of an API reference: import the document at its address, and send what changed as a task."""

from collections.abc import Mapping

from instep.content.files.storage import Storages
from instep.drafting.tasks import actions as tasks
from instep.drafting.tasks.schemas import TaskCreate
from instep.platform.core import limits
from instep.platform.core.database import Database
from instep.platform.core.errors import PlanInactive
from instep.platform.core.jobs import Job
from instep.platform.core.outbound.client import OutboundClient
from instep.platform.core.sandbox import TimeLimitExceeded, run_with_timeout
from instep.platform.identity.access import refuse_paused
from instep.platform.identity.job_context import job_context
from instep.platform.identity.schemas import Actor
from instep.platform.text.diff import compare
from instep.platform.text.slugs import slugify
from instep.platform.web.errors import body_from
from instep.transfer.api_references import queries
from instep.transfer.api_references.actions import next_update, schedule_update
from instep.transfer.api_references.schemas import ApiReference
from instep.transfer.imports import actions as imports
from instep.transfer.imports.openapi.operation_settings import descriptions_in
from instep.transfer.imports.plan.source_planning import plan_source
from instep.transfer.imports.source.source_reading import TOO_COSTLY, Source, download_archive
from instep.transfer.imports.tree.schemas import UnreadableSource
from instep.transfer.imports.write.running import ImportRun, run_plan

UPDATER = Actor("task", "Instep", can_write=True, channel="job")
FORMAT = "openapi"


async def update_api_reference(
    database: Database, storages: Storages, client: OutboundClient, job: Job
) -> None:
    """Import the document as it is now; the reference shows errors."""
    async with job_context(database, job.payload, UPDATER) as ctx, ctx.tx.transaction():
        reference = await queries.find(ctx, job.payload["reference"])
        if reference is None:
            return
        # Before the work, which may fail for longer than a job is retried.
        await schedule_update(ctx, reference.id, next_update(ctx.now))
    try:
        async with job_context(database, job.payload, UPDATER) as ctx, ctx.tx.transaction():
            await refuse_paused(ctx)
    except PlanInactive:
        return
    error = None
    try:
        content = await download_archive(client, reference.url)
        descriptions = await run_with_timeout(
            descriptions_in, content, reference.url, seconds=limits.MAX_IMPORT_SECONDS
        )
        await import_document(database, storages, job, reference, content)
        if descriptions != reference.descriptions:
            await record_document(database, job, reference, descriptions)
            return
    except UnreadableSource as refusal:
        error = str(refusal)
    except TimeLimitExceeded:
        error = TOO_COSTLY
    async with job_context(database, job.payload, UPDATER) as ctx, ctx.tx.transaction():
        await queries.record_check(ctx, reference.id, error)


async def import_document(
    database: Database, storages: Storages, job: Job, reference: ApiReference, content: bytes
) -> None:
    """Write the pages; archive the pages of removed operations.

    The source has the reference's id as its name, because addresses may differ in their query alone.
    """
    source = Source(reference.id, archive=content)
    plan = await plan_source(database, job.payload, UPDATER, source, FORMAT, prunes=True)
    if plan.report.changes_nothing:
        return
    async with job_context(database, job.payload, UPDATER) as ctx, ctx.tx.transaction():
        bot = ctx.bot
        name = reference.url[-limits.MAX_FILE_NAME_CHARACTERS :]
        row = await imports.begin_by_command(ctx, name, FORMAT, plan.source, plan.total)
    run = ImportRun(
        *(database, storages.for_new_files, bot, UPDATER, row.id, plan, source.open()),
        tell=lambda done, total: None,
    )
    report = await run_plan(run)
    async with job_context(database, job.payload, UPDATER) as ctx, ctx.tx.transaction():
        await imports.end_by_command(ctx, row.id, report)


async def record_document(
    database: Database, job: Job, reference: ApiReference, descriptions: dict[str, str]
) -> None:
    """Store the document, and create a task for the articles that state what it said before."""
    diff = await diff_of(reference.descriptions, descriptions) if reference.descriptions is not None else ""
    async with job_context(database, job.payload, UPDATER) as ctx, ctx.tx.transaction():
        await queries.record_change(ctx, reference.id, descriptions)
        if diff:
            title = f"The API description changed: {reference.url}"[: limits.MAX_TITLE_CHARACTERS]
            change = {"kind": "release", "title": title, "url": reference.url, "diff": diff}
            await tasks.create_task(ctx, await tasks.read_task(body_from(TaskCreate, {"change": change})))


async def diff_of(before: Mapping[str, str], after: Mapping[str, str]) -> str:
    """The unified diff of the changed operations, up to the size of a task; later ones are left out."""
    diffs, characters_left = list[str](), limits.MAX_DIFF_CHARACTERS
    for name in dict.fromkeys((*before, *after)):
        texts = (before.get(name, ""), after.get(name, ""))
        if texts[0] == texts[1]:
            continue
        path = f"openapi/{slugify(name, 'operation')}.ini"
        names = (f"a/{path}" if texts[0] else "/dev/null", f"b/{path}" if texts[1] else "/dev/null")
        diff = (await compare(*texts, names)).diff
        characters_left -= len(diff)
        if characters_left < 0:
            break
        diffs.append(diff)
    return "".join(diffs)

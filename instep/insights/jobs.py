"""The job behind a gap that several visitors share: a draft of an article from what the articles say to it.

Read, let the connection go, write, ask the model if there is one, then keep it in one transaction. Nothing
goes live: what comes out waits in the review queue.
"""

from functools import partial

from instep.core import limits
from instep.core.config import settings
from instep.core.database import Database
from instep.core.errors import PlanInactive
from instep.core.jobs import Job, defer
from instep.core.restarts import restartable
from instep.core.sandbox import run_with_timeout
from instep.drafts.actions import queue_gap_draft, renew_gap_draft
from instep.identity.access import refuse_paused
from instep.identity.schemas import Ctx
from instep.insights import queries
from instep.insights.gap_drafts import draft_of, wanted_of
from instep.llm.budget import task_model
from instep.llm.protocol import Model
from instep.tasks.jobs import context
from instep.tasks.sources import find_sources
from instep.writer import Proposal
from instep.writer.llm.model_step import ModelStep
from instep.writer.new_articles.outline import write_article


async def draft_gap(database: Database, job: Job, model: Model | None = None) -> None:
    """Draft an article for a gap, once; a draft that waits takes in what was asked since."""
    try:
        await work_on(database, job.payload, model)
    except PlanInactive:
        async with context(database, job.payload) as ctx:
            run_at, gap_id = ctx.now + limits.PAUSED_GAP_RETRY_DELAY, job.payload["question"]
            await defer(ctx.tx.connection, job.kind, job.payload, run_at=run_at, dedupe=gap_id)


async def work_on(database: Database, payload: dict[str, str], model: Model | None) -> None:
    async with context(database, payload) as ctx, ctx.tx.transaction():
        await refuse_paused(ctx)
        gap = await queries.find_gap(ctx, payload["question"])
        if gap is None or not gap.is_due:
            return
        notes = await queries.list_notes(ctx, gap)
        wanted = wanted_of(gap, notes)
        # Nothing holds the answer, so whatever comes nearest is welcome.
        searches = [(text, "") for text in (gap.question, *notes)]
        sources = await find_sources(ctx, searches, gap.locale, least=0)
    report = await run_with_timeout(write_article, wanted, sources, seconds=limits.MAX_WRITER_SECONDS)
    if model is not None:
        budgeted = task_model(model, partial(context, database, payload))
        report = await ModelStep(budgeted, settings().model_tokens_per_task).write(wanted, sources, report)

    async def keep_draft() -> None:
        async with context(database, payload) as ctx, ctx.tx.transaction():
            await refuse_paused(ctx)
            await keep(ctx, gap.id, report.proposals[0])

    await restartable(keep_draft)


async def keep(ctx: Ctx, gap_id: str, proposal: Proposal) -> None:
    # Of two workers at once the second waits here, and then finds the draft that the first has made.
    gap = await queries.find_gap(ctx, gap_id, lock=True)
    if gap is None or not gap.is_due:
        return
    draft = draft_of(gap, proposal)
    if gap.draft_id is not None:
        await renew_gap_draft(ctx, gap.draft_id, draft)
    elif await queries.count_gap_drafts(ctx) < limits.MAX_PENDING_GAP_DRAFTS:
        await queries.keep_draft(ctx, gap.id, await queue_gap_draft(ctx, draft))

"""The job that drafts an article for a gap that several visitors share.

It reads, releases the connection, writes, asks the model if there is one, and stores the result in one
transaction. Nothing goes live: the draft waits in the review queue.
"""

from functools import partial

from instep.accounts.language_model.choosing import NO_MODELS, LanguageModels
from instep.content.style.actions import find_style
from instep.content.style.prompting import follow_style
from instep.drafting.drafts.actions import queue_gap_draft, renew_gap_draft
from instep.drafting.tasks.jobs import WRITER
from instep.drafting.tasks.sources import find_sources
from instep.drafting.writer import Proposal
from instep.drafting.writer.llm.model_step import ModelStep
from instep.drafting.writer.new_articles.outline import write_article
from instep.platform.core import limits
from instep.platform.core.database import Database
from instep.platform.core.errors import PlanInactive
from instep.platform.core.jobs import Job
from instep.platform.core.restarts import restartable
from instep.platform.core.sandbox import run_with_timeout
from instep.platform.identity.access import refuse_paused
from instep.platform.identity.job_context import job_context
from instep.platform.identity.schemas import Ctx
from instep.platform.llm.work_prompts import end_work
from instep.visitors.insights.actions import defer_gap_draft
from instep.visitors.insights.questions import queries
from instep.visitors.insights.questions.gap_drafts import GapTalks, draft_of, gap_request, with_conversations
from instep.visitors.insights.schemas import REQUESTED, Gap


async def draft_gap(database: Database, job: Job, models: LanguageModels = NO_MODELS) -> None:
    """Draft an article for a gap, once; a pending draft is updated with later questions."""
    try:
        await process_gap(database, job.payload, models)
    except PlanInactive:
        async with job_context(database, job.payload, WRITER) as ctx:
            run_at = ctx.now + limits.PAUSED_GAP_RETRY_DELAY
            is_requested = REQUESTED in job.payload
            await defer_gap_draft(ctx, job.payload["question"], is_requested=is_requested, run_at=run_at)


async def process_gap(database: Database, payload: dict[str, str], models: LanguageModels) -> None:
    async with job_context(database, payload, WRITER) as ctx, ctx.tx.transaction():
        await refuse_paused(ctx)
        gap = await find_due_gap(ctx, payload)
        if gap is None:
            return
        notes = await queries.list_notes(ctx, gap)
        talks = GapTalks(notes, await queries.list_later_questions(ctx, gap))
        request = gap_request(gap, notes)
        # No article answers the question, so the nearest passages are used however little they cover.
        searches = [(text, "") for text in (gap.question, *notes)]
        sources = await find_sources(ctx, searches, gap.locale, min_coverage=0)
    report = await run_with_timeout(write_article, request, sources, seconds=limits.MAX_WRITER_SECONDS)
    enter = partial(job_context, database, payload, WRITER)
    chosen = await models.choose(enter, "new_articles", gap.id)
    if chosen is not None:
        async with enter() as ctx:
            model = follow_style(chosen.model, await find_style(ctx))
        model_step = ModelStep(model, chosen.tokens_per_task)
        report = await model_step.write(with_conversations(request, gap, talks), sources, report)

    async def store_draft() -> None:
        async with job_context(database, payload, WRITER) as ctx, ctx.tx.transaction():
            await refuse_paused(ctx)
            await store_gap_draft(ctx, payload, gap.id, report.proposals[0])
            await end_work(ctx, gap.id)

    await restartable(store_draft)


async def find_due_gap(ctx: Ctx, payload: dict[str, str], *, lock: bool = False) -> Gap | None:
    """The question of a job that needs a draft, or whose pending draft must be updated.

    Otherwise several visitors must have asked it, and it gets only one; a person may request another.
    """
    is_requested = REQUESTED in payload
    min_visitors = 1 if is_requested else limits.MIN_GAP_VISITORS
    gap = await queries.find_gap(ctx, payload["question"], min_visitors=min_visitors, lock=lock)
    return gap if gap is not None and (is_requested or gap.is_due) else None


async def store_gap_draft(ctx: Ctx, payload: dict[str, str], written_for: str, proposal: Proposal) -> None:
    """Store the article for the question `written_for`, or have it written again for another one.

    It is another one if the question was merged in the meantime, because that has more wordings.
    """
    # If two workers run at once the second waits here, and then finds the first one's draft.
    await queries.lock_gap_drafts(ctx)
    gap = await find_due_gap(ctx, payload, lock=True)
    if gap is None:
        return
    if gap.id != written_for:
        await defer_gap_draft(ctx, gap.id, is_requested=REQUESTED in payload)
        return
    draft = draft_of(gap, proposal)
    if gap.draft_id is not None and gap.is_waiting:
        await renew_gap_draft(ctx, gap.draft_id, draft)
        return
    # A requested draft has been counted since it was requested.
    is_requested = REQUESTED in payload
    if is_requested or await queries.count_gap_drafts(ctx, gap.id) < limits.MAX_PENDING_GAP_DRAFTS:
        await queries.set_draft(ctx, gap.id, await queue_gap_draft(ctx, draft))

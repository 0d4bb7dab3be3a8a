"""The job behind a task: read, let the connection go, run the writer, write the drafts in one transaction."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from uuid import UUID

from instep import writer
from instep.articles.queries import list_for_writer
from instep.articles.schemas import Article
from instep.core import limits
from instep.core.bounded import TooExpensive, run_bounded
from instep.core.clock import utc_now
from instep.core.database import Database
from instep.core.errors import PlanInactive
from instep.core.jobs import Job, defer
from instep.drafts.actions import queue_edit_of_task
from instep.drafts.schemas import EvidenceOut, Proposal
from instep.identity.access import refuse_paused
from instep.identity.queries import find_bot
from instep.identity.schemas import Actor, Ctx
from instep.tasks import queries
from instep.tasks.queries import Work
from instep.tasks.schemas import Outcome

WRITER = Actor("task", "Instep", can_write=True)


async def run_task(database: Database, job: Job) -> None:
    """Run a task to its end. After a crash it runs again: only what the last transaction writes counts."""
    try:
        await document_change(database, job.payload)
    except TooExpensive:
        await fail_task(
            database, job.payload, "too_expensive", "The change took too long to read: send a smaller diff."
        )
    except PlanInactive:
        await postpone(database, job)


async def give_up(database: Database, job: Job) -> None:
    """What becomes of a task whose job has failed, or killed its worker, for the last time."""
    await fail_task(
        database, job.payload, "internal_error", "The task failed here; it was tried several times."
    )


async def postpone(database: Database, job: Job) -> None:
    """A paused workspace takes no writes, drafts neither: its tasks wait until it is resumed."""
    async with context(database, job.payload) as ctx:
        await defer(ctx.tx.connection, job.kind, job.payload, run_at=ctx.now + limits.PAUSED_TASK_WAIT)


async def document_change(database: Database, payload: dict[str, str]) -> None:
    async with context(database, payload) as ctx, ctx.tx.transaction():
        await refuse_paused(ctx)
        work = await queries.start(ctx, payload["task"])
        if work is None:
            return
        articles = {article.id: article for article in await list_for_writer(ctx)}
    report = await run_bounded(
        writer.write, change_of(work), texts_of(articles), seconds=limits.WRITER_SECONDS
    )
    async with context(database, payload) as ctx, ctx.tx.transaction():
        await refuse_paused(ctx)
        await write_report(ctx, payload["task"], work, report, articles)


async def write_report(
    ctx: Ctx, task_id: str, work: Work, report: writer.Report, articles: dict[str, Article]
) -> None:
    reviewed = [
        {
            "article_id": verdict.article_id,
            "title": articles[verdict.article_id].title,
            "verdict": verdict.verdict,
            "reason": verdict.reason,
        }
        for verdict in report.reviewed
    ]
    outcome: Outcome = "drafts" if report.proposals else "no_changes"
    if not await queries.complete(ctx, task_id, outcome, report.summary, reviewed):
        return
    for proposed in report.proposals:
        assert proposed.article_id is not None, "this writer proposes edits only"
        article = articles[proposed.article_id]
        await queue_edit_of_task(ctx, article.id, proposal_of(proposed, article, work, task_id))


async def fail_task(database: Database, payload: dict[str, str], code: str, message: str) -> None:
    async with context(database, payload) as ctx:
        await queries.fail(ctx, payload["task"], code, message)


@asynccontextmanager
async def context(database: Database, payload: dict[str, str]) -> AsyncIterator[Ctx]:
    async with database.enter_workspace(payload["workspace"]) as tx:
        yield Ctx(tx, await find_bot(tx, UUID(payload["bot"])), WRITER, utc_now())


def change_of(work: Work) -> writer.Change:
    return writer.Change(
        work.change_kind, work.change_title, work.change_url, work.change_body, work.diff or ""
    )


def texts_of(articles: dict[str, Article]) -> list[writer.Article]:
    return [writer.Article(article.id, article.title, article.content) for article in articles.values()]


def proposal_of(proposed: writer.Proposal, article: Article, work: Work, task_id: str) -> Proposal:
    return Proposal(
        content=proposed.text,
        base_version=article.version,
        base_title=article.title,
        base_content=article.content,
        title=proposed.title if proposed.title != article.title else None,
        reason=proposed.reason,
        source_url=work.change_url,
        task_id=task_id,
        evidence=tuple(
            EvidenceOut(
                file=place.file,
                start_line=place.start_line,
                end_line=place.end_line,
                excerpt=place.excerpt,
                article_line=place.article_line,
            )
            for place in proposed.evidence
        ),
        warnings=proposed.warnings,
    )

"""The job behind a task: read, let the connection go, run the writer, write the drafts in one transaction."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from functools import partial
from typing import Any
from uuid import UUID

from instep import writer
from instep.articles.queries import list_for_writer
from instep.articles.schemas import Article
from instep.core import limits
from instep.core.clock import utc_now
from instep.core.config import settings
from instep.core.database import Database
from instep.core.errors import InvalidRequest, PlanInactive
from instep.core.jobs import Job, defer
from instep.core.restarts import restartable
from instep.core.sandbox import TimeLimitExceeded, run_with_timeout
from instep.identity.access import refuse_paused
from instep.identity.queries import find_bot
from instep.identity.schemas import Actor, Ctx
from instep.llm.budget import task_model
from instep.llm.protocol import Model
from instep.tasks import queries
from instep.tasks.queries import TaskInput
from instep.tasks.reports import tell_end, write_report
from instep.tasks.sources import find_sources, searches_for
from instep.writer.llm.model_step import ModelStep
from instep.writer.new_articles.outline import Wanted, write_article
from instep.writer.new_articles.outline_sources import Source

WRITER = Actor("task", "Instep", can_write=True, channel="job")


async def run_task(database: Database, job: Job, model: Model | None = None) -> None:
    """Run a task to its end. After a crash it runs again: only what the last transaction writes counts."""
    try:
        await work_on(database, job.payload, model)
    except TimeLimitExceeded:
        message = "The task took too long or too much memory to read: send a smaller one."
        await fail_task(database, job.payload, "too_expensive", message)
    except InvalidRequest as refused:
        await fail_task(database, job.payload, refused.code, refused.message)
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
        await defer(ctx.tx.connection, job.kind, job.payload, run_at=ctx.now + limits.PAUSED_TASK_RETRY_DELAY)


async def work_on(database: Database, payload: dict[str, str], model: Model | None) -> None:
    async with context(database, payload) as ctx, ctx.tx.transaction():
        await refuse_paused(ctx)
        work = await queries.start(ctx, payload["task"])
        if work is None:
            return
        articles = {article.id: article for article in await list_for_writer(ctx)}
        own = ctx.bot.help_url
    found = await sources_for(database, payload, wanted_of(work.article)) if work.article else []
    # The report names articles as they were read: one that came since is left to the next task.
    sources = [source for source in found if source.id in articles]
    report = await write(work, articles, sources)
    if model is not None:
        async with context(database, payload) as ctx:
            await queries.tell_stage(ctx, payload["task"], f"Asking the language model {model.name}.")
        consultant = ModelStep(
            task_model(model, partial(context, database, payload)), settings().model_tokens_per_task
        )
        report = await improve(consultant, work, articles, sources, report, own)

    async def end_task() -> None:
        async with context(database, payload) as ctx, ctx.tx.transaction():
            await refuse_paused(ctx)
            await write_report(ctx, payload["task"], work, report, articles)

    await restartable(end_task)


async def write(work: TaskInput, articles: dict[str, Article], sources: list[Source]) -> writer.Report:
    if work.article:
        wanted = wanted_of(work.article)
        return await run_with_timeout(write_article, wanted, sources, seconds=limits.MAX_WRITER_SECONDS)
    return await run_with_timeout(
        writer.write, change_of(work), texts_of(articles), seconds=limits.MAX_WRITER_SECONDS
    )


async def improve(
    consultant: ModelStep,
    work: TaskInput,
    articles: dict[str, Article],
    sources: list[Source],
    report: writer.Report,
    own: str,
) -> writer.Report:
    if work.article:
        wanted = wanted_of(work.article)
        return await consultant.write(wanted, sources, report)
    return await consultant.edit(change_of(work), texts_of(articles), report, own)


async def sources_for(database: Database, payload: dict[str, str], wanted: Wanted) -> list[Source]:
    """In no transaction of ours: what the search then reads of the articles it may keep."""
    searches = await run_with_timeout(searches_for, wanted, seconds=limits.MAX_WRITER_SECONDS)
    async with context(database, payload) as ctx:
        return await find_sources(ctx, searches, ctx.bot.locale)


async def fail_task(database: Database, payload: dict[str, str], code: str, message: str) -> None:
    async with context(database, payload) as ctx, ctx.tx.transaction():
        unended = await queries.lock_unended(ctx, payload["task"])
        if unended is None:
            return
        await queries.fail(ctx, unended.id, code, message)
        await tell_end(ctx, unended)


@asynccontextmanager
async def context(database: Database, payload: dict[str, str]) -> AsyncIterator[Ctx]:
    async with database.enter_workspace(payload["workspace"]) as tx:
        yield Ctx(tx, await find_bot(tx, UUID(payload["bot"])), WRITER, utc_now())


def wanted_of(article: Mapping[str, Any]) -> Wanted:
    return Wanted(article["title"], article["instructions"])


def change_of(work: TaskInput) -> writer.Change:
    return writer.Change(
        work.change_kind or "", work.change_title or "", work.change_url, work.change_body, work.diff or ""
    )


def texts_of(articles: dict[str, Article]) -> list[writer.Article]:
    return [writer.Article(article.id, article.title, article.content) for article in articles.values()]

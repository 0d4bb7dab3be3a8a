"""The job behind a task: read, let the connection go, run the writer, write the drafts in one transaction."""

from collections.abc import Mapping
from functools import partial
from typing import Any

from instep.accounts.language_model.choosing import NO_MODELS, ChosenModel, LanguageModels
from instep.content.articles.schemas import Article
from instep.content.articles.writer_queries import count_for_writer, list_for_writer, list_some_for_writer
from instep.drafting import writer
from instep.drafting.drafts.suppressed_schemas import DismissedStatement
from instep.drafting.drafts.suppression import newest_dismissed, suppressed_keys
from instep.drafting.drafts.waiting import read_waiting, waiting_texts
from instep.drafting.tasks import queries
from instep.drafting.tasks.actions import run_soon
from instep.drafting.tasks.candidates import find_candidates, with_unread
from instep.drafting.tasks.outlook import look_ahead
from instep.drafting.tasks.queries import TaskInput
from instep.drafting.tasks.reports import ModelPart, emit_end, write_report
from instep.drafting.tasks.sources import find_sources, searches_for
from instep.drafting.writer.llm.model_step import ModelStep
from instep.drafting.writer.new_articles.outline import ArticleRequest, write_article
from instep.drafting.writer.new_articles.outline_sources import SourcePassage
from instep.platform.core import limits
from instep.platform.core.database import Database
from instep.platform.core.errors import InvalidRequest, PlanInactive
from instep.platform.core.jobs import Job, Postponed, defer
from instep.platform.core.restarts import restartable
from instep.platform.core.sandbox import TimeLimitExceeded, run_with_timeout
from instep.platform.identity.access import refuse_paused
from instep.platform.identity.job_context import job_context
from instep.platform.identity.schemas import Actor, Bot, Ctx
from instep.platform.llm.work_prompts import end_work
from instep.search.index.cache import IndexWarmingUp

WRITER = Actor("task", "Instep", can_write=True, channel="job")


async def run_task(database: Database, job: Job, models: LanguageModels = NO_MODELS) -> None:
    """Run a task to its end. After a crash it runs again: only what the last transaction writes counts."""
    await require_turn(database, job.payload)
    try:
        await process_task(database, job.payload, models)
    except TimeLimitExceeded:
        message = "The task took too long or too much memory to read: send a smaller one."
        await fail_task(database, job.payload, "too_expensive", message)
    except InvalidRequest as error:
        await fail_task(database, job.payload, error.code, error.message)
    except (PlanInactive, IndexWarmingUp):
        await retry_later(database, job)


async def require_turn(database: Database, payload: Mapping[str, str]) -> None:
    """Let earlier changes of the bot go first, since this one is compared with the drafts that they make.

    It gives its worker back meanwhile, and the one before it wakes it (`wake_next`).
    """
    async with job_context(database, payload, WRITER) as ctx:
        if not await queries.has_turn(ctx, payload["task"]):
            raise Postponed(limits.TASK_TURN_RETRY_DELAY)


async def wake_next(ctx: Ctx) -> None:
    """Have the change run whose turn it is, now that one has ended."""
    if (task_id := await queries.next_change(ctx)) is not None:
        await run_soon(ctx, task_id)


async def give_up(database: Database, job: Job) -> None:
    """Fail a task whose job has failed, or killed its worker, for the last time."""
    await fail_task(
        database,
        job.payload,
        "internal_error",
        "The task failed after several attempts because of an internal error.",
    )


async def retry_later(database: Database, job: Job) -> None:
    """Run the task again later: when its workspace takes writes again, or its articles are in the index."""
    async with job_context(database, job.payload, WRITER) as ctx:
        await defer(ctx.tx, job.kind, job.payload, run_at=ctx.now + limits.PAUSED_TASK_RETRY_DELAY)


async def process_task(database: Database, payload: dict[str, str], models: LanguageModels) -> None:
    async with job_context(database, payload, WRITER) as ctx, ctx.tx.transaction():
        await refuse_paused(ctx)
        work = await queries.start(ctx, payload["task"])
        if work is None:
            return
        article_count = await count_for_writer(ctx)
        is_small = article_count <= limits.MAX_WRITER_ARTICLES
        rows = await list_for_writer(ctx) if is_small else []
        suppressed = await suppressed_keys(ctx)
        dismissed = [dismissed_edit(row) for row in await newest_dismissed(ctx)]
        drafts = [] if work.article else await read_waiting(ctx, work.source_url)
        bot = ctx.bot
    sources = await sources_for(database, payload, outline_request(work.article)) if work.article else []
    if not is_small:
        rows = await read_some(database, payload, work, sources)
    # The report names articles as they were read: a newer article is left to the next task.
    articles = {article.id: article for article in rows}
    sources = [source for source in sources if source.id in articles]
    texts = texts_of(articles, bot)
    report = await write_drafts(work, texts, sources, suppressed)
    unread_count = 0 if work.article else max(0, article_count - len(articles))
    report = with_unread(report, len(articles), unread_count)
    outlook = await look_ahead(change_of(work), texts, await waiting_texts(drafts), suppressed, report)
    model_part = None
    enter = partial(job_context, database, payload, WRITER)
    chosen = await models.choose(enter, "new_articles" if work.article else "drafts", payload["task"])
    if chosen is not None:
        model_part = ModelPart(chosen.model.name, report)
        model_step = await begin_model_step(database, payload, models, chosen)
        report = await improve(model_step, work, texts, sources, report, bot.help_url, dismissed)

    async def end_task() -> None:
        async with job_context(database, payload, WRITER) as ctx, ctx.tx.transaction():
            await refuse_paused(ctx)
            await write_report(
                ctx, payload["task"], work, report, articles, unread_count, outlook, model_part=model_part
            )
            await wake_next(ctx)

    await restartable(end_task)


async def read_some(
    database: Database, payload: dict[str, str], work: TaskInput, sources: list[SourcePassage]
) -> list[Article]:
    """The articles that a task is about, of more than the writer reads."""
    ids = (
        [source.id for source in sources]
        if work.article
        else await find_candidates(database, payload, WRITER, change_of(work))
    )
    async with job_context(database, payload, WRITER) as ctx:
        return await list_some_for_writer(ctx, ids)


async def write_drafts(
    work: TaskInput,
    texts: list[writer.Article],
    sources: list[SourcePassage],
    suppressed: writer.Suppressed,
) -> writer.Report:
    if work.article:
        request = outline_request(work.article)
        return await run_with_timeout(write_article, request, sources, seconds=limits.MAX_WRITER_SECONDS)
    return await run_with_timeout(
        writer.write, change_of(work), texts, suppressed, seconds=limits.MAX_WRITER_SECONDS
    )


async def begin_model_step(
    database: Database, payload: dict[str, str], models: LanguageModels, chosen: ChosenModel
) -> ModelStep:
    """The step that asks the model; the task says that it is at it."""
    async with job_context(database, payload, WRITER) as ctx:
        await queries.set_progress(ctx, payload["task"], f"Asking the language model {chosen.model.name}.")
        writes_articles = await models.has_model(ctx, "new_articles")
    return ModelStep(chosen.model, chosen.tokens_per_task, chosen.reader, writes_articles=writes_articles)


async def improve(
    model_step: ModelStep,
    work: TaskInput,
    texts: list[writer.Article],
    sources: list[SourcePassage],
    report: writer.Report,
    help_url: str,
    dismissed: list[writer.DismissedEdit],
) -> writer.Report:
    if work.article:
        return await model_step.write(outline_request(work.article), sources, report)
    return await model_step.edit(change_of(work), texts, report, help_url, dismissed)


def dismissed_edit(row: DismissedStatement) -> writer.DismissedEdit:
    reason = row.reason.replace("_", " ")
    return writer.DismissedEdit(row.article_id, row.summary, ": ".join(filter(None, (reason, row.comment))))


async def sources_for(
    database: Database, payload: dict[str, str], request: ArticleRequest
) -> list[SourcePassage]:
    """The passages of articles on the subject of a request.

    The search runs in no transaction of ours, so that it may store what it reads of the articles.
    """
    searches = await run_with_timeout(searches_for, request, seconds=limits.MAX_WRITER_SECONDS)
    async with job_context(database, payload, WRITER) as ctx:
        return await find_sources(ctx, searches, ctx.bot.locale)


async def fail_task(database: Database, payload: dict[str, str], code: str, message: str) -> None:
    async with job_context(database, payload, WRITER) as ctx, ctx.tx.transaction():
        task = await queries.lock_unended(ctx, payload["task"])
        if task is None:
            return
        await queries.fail(ctx, task.id, code, message)
        await queries.set_model(ctx, task.id, await end_work(ctx, task.id))
        await emit_end(ctx, task)
        await wake_next(ctx)


def outline_request(article: Mapping[str, Any]) -> ArticleRequest:
    return ArticleRequest(article["title"], article["instructions"])


def change_of(work: TaskInput) -> writer.Change:
    return writer.Change(work.change_title or "", work.change_body, work.diff or "")


def texts_of(articles: dict[str, Article], bot: Bot) -> list[writer.Article]:
    """The articles as the writer reads them; only live ones have an address to link to."""
    return [
        writer.Article(
            article.id,
            article.title,
            article.content,
            bot.help_url + article.path(bot) if article.is_live else "",
        )
        for article in articles.values()
    ]

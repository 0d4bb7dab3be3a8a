"""The job of a task: read, release the connection, run the writer, store the drafts in one transaction."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from instep.accounts.language_model.choosing import NO_MODELS, LanguageModels
from instep.content.articles.schemas import Article
from instep.content.articles.writer_queries import count_for_writer, list_for_writer, list_some_for_writer
from instep.content.parts.actions import list_used_parts
from instep.content.parts.schemas import UsedPart
from instep.content.style.actions import find_style
from instep.content.style.prompting import follow_style
from instep.drafting import writer
from instep.drafting.drafts.schemas import DraftTexts, TitledText
from instep.drafting.drafts.suppressed_schemas import DismissedStatement
from instep.drafting.drafts.suppression import drafted_keys, newest_dismissed, suppressed_keys
from instep.drafting.drafts.waiting import WaitingText, read_waiting, waiting_texts
from instep.drafting.tasks import queries
from instep.drafting.tasks.actions import run_soon
from instep.drafting.tasks.candidates import candidate_query, find_articles, with_unread
from instep.drafting.tasks.outlook import look_ahead
from instep.drafting.tasks.part_places import texts_of_parts, with_part_places
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
from instep.platform.llm.budget import Enter
from instep.platform.llm.work_prompts import end_work
from instep.search.index.cache import IndexWarmingUp

WRITER = Actor("task", "Instep", can_write=True, channel="job")


@dataclass(frozen=True, slots=True)
class Reading:
    """The writer's input for a task; `articles` is None if the bot has more than the writer reads."""

    work: TaskInput
    bot: Bot
    article_count: int
    articles: list[Article] | None
    suppressed: writer.Suppressed
    # Statements that other changes of the same bundle have made in drafts.
    drafted: writer.Suppressed
    dismissed: list[writer.DismissedEdit]
    drafts: list[DraftTexts]
    parts: list[UsedPart]

    @property
    def held_back(self) -> writer.Suppressed:
        """The parts of live articles that no draft may change."""
        ids = {*self.suppressed, *self.drafted}
        return {id: {*self.suppressed.get(id, ()), *self.drafted.get(id, ())} for id in ids}


async def run_task(database: Database, job: Job, models: LanguageModels = NO_MODELS) -> None:
    """Run a task to its end. After a crash it runs again: only the last transaction has an effect."""
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
    """Let earlier changes of the bot run first, because this one is compared with their drafts.

    Meanwhile the worker is free; the end of the earlier change wakes this one (`wake_next`).
    """
    async with job_context(database, payload, WRITER) as ctx:
        if not await queries.has_turn(ctx, payload["task"]):
            raise Postponed(limits.TASK_TURN_RETRY_DELAY)


async def wake_next(ctx: Ctx) -> None:
    """Run the next change of the bot, because an earlier one has ended."""
    if (task_id := await queries.next_change(ctx)) is not None:
        await run_soon(ctx, task_id)


async def give_up(database: Database, job: Job) -> None:
    """Fail a task whose job has failed, or crashed its worker, for the last time."""
    await fail_task(
        database,
        job.payload,
        "internal_error",
        "The task failed after several attempts because of an internal error.",
    )


async def retry_later(database: Database, job: Job) -> None:
    """Run the task again later: when its workspace accepts writes, or its articles are in the index."""
    async with job_context(database, job.payload, WRITER) as ctx:
        await defer(ctx.tx, job.kind, job.payload, run_at=ctx.now + limits.PAUSED_TASK_RETRY_DELAY)


async def process_task(database: Database, payload: dict[str, str], models: LanguageModels) -> None:
    enter, task_id = partial(job_context, database, payload, WRITER), payload["task"]
    reading = await begin_task(enter, task_id)
    if reading is None:
        return
    work = reading.work
    rows, sources = await choose_articles(enter, reading)
    # The report is about the articles as they were read: a newer article is left to the next task.
    articles = {article.id: article for article in rows}
    sources = [source for source in sources if source.id in articles]
    texts = texts_of(articles, reading.bot)
    texts_with_parts = texts + texts_of_parts(reading.parts, articles)
    report = await write_drafts(work, texts_with_parts, sources, reading.held_back)
    unread_count = (
        0 if work.article or work.compared_article else max(0, reading.article_count - len(articles))
    )
    report = with_unread(report, len(articles), unread_count)
    waiting = await waiting_texts(reading.drafts)
    live = with_part_places(report, reading.parts, articles)
    outlook = await look_ahead(change_of(work, texts), texts, waiting, reading.suppressed, live)
    report, model_part = await ask_model(
        enter, task_id, models, reading, texts_with_parts, sources, waiting, report
    )
    report = without_drafted(with_part_places(report, reading.parts, articles), reading.drafted)

    async def end_task() -> None:
        async with enter() as ctx, ctx.tx.transaction():
            await refuse_paused(ctx)
            await write_report(
                ctx, task_id, work, report, articles, unread_count, outlook, model_part=model_part
            )
            await wake_next(ctx)

    await restartable(end_task)


async def begin_task(enter: Enter, task_id: str) -> Reading | None:
    """Start a task and read its input; None if another worker has ended it."""
    async with enter() as ctx, ctx.tx.transaction():
        await refuse_paused(ctx)
        work = await queries.start(ctx, task_id)
        if work is None:
            return None
        version = work.version_position
        article_count = await count_for_writer(ctx, version)
        is_alone = work.compared_article is not None
        is_small = article_count <= limits.MAX_WRITER_ARTICLES and not is_alone
        return Reading(
            work,
            ctx.bot,
            article_count,
            articles=await list_for_writer(ctx, version) if is_small else None,
            suppressed=await suppressed_keys(ctx),
            drafted=await drafted_keys(ctx, work.bundle, work.source_url, work.version_id),
            dismissed=[dismissed_edit(row) for row in await newest_dismissed(ctx)],
            drafts=[]
            if work.article or is_alone
            else await read_waiting(ctx, work.source_url, work.version_id),
            parts=[] if work.article or is_alone else await list_used_parts(ctx),
        )


async def choose_articles(enter: Enter, reading: Reading) -> tuple[list[Article], list[SourcePassage]]:
    """The articles for a task, and the passages for a new article.

    A diff is read in a separate process. The search runs outside our transaction, so that it can store
    what it reads from the articles.
    """
    work, rows = reading.work, reading.articles
    if work.article:
        request = outline_request(work.article)
        searches = await run_with_timeout(searches_for, request, seconds=limits.MAX_WRITER_SECONDS)
        async with enter() as ctx:
            sources = await find_sources(ctx, searches, ctx.bot.locale)
            if rows is None:
                rows = await list_some_for_writer(ctx, [source.id for source in sources])
            return rows, sources
    if work.compared_article is not None:
        async with enter() as ctx:
            return await list_some_for_writer(ctx, [work.compared_article], work.version_position), []
    if rows is None:
        query = await run_with_timeout(candidate_query, change_of(work), seconds=limits.MAX_WRITER_SECONDS)
        version = work.version_position
        async with enter() as ctx:
            rows = await list_some_for_writer(ctx, await find_articles(ctx, query, version), version)
    return rows, []


async def write_drafts(
    work: TaskInput,
    texts: list[writer.Article],
    sources: list[SourcePassage],
    suppressed: writer.Suppressed,
) -> writer.Report:
    if work.article:
        request = outline_request(work.article)
        return await run_with_timeout(write_article, request, sources, seconds=limits.MAX_WRITER_SECONDS)
    if work.compared_article is not None:
        return writer.Report((), 0.0, (), (), "No language model has read the article.")
    return await run_with_timeout(
        writer.write, change_of(work, texts), texts, suppressed, seconds=limits.MAX_WRITER_SECONDS
    )


async def ask_model(
    enter: Enter,
    task_id: str,
    models: LanguageModels,
    reading: Reading,
    texts: list[writer.Article],
    sources: list[SourcePassage],
    waiting: list[WaitingText],
    report: writer.Report,
) -> tuple[writer.Report, ModelPart | None]:
    """The report as improved by the bot's language model, if it has one; the task's progress says so."""
    work = reading.work
    chosen = await models.choose(enter, "new_articles" if work.article else "drafts", task_id)
    if chosen is None:
        return report, None
    async with enter() as ctx:
        await queries.set_progress(ctx, task_id, f"Asking the language model {chosen.model.name}.")
        writes_articles = await models.has_model(ctx, "new_articles")
        model = follow_style(chosen.model, await find_style(ctx))
    step = ModelStep(model, chosen.tokens_per_task, chosen.reader, writes_articles=writes_articles)
    if work.article:
        improved = await step.write(outline_request(work.article), sources, report)
    elif work.compared_article is not None:
        code, help_url, line = work.diff or "", reading.bot.help_url, work.compared_line
        improved = await step.compare(code, texts[0], help_url, reading.dismissed, line) if texts else report
    else:
        edits = [
            writer.WaitingEdit(row.draft.article_id, _titled(row.base), _titled(row.text)) for row in waiting
        ]
        improved = await step.edit(
            change_of(work, texts), texts, report, reading.bot.help_url, reading.dismissed, edits
        )
    return improved, ModelPart(chosen.model.name, report)


def _titled(text: TitledText) -> str:
    return f"{text.title}\n\n{text.content}"


def without_drafted(report: writer.Report, drafted: writer.Suppressed) -> writer.Report:
    """The report without what a model proposes although another change of the bundle has proposed it."""
    proposals = [
        row
        for row in report.proposals
        if not row.statements
        or any(statement.key not in drafted.get(row.article_id or "", ()) for statement in row.statements)
    ]
    return replace(report, proposals=tuple(proposals))


def dismissed_edit(row: DismissedStatement) -> writer.DismissedEdit:
    reason = row.reason.replace("_", " ")
    return writer.DismissedEdit(row.article_id, row.summary, ": ".join(filter(None, (reason, row.comment))))


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


def change_of(work: TaskInput, texts: Iterable[writer.Article] = ()) -> writer.Change:
    """The change; its translations into languages that no text has are ignored."""
    locales = frozenset(text.locale for text in texts)
    context = context_of(work.context or {})
    return writer.Change(work.change_title or "", work.change_body, work.diff or "", locales, context)


def context_of(sent: Mapping[str, Any]) -> writer.ChangeContext:
    issues = tuple(writer.LinkedIssue(**row) for row in sent.get("issues", ()))
    code = tuple(writer.CodeExcerpt(**row) for row in sent.get("code", ()))
    return writer.ChangeContext(issues, code, sent.get("next_version", ""))


def texts_of(articles: dict[str, Article], bot: Bot) -> list[writer.Article]:
    """The articles as the writer reads them; only live ones have a URL for links."""
    return [
        writer.Article(
            article.id,
            article.title,
            article.content,
            article.url(bot) if article.is_live else "",
            article.locale,
        )
        for article in articles.values()
    ]

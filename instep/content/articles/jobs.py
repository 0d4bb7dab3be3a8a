"""The job that renders outdated HTML of earlier versions again, so that no page has to."""

import logging
from dataclasses import dataclass
from functools import partial
from typing import Any
from uuid import UUID

import psycopg

from instep.content.articles import queries
from instep.content.articles.texts import save
from instep.content.files.picture_sizes import HTML_VERSION
from instep.content.parts.actions import mark_uses
from instep.content.parts.expansion import has_references
from instep.content.parts.readers_texts import text_columns
from instep.platform.core.clock import utc_now
from instep.platform.core.database import Database
from instep.platform.core.errors import AppError, RateLimited, Unavailable
from instep.platform.core.jobs import Job, defer
from instep.platform.core.restarts import restartable
from instep.platform.identity.job_context import job_context
from instep.platform.identity.schemas import Actor, Bot, Ctx

logger = logging.getLogger(__name__)
RENDER_TEXTS = "render_texts"
# The number of texts per run; the next run renders the others.
BATCH = 50
ACTOR = Actor("command", "render", can_write=False)


@dataclass(frozen=True, slots=True)
class OutdatedText:
    """A row of `table`, which is `articles` or `changelog_entries`, with its bot."""

    table: str
    id: str
    workspace_id: str
    bot_id: UUID
    slug: str
    name: str
    locale: str

    @property
    def bot(self) -> Bot:
        return Bot(self.bot_id, self.workspace_id, self.slug, self.name, self.locale)


async def schedule_rendering(database: Database) -> None:
    """Schedule a run, a single one for all processes."""
    async with database.enter_workspace("") as tx:
        await defer(tx, RENDER_TEXTS, {}, dedupe=RENDER_TEXTS)


async def render_texts(database: Database, job: Job) -> None:
    """Render some outdated texts, and schedule a run for the others."""
    async with database.enter_workspace("") as tx:
        sql = "select * from html_behind(%(version)s, %(limit)s)"
        texts = await tx.all(OutdatedText, sql, version=HTML_VERSION, limit=BATCH)
    for text in texts:
        await restartable(partial(render_again, database, text))
    if len(texts) == BATCH:
        await schedule_rendering(database)


async def show_part(database: Database, job: Job) -> None:
    """Have the texts that contain a changed part rendered again."""

    async def mark() -> None:
        async with job_context(database, job.payload, ACTOR) as ctx, ctx.tx.transaction():
            await mark_uses(ctx, job.payload["reference"])

    await restartable(mark)
    await schedule_rendering(database)


async def render_again(database: Database, text: OutdatedText) -> None:
    """Render a text and store its HTML; a text that can no longer be rendered keeps its HTML.

    For readers this changes the help center. For editors the article is unchanged, unless a part of it has
    changed: then it is an event.
    """
    async with database.enter_workspace(text.workspace_id) as tx, tx.transaction():
        ctx = Ctx(tx, text.bot, ACTOR, utc_now())
        row: dict[str, Any] = {"bot": text.bot_id, "id": text.id}
        place = "bot_id = %(bot)s and workspace_id = %(workspace)s and id = %(id)s"
        stored = await tx.first(
            StoredText,
            f"""
            select content_markdown as content, expanded_markdown as expanded,
                {"locale" if text.table == "articles" else "%(locale)s as locale"}
            from {text.table} where {place} for no key update
            """,
            locale=text.locale,
            **row,
        )
        if stored is None:
            return
        columns, problem = await columns_of(ctx, stored)
        if text.table == "articles":
            await tx.execute(
                """
                update articles set part_problem = %(problem)s, part_problem_at = %(now)s
                where bot_id = %(bot)s and workspace_id = %(workspace)s and id = %(id)s
                """,
                problem=problem,
                now=ctx.now,
                **row,
            )
        article = await queries.find(ctx, text.id, "markdown") if text.table == "articles" else None
        if article is not None and columns.get("expanded_markdown", stored.expanded) != stored.expanded:
            await save(ctx, article, columns, "markdown")
            return
        await tx.execute(
            f"update {text.table} set {queries.assignments_of(columns)} where {place}", **columns, **row
        )
        await tx.execute("select stamp_change(%(bot)s)", bot=text.bot_id)


@dataclass(frozen=True, slots=True)
class StoredText:
    """The text of a row, and what readers see of it."""

    content: str
    expanded: str | None
    locale: str


async def columns_of(ctx: Ctx, stored: StoredText) -> tuple[dict[str, Any], str | None]:
    """The columns of a text, and the reason if its parts can't be shown."""
    try:
        return await text_columns(ctx, stored.content, stored.locale), None
    except (RateLimited, Unavailable, psycopg.Error):
        raise
    except Exception as error:
        # A failing text must not stop the texts of the help centers after it.
        if not isinstance(error, AppError):
            logger.exception("A text of the help center %s can't be rendered again", ctx.bot.slug)
        problem = error.message if isinstance(error, AppError) and has_references(stored.content) else None
        return {"html_version": HTML_VERSION}, problem

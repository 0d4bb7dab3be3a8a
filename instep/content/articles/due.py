"""The daily job that posts to a team's chat which articles have become due for review, each article once."""

from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from uuid import UUID

from instep.content.articles.freshness import STANDING
from instep.notifications.alerts.actions import alert
from instep.platform.core import limits
from instep.platform.core.config import settings
from instep.platform.core.database import Database
from instep.platform.core.jobs import Job, schedule_next, schedule_recurring
from instep.platform.identity.job_context import job_context
from instep.platform.identity.schemas import Actor, Ctx

ANNOUNCE_DUE = "announce_due"
EVERY = timedelta(days=1)
REPORTER = Actor("task", "Instep", can_write=True, channel="job")


@dataclass(frozen=True, slots=True)
class AlertedBot:
    """A bot with a channel for alerts of reviews."""

    workspace_id: str
    bot_id: UUID


@dataclass(frozen=True, slots=True)
class DueArticle:
    """An article that has become due for review."""

    id: str
    title: str


async def schedule_due_alerts(database: Database) -> None:
    """Schedule one run in a day, however many processes call this."""
    await schedule_recurring(database, ANNOUNCE_DUE, EVERY)


async def announce_due(database: Database, job: Job) -> None:
    """Send each bot's channels one alert about all articles that have become due."""
    await schedule_next(partial(schedule_due_alerts, database))
    async with database.enter_workspace("") as tx:
        bots = await tx.all(AlertedBot, "select * from bots_with_alerts('review')")
    for bot in bots:
        payload = {"workspace": bot.workspace_id, "bot": str(bot.bot_id)}
        async with job_context(database, payload, REPORTER) as ctx, ctx.tx.transaction():
            await announce_due_articles(ctx)


async def announce_due_articles(ctx: Ctx) -> None:
    articles = await take_unannounced(ctx)
    if not articles:
        return
    dashboard = f"{settings().base_url}/app/{ctx.bot.slug}"
    lines = [f"{article.title}: {dashboard}/articles/{article.id}" for article in articles]
    words = "1 article is due" if len(articles) == 1 else f"{len(articles)} articles are due"
    title = f"{ctx.bot.name}: {words} for review"
    await alert(ctx, "review", title, lines[: limits.MAX_DIGEST_SOURCES], f"{dashboard}/health?by=due")


async def take_unannounced(ctx: Ctx) -> list[DueArticle]:
    """Mark the articles that are due, but for those whose drafts and places are announced by the digest."""
    return await ctx.all(
        DueArticle,
        f"""
        with due as (
            select a.id from articles a
            where a.bot_id = %(bot)s and a.workspace_id = %(workspace)s and a.deleted_at is null
              and a.status = 'published' and a.due_announced_at is null
              and {STANDING} #>> '{{freshness,reason}}' in ('review_by', 'feedback', 'age')
            order by a.id for no key update of a)
        update articles a set due_announced_at = %(now)s from due
        where a.bot_id = %(bot)s and a.workspace_id = %(workspace)s and a.id = due.id
        returning a.id, a.title
        """,
    )

"""The daily digest of news for readers: one email at most, however many articles were published."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from itertools import groupby
from operator import attrgetter
from uuid import UUID

from instep.platform.core.database import Database
from instep.platform.core.jobs import Job, schedule_next, schedule_recurring
from instep.platform.email.outgoing import can_send_email, send_email
from instep.platform.identity.job_context import job_context
from instep.platform.identity.schemas import Actor, Ctx
from instep.visitors.subscriptions import queries
from instep.visitors.subscriptions.reader_letters import news_letter

SEND_NEWS = "send_news"
EVERY = timedelta(hours=1)
REPORTER = Actor("task", "Instep", can_write=True, channel="job")


@dataclass(frozen=True, slots=True)
class DueNews:
    """A help center whose readers have not been notified of what was published until then."""

    workspace_id: str
    bot_id: UUID
    published_until: datetime


async def schedule_news(database: Database) -> None:
    """Schedule one look for due digests an hour, however many processes call this."""
    await schedule_recurring(database, SEND_NEWS, EVERY)


async def send_news(database: Database, job: Job) -> None:
    """Send the news of a day, after 6:00 UTC, to the readers of each help center."""
    await schedule_next(partial(schedule_news, database))
    if not can_send_email():
        return
    while due := await list_due(database):
        for news in due:
            payload = {"workspace": news.workspace_id, "bot": str(news.bot_id)}
            async with job_context(database, payload, REPORTER) as ctx, ctx.tx.transaction():
                await send_some(ctx, news.published_until)


async def list_due(database: Database) -> list[DueNews]:
    async with database.enter_workspace("") as tx:
        return await tx.all(DueNews, "select * from bots_with_due_subscriptions()")


async def send_some(ctx: Ctx, until: datetime) -> None:
    """Send the digests of some readers of a help center."""
    items = await queries.take_news(ctx, until)
    for (email, locale), news in groupby(items, attrgetter("email", "locale")):
        await send_email(ctx.tx, ctx.workspace_id, email, news_letter(ctx.bot, list(news)), locale)

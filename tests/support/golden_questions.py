"""Helpers to keep golden questions as the command line does."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from instep.content.golden.actions import add_golden_question
from instep.content.golden.schemas import GoldenQuestion
from instep.drafting.tasks.queries import insert_gone_names
from instep.drafting.writer import StaleMention
from instep.platform.core.clock import utc_now
from instep.platform.core.database import Database
from instep.platform.identity.queries import find_bot
from instep.platform.identity.schemas import Actor, Ctx
from tests.support.cast import Cast, Client, Company, Json
from tests.support.site_pages import publish

EXPORT = "How do I export my invoices?"
TITLE = "Invoices"
TEXT = """\
An invoice is made at the end of each month.

## Export

Choose **Export** on the page of invoices, and then CSV or PDF.

## Addresses

Your address stands on each invoice as it was on that day.
"""
WITHOUT_EXPORT = TEXT.replace("Choose **Export** on the page of invoices, and then CSV or PDF.", "").replace(
    "## Export\n", ""
)


@asynccontextmanager
async def working(database: Database, company: Company) -> AsyncIterator[Ctx]:
    async with database.enter_workspace(company.workspace_id) as tx, tx.transaction():
        operator = Actor("command", "instep", can_write=True)
        yield Ctx(tx, await find_bot(tx, company.bot_id), operator, utc_now())


async def keep(database: Database, cast: Cast, article: Json, question: str = EXPORT) -> GoldenQuestion:
    async with working(database, cast.acme) as ctx:
        return await add_golden_question(ctx, question, article["slug"])


async def lose_a_name(database: Database, cast: Cast, article_id: str, name: str = "Run") -> None:
    """Record that a change removed a name that the article mentions, as a task does."""
    async with working(database, cast.acme) as ctx:
        await insert_gone_names(ctx, "Remove it", [StaleMention(article_id, name)])


async def publish_golden(client: Client, database: Database, cast: Cast) -> Json:
    """Publish an article that answers a golden question, and one that does not."""
    await publish(client, "Pets", "Cats and dogs are welcome in all of our offices.")
    article = await publish(client, TITLE, TEXT)
    await keep(database, cast, article)
    return article

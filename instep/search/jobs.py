"""Storing indexes behind large changes, so that no search waits for the reading of a whole help center."""

from dataclasses import dataclass
from datetime import timedelta
from uuid import UUID

from instep.core.clock import utc_now
from instep.core.database import Database
from instep.core.jobs import Job, defer
from instep.identity.schemas import Actor, Bot, Ctx
from instep.search.shelf import SHELF, UNSAVED_ARTICLES

STORE_INDEXES = "store_indexes"
EVERY = timedelta(minutes=1)
# In one run; what is left comes with the next.
AT_ONCE = 50


@dataclass(slots=True)
class Behind:
    """A bot whose stored index lacks much of what its articles say."""

    workspace_id: str
    id: UUID
    slug: str
    name: str
    locale: str


async def schedule_indexes(database: Database) -> None:
    """Have it run in a minute, once, however many processes ask."""
    async with database.enter_workspace("") as tx:
        run_at = utc_now() + EVERY
        await defer(tx.connection, STORE_INDEXES, {}, run_at=run_at, dedupe=STORE_INDEXES)


async def store_indexes(database: Database, job: Job) -> None:
    async with database.enter_workspace("") as tx:
        sql = "select * from search_behind(%(few)s, %(most)s)"
        bots = await tx.all(Behind, sql, few=UNSAVED_ARTICLES, most=AT_ONCE)
    for bot in bots:
        async with database.enter_workspace(bot.workspace_id) as tx:
            asking = Actor("command", "index", can_write=False)
            of = Bot(bot.id, bot.workspace_id, bot.slug, bot.name, bot.locale)
            await SHELF.index_of(Ctx(tx, of, asking, utc_now()))
    await schedule_indexes(database)

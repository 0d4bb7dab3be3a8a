"""What the search does behind changes: storing indexes, giving passages their vectors."""

from dataclasses import dataclass
from datetime import timedelta
from uuid import UUID

import structlog

from instep.core.clock import utc_now
from instep.core.database import Database
from instep.core.jobs import Job, defer
from instep.identity.schemas import Actor, Bot, Ctx
from instep.llm.embedding import Embedder
from instep.llm.protocol import CompletionError
from instep.search.index.cache import MAX_UNFLUSHED_ARTICLES, index_cache
from instep.search.semantic.indexing import embed_bot

log = structlog.get_logger()

STORE_INDEXES = "store_indexes"
EMBED_ARTICLES = "embed_articles"
EVERY = timedelta(minutes=1)
EMBED_EVERY = timedelta(seconds=5)
# After the model gave no answer.
EMBED_AGAIN = timedelta(minutes=1)
# In one run; what is left comes with the next.
AT_ONCE = 50
EMBED_AT_ONCE = 1_000


@dataclass(slots=True)
class Behind:
    """A bot whose stored index, or whose vectors, lack some of what its articles say."""

    workspace_id: str
    id: UUID
    slug: str
    name: str
    locale: str

    @property
    def bot(self) -> Bot:
        return Bot(self.id, self.workspace_id, self.slug, self.name, self.locale)


async def schedule_indexes(database: Database) -> None:
    """Have it run in a minute, once, however many processes ask."""
    async with database.enter_workspace("") as tx:
        run_at = utc_now() + EVERY
        await defer(tx.connection, STORE_INDEXES, {}, run_at=run_at, dedupe=STORE_INDEXES)


async def store_indexes(database: Database, job: Job) -> None:
    async with database.enter_workspace("") as tx:
        sql = "select * from search_behind(%(few)s, %(most)s)"
        bots = await tx.all(Behind, sql, few=MAX_UNFLUSHED_ARTICLES, most=AT_ONCE)
    for bot in bots:
        async with database.enter_workspace(bot.workspace_id) as tx:
            asking = Actor("command", "index", can_write=False)
            await index_cache.index_of(Ctx(tx, bot.bot, asking, utc_now()))
    await schedule_indexes(database)


async def schedule_embedding(database: Database, wait: timedelta = EMBED_EVERY) -> None:
    async with database.enter_workspace("") as tx:
        await defer(tx.connection, EMBED_ARTICLES, {}, run_at=utc_now() + wait, dedupe=EMBED_ARTICLES)


async def embed_articles(database: Database, embedder: Embedder | None, job: Job) -> None:
    """Where none is set up any more, the job ends."""
    if embedder is None:
        return
    async with database.enter_workspace("") as tx:
        sql = "select * from vectors_behind(%(model)s, %(most)s)"
        bots = await tx.all(Behind, sql, model=embedder.name, most=EMBED_AT_ONCE)
    try:
        for bot in bots:
            await embed_bot(database, embedder, bot.bot)
    except CompletionError as none:
        log.warning("articles wait for their vectors", model=embedder.name, reason=none.message)
        await schedule_embedding(database, EMBED_AGAIN)
    else:
        await schedule_embedding(database)

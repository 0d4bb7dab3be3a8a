"""The jobs of the search, which follow the changes of articles: storing indexes, embedding articles."""

from dataclasses import dataclass
from datetime import timedelta
from uuid import UUID

import structlog

from instep.core.clock import utc_now
from instep.core.database import Database
from instep.core.jobs import Job, defer
from instep.identity.schemas import Actor, Bot, Ctx
from instep.llm.embedding import Embedder, Embedders
from instep.llm.protocol import CompletionError
from instep.search.index.cache import MAX_UNFLUSHED_ARTICLES, index_cache
from instep.search.semantic.indexing import embed_bot

log = structlog.get_logger()

STORE_INDEXES = "store_indexes"
EMBED_ARTICLES = "embed_articles"
STORE_INTERVAL = timedelta(minutes=1)
EMBED_INTERVAL = timedelta(seconds=5)
# The wait after a failure of the embedding model.
EMBED_RETRY_DELAY = timedelta(minutes=1)
# Bots of one run; the next run takes the others.
STORE_BATCH = 50
EMBED_BATCH = 1_000


@dataclass(slots=True)
class OutdatedBot:
    """A bot whose stored index or whose embeddings lack changes of its articles."""

    workspace_id: str
    id: UUID
    slug: str
    name: str
    locale: str

    @property
    def bot(self) -> Bot:
        return Bot(self.id, self.workspace_id, self.slug, self.name, self.locale)


async def schedule_indexes(database: Database) -> None:
    """Schedule the next run of `store_indexes`, a single one for all processes."""
    async with database.enter_workspace("") as tx:
        run_at = utc_now() + STORE_INTERVAL
        await defer(tx, STORE_INDEXES, {}, run_at=run_at, dedupe=STORE_INDEXES)


async def store_indexes(database: Database, job: Job) -> None:
    async with database.enter_workspace("") as tx:
        sql = "select * from search_behind(%(max_unflushed)s, %(limit)s)"
        bots = await tx.all(OutdatedBot, sql, max_unflushed=MAX_UNFLUSHED_ARTICLES, limit=STORE_BATCH)
    for bot in bots:
        async with database.enter_workspace(bot.workspace_id) as tx:
            actor = Actor("command", "index", can_write=False)
            # It stores what it has read if enough has changed.
            await index_cache.index_of(Ctx(tx, bot.bot, actor, utc_now()))
    await schedule_indexes(database)


async def schedule_embedding(database: Database, wait: timedelta = EMBED_INTERVAL) -> None:
    async with database.enter_workspace("") as tx:
        await defer(tx, EMBED_ARTICLES, {}, run_at=utc_now() + wait, dedupe=EMBED_ARTICLES)


async def embed_articles(database: Database, embedders: Embedders, job: Job) -> None:
    """Embed what has changed, and schedule the next run; without an embedding model the job ends."""
    if not embedders.by_locales:
        return
    are_done = [await embed_outdated(database, *pair) for pair in embedders.by_locales]
    await schedule_embedding(database, EMBED_INTERVAL if all(are_done) else EMBED_RETRY_DELAY)


async def embed_outdated(database: Database, embedder: Embedder, locales: str) -> bool:
    """Embed the changes of all bots whose language the pattern matches; False if the model has failed."""
    async with database.enter_workspace("") as tx:
        sql = "select * from vectors_behind(%(model)s, %(locales)s, %(limit)s)"
        bots = await tx.all(OutdatedBot, sql, model=embedder.name, locales=locales, limit=EMBED_BATCH)
    try:
        for bot in bots:
            await embed_bot(database, embedder, bot.bot)
    except CompletionError as error:
        log.warning("articles wait for their vectors", model=embedder.name, reason=error.message)
        return False
    return True

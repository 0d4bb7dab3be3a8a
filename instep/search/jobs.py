"""The jobs of the search, which follow changes of articles: they store indexes and embed articles."""

import time
from collections.abc import Awaitable, Callable, Sequence
from datetime import timedelta
from functools import partial
from uuid import UUID

import structlog

from instep.platform.core.clock import utc_now
from instep.platform.core.database import Database
from instep.platform.core.errors import Unavailable
from instep.platform.core.jobs import Job, schedule_next, schedule_recurring
from instep.platform.core.outages import DatabaseSlow
from instep.platform.identity.schemas import Actor, Bot, Ctx
from instep.platform.llm.embedding import Embedder, Embedders
from instep.platform.llm.protocol import CompletionError
from instep.search.index.cache import MAX_UNFLUSHED_ARTICLES, index_cache
from instep.search.semantic.indexing import Place, embed_bot

log = structlog.get_logger()

STORE_INDEXES = "store_indexes"
EMBED_ARTICLES = "embed_articles"
STORE_INTERVAL = timedelta(minutes=1)
EMBED_INTERVAL = timedelta(seconds=5)
# The wait after a failure, such as one of the embedding model.
EMBED_RETRY_DELAY = timedelta(minutes=1)
# The number of bots per run; the next run handles the others.
STORE_BATCH = 50
EMBED_BATCH = 1_000
# The number of chunks that a bot embeds per turn, and the duration of a run.
EMBED_CHUNKS = 256
EMBED_SECONDS = 60


async def schedule_indexes(database: Database) -> None:
    """Schedule the next run of `store_indexes`, once for all processes."""
    await schedule_recurring(database, STORE_INDEXES, STORE_INTERVAL)


async def schedule_embedding(database: Database, wait: timedelta = EMBED_INTERVAL) -> None:
    """Schedule the next run of `embed_articles`; the earlier of two times counts."""
    await schedule_recurring(database, EMBED_ARTICLES, wait)


async def has_turn(database: Database, job: Job, schedule: Callable[[], Awaitable[None]]) -> bool:
    """Schedule the run after this one; return False while an earlier one is running."""
    await schedule_next(schedule)
    # A worker runs a job until its lease expires.
    sql = """
        select not exists (
          select from jobs
          where kind = %(kind)s and id < %(id)s and worker is not null and run_at > now())
    """
    async with database.enter_workspace("") as tx:
        is_free: bool = await tx.value(sql, kind=job.kind, id=job.id)
    return is_free


async def store_indexes(database: Database, job: Job) -> None:
    if not await has_turn(database, job, partial(schedule_indexes, database)):
        return
    try:
        async with database.enter_workspace("") as tx:
            sql = "select * from search_behind(%(max_unflushed)s, %(limit)s)"
            bots = await tx.all(Bot, sql, max_unflushed=MAX_UNFLUSHED_ARTICLES, limit=STORE_BATCH)
        await update_each(bots, partial(store_index, database))
    except Unavailable as outage:
        log.warning("indexes wait for the database", reason=outage.message)


async def store_index(database: Database, bot: Bot) -> None:
    async with database.enter_workspace(bot.workspace_id) as tx:
        actor = Actor("command", "index", can_write=False)
        # This stores the articles that it has read if enough has changed.
        await index_cache.index_of(Ctx(tx, bot, actor, utc_now()))


async def embed_articles(database: Database, embedders: Embedders, job: Job) -> None:
    """Embed what has changed, and schedule the next run; without an embedding model the job ends."""
    if not embedders.by_locales:
        return
    if not await has_turn(database, job, partial(schedule_embedding, database, EMBED_RETRY_DELAY)):
        return
    are_done = [await embed_outdated(database, *pair) for pair in embedders.by_locales]
    if all(are_done):
        await schedule_embedding(database)


async def embed_outdated(database: Database, embedder: Embedder, locales: str) -> bool:
    """Embed the changes of all bots whose language matches the pattern; return False if anything fails.

    Bots take turns, so that none waits for another one's many articles. After a while the rest is left to the
    next run, which begins with the bots that have changed since.
    """
    places: dict[UUID, Place] = {}
    tried_ids: set[UUID] = set()
    ends_at, are_done = time.monotonic() + EMBED_SECONDS, True
    try:
        while True:
            outdated = await outdated_bots(database, embedder, locales)
            bots = [bot for bot in outdated if bot.id in places or bot.id not in tried_ids]
            tried_ids.update(bot.id for bot in bots)
            are_done &= await update_each(bots, partial(embed_in_turn, database, embedder, places))
            if not bots or time.monotonic() >= ends_at:
                return are_done
    except (CompletionError, Unavailable) as error:
        log.warning("articles wait for their vectors", model=embedder.name, reason=error.message)
        return False


async def outdated_bots(database: Database, embedder: Embedder, locales: str) -> list[Bot]:
    async with database.enter_workspace("") as tx:
        sql = "select * from vectors_behind(%(model)s, %(locales)s, %(limit)s)"
        return await tx.all(Bot, sql, model=embedder.name, locales=locales, limit=EMBED_BATCH)


async def embed_in_turn(database: Database, embedder: Embedder, places: dict[UUID, Place], bot: Bot) -> None:
    """Embed some changes of a bot; `places` records where to continue if there are more."""
    after = places.pop(bot.id, None)
    place = await embed_bot(database, embedder, bot, after=after, max_chunks=EMBED_CHUNKS)
    if place is not None:
        places[bot.id] = place


async def update_each(bots: Sequence[Bot], update: Callable[[Bot], Awaitable[None]]) -> bool:
    """Update the bots one by one; return False if one fails, which is logged and left to the next run.

    Errors that concern all bots end it: a model's `CompletionError`, or `Unavailable`.
    """
    are_done = True
    for bot in bots:
        try:
            await update(bot)
        except Exception as error:
            concerns_all = isinstance(error, CompletionError | Unavailable)
            if concerns_all and not isinstance(error, DatabaseSlow):
                raise
            are_done = False
            log.exception("the search of a bot could not be brought up to date", bot=bot.slug)
    return are_done

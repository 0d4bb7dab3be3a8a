"""The SQL of embeddings: the chunks of articles with their vectors, and each bot's progress."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from instep.platform.core import limits
from instep.platform.core.database import Database, QueuedStatement, Tx
from instep.platform.identity.schemas import Ctx


@dataclass(frozen=True, slots=True)
class EmbeddingState:
    """The embedding progress of a bot's articles."""

    model: str
    # The length of its vectors; 0 while there are none.
    dimensions: int
    # The change stamp up to which articles have their vectors.
    seen: datetime
    # Whether all articles had vectors once; until then the vectors are not used.
    is_complete: bool
    # Whether it was read from a replica, which may lag.
    is_replica: bool = False

    @property
    def is_usable(self) -> bool:
        return self.is_complete and self.dimensions > 0


@dataclass(frozen=True, slots=True)
class StoredVectors:
    """The chunks of an article as bytes (`vector_index.chunk_dtype`), and the article's stamp then."""

    article_id: str
    seen: datetime
    chunks: bytes


def ask_for_embedding_state(ctx: Ctx) -> QueuedStatement:
    """Request the bot's embedding progress, together with the next statement."""
    return ctx.queue(
        """
        select model, dimensions, seen, is_complete, pg_is_in_recovery() as is_replica from bot_vectors
        where bot_id = %(bot)s and workspace_id = %(workspace)s
        """
    )


async def embedding_state(ctx: Ctx) -> EmbeddingState | None:
    return await ask_for_embedding_state(ctx).first(EmbeddingState)


async def reset_embeddings(ctx: Ctx, model: str, dimensions: int) -> None:
    """Delete all vectors of the bot, so that it is embedded again from the start with this model."""
    await ctx.execute("delete from article_vectors where bot_id = %(bot)s and workspace_id = %(workspace)s")
    await ctx.execute(
        """
        insert into bot_vectors as v (bot_id, workspace_id, model, dimensions)
        values (%(bot)s, %(workspace)s, %(model)s, %(dimensions)s)
        on conflict (bot_id, workspace_id) do update set
            model = excluded.model, dimensions = excluded.dimensions, seen = default, is_complete = false
        """,
        model=model,
        dimensions=dimensions,
    )


async def vectors_of(ctx: Ctx, article_ids: Sequence[str]) -> list[StoredVectors]:
    return await ctx.all(
        StoredVectors,
        """
        select article_id, seen, chunks from article_vectors
        where bot_id = %(bot)s and workspace_id = %(workspace)s and article_id = any(%(ids)s)
        """,
        ids=list(article_ids),
    )


async def vectors_since(ctx: Ctx, seen: datetime, after: str | None, limit: int) -> list[StoredVectors]:
    """The vectors of articles with a later stamp, or with this one and an id after `after`; oldest first."""
    return await ctx.all(
        StoredVectors,
        f"""
        select article_id, seen, chunks from article_vectors
        where bot_id = %(bot)s and workspace_id = %(workspace)s
          and {"(seen, article_id) > (%(seen)s, %(after)s)" if after else "seen > %(seen)s"}
        order by seen, article_id limit %(limit)s
        """,
        seen=seen,
        after=after,
        limit=limit,
    )


async def embedded_articles(ctx: Ctx) -> set[str]:
    """The ids of the articles that have vectors."""
    return set(
        await ctx.column(
            "select article_id from article_vectors where bot_id = %(bot)s and workspace_id = %(workspace)s"
        )
    )


async def store_vectors(ctx: Ctx, articles: Sequence[StoredVectors]) -> None:
    await ctx.execute(
        """
        insert into article_vectors (bot_id, workspace_id, article_id, seen, chunks)
        select a.bot_id, a.workspace_id, a.id, n.seen, n.chunks
        from unnest(%(ids)s::text[], %(seen)s::timestamptz[], %(chunks)s::bytea[]) as n (id, seen, chunks)
            join articles a on a.bot_id = %(bot)s and a.workspace_id = %(workspace)s and a.id = n.id
        on conflict (bot_id, article_id, workspace_id) do update set
            seen = excluded.seen, chunks = excluded.chunks
        """,
        ids=[article.article_id for article in articles],
        seen=[article.seen for article in articles],
        chunks=[article.chunks for article in articles],
    )


async def delete_vectors(ctx: Ctx, article_ids: Sequence[str]) -> None:
    await ctx.execute(
        """
        delete from article_vectors
        where bot_id = %(bot)s and workspace_id = %(workspace)s and article_id = any(%(ids)s)
        """,
        ids=list(article_ids),
    )


async def set_seen(ctx: Ctx, seen: datetime, *, is_complete: bool) -> None:
    await ctx.execute(
        """
        update bot_vectors set seen = %(seen)s, is_complete = is_complete or %(is_complete)s
        where bot_id = %(bot)s and workspace_id = %(workspace)s
        """,
        seen=seen,
        is_complete=is_complete,
    )


async def count_waiting(ctx: Ctx, model: str) -> int:
    """The number of live articles without vectors of this model."""
    return await ctx.value(
        """
        select count(*) from articles
        where bot_id = %(bot)s and workspace_id = %(workspace)s and status = 'published'
          and deleted_at is null and updated_at > coalesce((
            select seen from bot_vectors
            where bot_id = %(bot)s and workspace_id = %(workspace)s and model = %(model)s), '-infinity')
        """,
        model=model,
    )


async def has_bots(database: Database, locales: str) -> bool:
    """True if a bot of any workspace has articles and a locale that matches the pattern."""
    async with database.enter_workspace("") as tx:
        # No bot has vectors of an unnamed model, so each one with articles lags.
        has_one: bool = await tx.value(
            "select exists (select from vectors_behind('', %(locales)s, 1))", locales=locales
        )
    return has_one


@dataclass(frozen=True, slots=True)
class EmbeddingBacklog:
    """The number of articles of all bots whose vectors are still missing or old, for `instep doctor`."""

    articles: int
    # Age of the oldest change without a vector, over bots whose vectors were complete before.
    seconds: float | None

    def summary(self) -> str:
        return f"{self.articles} articles wait for their vectors" if self.articles else "no article waits"

    def problems(self) -> list[str]:
        if self.seconds is not None and self.seconds > limits.MAX_EMBEDDING_LAG_SECONDS:
            lag = f"{self.seconds:.0f} seconds"
            return [f"Articles have been waiting for their vectors for {lag}; the log says why."]
        return []


async def embedding_backlog(tx: Tx) -> EmbeddingBacklog:
    return await tx.fetch_one(
        EmbeddingBacklog,
        """
        select count(*) as articles,
            extract(epoch from now() - min(a.updated_at) filter (where v.is_complete))::float8 as seconds
        from bots b left join bot_vectors v on v.bot_id = b.id
            join articles a on a.bot_id = b.id and a.updated_at > coalesce(v.seen, '-infinity')
        where a.status = 'published' and a.deleted_at is null
        """,
    )

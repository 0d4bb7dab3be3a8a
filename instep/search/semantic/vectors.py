"""The SQL of embeddings: the vectors of chunks, and the articles nearest to the vector of a question."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

import psycopg

from instep.core import limits
from instep.core.database import Tx
from instep.identity.schemas import Ctx
from instep.llm.embedding import Vector
from instep.search.queries import LIVE, visible_to
from instep.search.schemas import Audience
from instep.search.semantic.chunks import Chunk

VECTORS_MISSING = (
    "Embeddings are set up, but PostgreSQL lacks the extension `vector` (0.7 or newer): install pgvector, "
    "have its owner run `create extension vector`, and restart."
)


def set_up_vectors(url: str) -> bool:
    """Whether PostgreSQL can store vectors; `url` is that of the owner, who may create the extension."""
    with psycopg.connect(url) as connection:
        row = connection.execute("select set_up_vectors()").fetchone()
    return bool(row and row[0])


@dataclass(frozen=True, slots=True)
class EmbeddingState:
    """How far the articles of a bot are embedded."""

    model: str
    # The length of its vectors; 0 while there are none.
    dimensions: int
    # The change stamp up to which articles have their vectors.
    seen: datetime
    # Whether all articles had their vectors once; until then the vectors do not count.
    is_complete: bool


@dataclass(frozen=True, slots=True)
class SemanticHit:
    """An article near to a question in meaning."""

    article_id: str
    # The numbers of the first and the last passage of its nearest chunk.
    first: int
    last: int
    # z-score of the similarity among the bot's articles (0 = mean, 1 = one standard deviation above).
    z_score: float
    # Cosine of the question's vector and that of the nearest chunk. Cursors do not carry it, nor the chunks.
    similarity: float = 0.0
    # How far that is above the mean of the bot's articles. Cursors do not carry it either.
    excess: float = 0.0
    # All its chunks: the numbers of their first and last passages, and their similarities.
    firsts: Sequence[int] = ()
    lasts: Sequence[int] = ()
    similarities: Sequence[float] = ()

    def similarity_of(self, passage: int) -> float:
        """The similarity of the chunks that a passage is part of: that of the nearest, 0 without one."""
        chunks = zip(self.firsts, self.lasts, self.similarities, strict=True)
        return max((value for first, last, value in chunks if first <= passage <= last), default=0.0)


@dataclass(frozen=True, slots=True)
class NewEmbedding:
    chunk: Chunk
    vector: Vector


# Only vectors of the question's model and length are compared. Mean and variance are shrunk towards usual
# values (0.2 and 0.01), as if there were a few more articles, because few articles estimate them badly.
NEAREST = """
    with near as materialized (
        select v.article_id, v.number, v.first_passage, v.last_passage,
            1 - (v.vector <=> %(vector)s::halfvec) as similarity
        from passage_vectors v join articles a on a.bot_id = v.bot_id and a.id = v.article_id
        where v.bot_id = %(bot)s and {live} and {visible_to}
          and (%(locale)s::text is null or a.locale = %(locale)s)
          and exists (select from bot_vectors m where m.bot_id = %(bot)s and m.is_complete
            and m.model = %(model)s and m.dimensions = %(dimensions)s)
    ), best as (
        select distinct on (article_id) * from near
        order by article_id, similarity desc, number
    ), usual as (
        select (sum(similarity) + 0.6) / (count(*) + 3) as mean,
            (coalesce(var_pop(similarity), 0) * count(*) + 0.1) / (count(*) + 10) as variance
        from best
    ), hits as (
        select article_id, first_passage as first, last_passage as last,
            round(((similarity - mean) / sqrt(variance))::numeric, 4)::float8 as z_score, similarity,
            similarity - mean as excess
        from best, usual order by z_score desc, article_id limit %(limit)s
    )
    select h.article_id, h.first, h.last, h.z_score, h.similarity::float8 as similarity,
        h.excess::float8 as excess, c.firsts, c.lasts, c.similarities
    from hits h cross join lateral (
            select array_agg(first_passage order by number) as firsts,
                array_agg(last_passage order by number) as lasts,
                array_agg(near.similarity::float8 order by number) as similarities
            from near where near.article_id = h.article_id
        ) c
    order by h.z_score desc, h.article_id
"""


async def nearest_articles(
    ctx: Ctx, model: str, vector: Vector, locale: str | None, audience: Audience, limit: int
) -> list[SemanticHit]:
    """The articles of the chunks most similar to the vector (cosine), best first."""
    return await ctx.tx.all(
        SemanticHit,
        NEAREST.format(live=LIVE, visible_to=visible_to(audience)),
        bot=ctx.bot.id,
        model=model,
        dimensions=len(vector),
        vector=to_halfvec(vector),
        locale=locale,
        limit=limit,
    )


def to_halfvec(vector: Vector) -> str:
    return "[" + ",".join(f"{number:.5g}" for number in vector) + "]"


async def embedding_state(ctx: Ctx) -> EmbeddingState | None:
    return await ctx.tx.first(
        EmbeddingState,
        "select model, dimensions, seen, is_complete from bot_vectors where bot_id = %(bot)s",
        bot=ctx.bot.id,
    )


async def reset_embeddings(ctx: Ctx, model: str, dimensions: int) -> None:
    """Delete all vectors of the bot, so that it is embedded from the beginning with this model."""
    await ctx.tx.execute("delete from passage_vectors where bot_id = %(bot)s", bot=ctx.bot.id)
    await ctx.tx.execute(
        """
        insert into bot_vectors as v (bot_id, workspace_id, model, dimensions)
        values (%(bot)s, %(workspace)s, %(model)s, %(dimensions)s)
        on conflict (bot_id, workspace_id) do update set
            model = excluded.model, dimensions = excluded.dimensions, seen = default, is_complete = false
        """,
        bot=ctx.bot.id,
        workspace=ctx.bot.workspace_id,
        model=model,
        dimensions=dimensions,
    )


async def stored_hashes(ctx: Ctx, article_ids: Sequence[str]) -> dict[tuple[str, int], bytes]:
    """The hashes of the chunks that have a vector, by article id and chunk number."""
    rows = await ctx.tx.all(
        StoredHash,
        """
        select article_id, number, hash from passage_vectors
        where bot_id = %(bot)s and article_id = any(%(ids)s)
        """,
        bot=ctx.bot.id,
        ids=list(article_ids),
    )
    return {(row.article_id, row.number): row.hash for row in rows}


@dataclass(frozen=True, slots=True)
class StoredHash:
    article_id: str
    number: int
    hash: bytes


async def store_embeddings(ctx: Ctx, embeddings: Sequence[NewEmbedding]) -> None:
    await ctx.tx.execute(
        """
        insert into passage_vectors
            (bot_id, workspace_id, article_id, number, first_passage, last_passage, hash, vector)
        select a.bot_id, a.workspace_id, a.id, n.number, n.first, n.last, n.hash, n.vector::halfvec
        from unnest(%(ids)s::text[], %(numbers)s::integer[], %(firsts)s::integer[], %(lasts)s::integer[],
            %(hashes)s::bytea[], %(vectors)s::text[])
            as n (id, number, first, last, hash, vector)
            join articles a on a.bot_id = %(bot)s and a.id = n.id
        on conflict (bot_id, article_id, number, workspace_id) do update set
            first_passage = excluded.first_passage, last_passage = excluded.last_passage,
            hash = excluded.hash, vector = excluded.vector
        """,
        bot=ctx.bot.id,
        ids=[embedding.chunk.article_id for embedding in embeddings],
        numbers=[embedding.chunk.number for embedding in embeddings],
        firsts=[embedding.chunk.first for embedding in embeddings],
        lasts=[embedding.chunk.last for embedding in embeddings],
        hashes=[embedding.chunk.hash for embedding in embeddings],
        vectors=[to_halfvec(embedding.vector) for embedding in embeddings],
    )


async def delete_surplus(ctx: Ctx, counts: Mapping[str, int]) -> None:
    """Delete the vectors of each of these articles from chunk number `count` on."""
    await ctx.tx.execute(
        """
        delete from passage_vectors v
        using unnest(%(ids)s::text[], %(counts)s::integer[]) as k (id, count)
        where v.bot_id = %(bot)s and v.article_id = k.id and v.number >= k.count
        """,
        bot=ctx.bot.id,
        ids=list(counts),
        counts=list(counts.values()),
    )


async def set_seen(ctx: Ctx, seen: datetime, *, is_complete: bool) -> None:
    await ctx.tx.execute(
        """
        update bot_vectors set seen = %(seen)s, is_complete = is_complete or %(is_complete)s
        where bot_id = %(bot)s
        """,
        bot=ctx.bot.id,
        seen=seen,
        is_complete=is_complete,
    )


@dataclass(frozen=True, slots=True)
class EmbeddingBacklog:
    """How far the vectors are behind the articles of all bots, for `instep doctor`."""

    can_store_vectors: bool
    articles: int
    # Age of the oldest change without a vector, over bots whose vectors were complete before.
    seconds: float | None

    def summary(self) -> str:
        return f"{self.articles} articles wait for their vectors" if self.articles else "no article waits"

    def problems(self) -> list[str]:
        if not self.can_store_vectors:
            return [VECTORS_MISSING]
        if self.seconds is not None and self.seconds > limits.MAX_EMBEDDING_LAG_SECONDS:
            lag = f"{self.seconds:.0f} seconds"
            return [f"Articles have been waiting for their vectors for {lag}; the log says why."]
        return []


async def embedding_backlog(tx: Tx) -> EmbeddingBacklog:
    return await tx.fetch_one(
        EmbeddingBacklog,
        """
        select to_regclass('public.passage_vectors') is not null as can_store_vectors, count(*) as articles,
            extract(epoch from now() - min(a.updated_at) filter (where v.is_complete))::float8 as seconds
        from bots b left join bot_vectors v on v.bot_id = b.id
            join articles a on a.bot_id = b.id and a.updated_at > coalesce(v.seen, '-infinity')
        where a.status = 'published' and a.deleted_at is null
        """,
    )

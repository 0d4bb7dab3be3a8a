"""The SQL of vectors: which pieces have them, and which articles are near to a question in meaning."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

import psycopg

from instep.core import limits
from instep.core.database import Tx
from instep.identity.schemas import Ctx
from instep.llm.embedding import Vector
from instep.search.queries import LIVE, visible
from instep.search.schemas import Audience
from instep.search.semantic.chunks import Chunk

VECTORS_MISSING = (
    "Embeddings are set up, but PostgreSQL lacks the extension `vector` (0.7 or newer): install pgvector, "
    "have its owner run `create extension vector`, and restart."
)


def set_up_vectors(url: str) -> bool:
    """Whether PostgreSQL can keep vectors; with the owner's power."""
    with psycopg.connect(url) as connection:
        row = connection.execute("select set_up_vectors()").fetchone()
    return bool(row and row[0])


@dataclass(frozen=True, slots=True)
class EmbeddingState:
    """How far the vectors of a bot are made."""

    model: str
    dimensions: int
    seen: datetime
    is_complete: bool


@dataclass(frozen=True, slots=True)
class SemanticHit:
    """An article that says something like the question, its passages that do so most, and how much."""

    article_id: str
    first: int
    last: int
    # How far it stands above the articles of the bot: 0 as they usually do, 1 for each usual difference.
    likeness: float


@dataclass(frozen=True, slots=True)
class NewEmbedding:
    piece: Chunk
    vector: Vector


# Vectors of different lengths can't be compared; so they are not, whatever a model does.
# Few articles don't tell what is usual, so they count as if there were some more, of usual likeness.
NEAREST = """
    with near as materialized (
        select v.article_id, v.number, v.first_passage, v.last_passage,
            1 - (v.vector <=> %(vector)s::halfvec) as likeness
        from passage_vectors v join articles a on a.bot_id = v.bot_id and a.id = v.article_id
        where v.bot_id = %(bot)s and {live} and {visible}
          and (%(locale)s::text is null or a.locale = %(locale)s)
          and exists (select from bot_vectors m where m.bot_id = %(bot)s and m.is_complete
            and m.model = %(model)s and m.dimensions = %(dimensions)s)
    ), best as (
        select distinct on (article_id) * from near
        order by article_id, likeness desc, number
    ), usual as (
        select (sum(likeness) + 0.6) / (count(*) + 3) as middle,
            (coalesce(var_pop(likeness), 0) * count(*) + 0.1) / (count(*) + 10) as variance
        from best
    )
    select article_id, first_passage as first, last_passage as last,
        round(((likeness - middle) / sqrt(variance))::numeric, 4)::float8 as likeness
    from best, usual order by likeness desc, article_id limit %(most)s
"""


async def nearest(
    ctx: Ctx, model: str, vector: Vector, locale: str | None, audience: Audience, most: int
) -> list[SemanticHit]:
    return await ctx.tx.all(
        SemanticHit,
        NEAREST.format(live=LIVE, visible=visible(audience)),
        bot=ctx.bot.id,
        model=model,
        dimensions=len(vector),
        vector=to_halfvec(vector),
        locale=locale,
        most=most,
    )


def to_halfvec(vector: Vector) -> str:
    return "[" + ",".join(f"{number:.5g}" for number in vector) + "]"


async def embedding_state(ctx: Ctx) -> EmbeddingState | None:
    return await ctx.tx.first(
        EmbeddingState,
        "select model, dimensions, seen, is_complete from bot_vectors where bot_id = %(bot)s",
        bot=ctx.bot.id,
    )


async def begin(ctx: Ctx, model: str, dimensions: int) -> None:
    """Forget those of another model."""
    await ctx.tx.execute("delete from passage_vectors where bot_id = %(bot)s", bot=ctx.bot.id)
    await ctx.tx.execute(
        """
        insert into bot_vectors as v (bot_id, workspace_id, model, dimensions)
        values (%(bot)s, %(workspace)s, %(model)s, %(dimensions)s)
        on conflict (bot_id) do update set model = excluded.model, dimensions = excluded.dimensions,
            seen = default, is_complete = false
        """,
        bot=ctx.bot.id,
        workspace=ctx.bot.workspace_id,
        model=model,
        dimensions=dimensions,
    )


async def stored_hashes(ctx: Ctx, article_ids: Sequence[str]) -> dict[tuple[str, int], bytes]:
    """What the vectors of these articles were made of, by article and number."""
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


async def store(ctx: Ctx, new: Sequence[NewEmbedding]) -> None:
    await ctx.tx.execute(
        """
        insert into passage_vectors
            (bot_id, workspace_id, article_id, number, first_passage, last_passage, hash, vector)
        select a.bot_id, a.workspace_id, a.id, n.number, n.first, n.last, n.hash, n.vector::halfvec
        from unnest(%(ids)s::text[], %(numbers)s::integer[], %(firsts)s::integer[], %(lasts)s::integer[],
            %(hashes)s::bytea[], %(vectors)s::text[])
            as n (id, number, first, last, hash, vector)
            join articles a on a.bot_id = %(bot)s and a.id = n.id
        on conflict (bot_id, article_id, number) do update set first_passage = excluded.first_passage,
            last_passage = excluded.last_passage, hash = excluded.hash, vector = excluded.vector
        """,
        bot=ctx.bot.id,
        ids=[one.piece.article_id for one in new],
        numbers=[one.piece.number for one in new],
        firsts=[one.piece.first for one in new],
        lasts=[one.piece.last for one in new],
        hashes=[one.piece.hash for one in new],
        vectors=[to_halfvec(one.vector) for one in new],
    )


async def keep_first(ctx: Ctx, counts: Mapping[str, int]) -> None:
    """Of each article so many pieces, and none beyond them."""
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
    """How far vectors are behind the articles of all bots, as `instep doctor` tells it."""

    can_be_kept: bool
    articles: int
    # Of bots that had all their vectors once: how long the oldest change has waited.
    seconds: float | None

    def summary(self) -> str:
        return f"{self.articles} articles wait for their vectors" if self.articles else "no article waits"

    def problems(self) -> list[str]:
        if not self.can_be_kept:
            return [VECTORS_MISSING]
        if self.seconds is not None and self.seconds > limits.MAX_EMBEDDING_LAG_SECONDS:
            return [f"Articles wait for their vectors since {self.seconds:.0f} seconds; the log says why."]
        return []


async def embedding_backlog(tx: Tx) -> EmbeddingBacklog:
    return await tx.one(
        EmbeddingBacklog,
        """
        select to_regclass('public.passage_vectors') is not null as can_be_kept, count(*) as articles,
            extract(epoch from now() - min(a.updated_at) filter (where v.is_complete))::float8 as seconds
        from bots b left join bot_vectors v on v.bot_id = b.id
            join articles a on a.bot_id = b.id and a.updated_at > coalesce(v.seen, '-infinity')
        where a.status = 'published' and a.deleted_at is null
        """,
    )

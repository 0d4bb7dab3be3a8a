"""Giving articles their vectors behind the changes, article by article, until nothing is left to do."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

from instep.core import limits
from instep.core.clock import utc_now
from instep.core.database import Database, Tx
from instep.identity.schemas import Actor, Bot, Ctx
from instep.llm.embedding import Embedder, Vector
from instep.llm.protocol import PromptRejected
from instep.search import queries
from instep.search.index.builder import ArticleChange
from instep.search.index.cache import NEVER, run
from instep.search.semantic import vectors
from instep.search.semantic.chunks import Chunk, chunks_of
from instep.search.semantic.vectors import EmbeddingState, NewEmbedding

ARTICLES_AT_ONCE = 20
TEXTS_AT_ONCE = 64
# What any model takes.
HARMLESS = "help"


@dataclass(frozen=True, slots=True)
class Batch:
    """Articles that have changed, how far that was looked, and which pieces need a vector."""

    made: EmbeddingState
    rows: list[ArticleChange]
    pieces: list[Chunk]
    missing: list[Chunk]
    until: queries.IndexState

    @property
    def is_last(self) -> bool:
        return len(self.rows) < ARTICLES_AT_ONCE


async def embed_bot(database: Database, embedder: Embedder, bot: Bot) -> None:
    """`NoReply` when the model does not answer: what is done stays done."""
    while True:
        async with database.enter_workspace(bot.workspace_id) as tx:
            batch = await next_batch(context(tx, bot), embedder.name)
        new = await vectors_of(embedder, batch.missing)
        lengths = {len(one.vector) for one in new}
        async with database.enter_workspace(bot.workspace_id) as tx, tx.transaction():
            ctx = context(tx, bot)
            if lengths - {batch.made.dimensions}:
                # The first ones, or the model gives others than it did.
                await vectors.begin(ctx, embedder.name, lengths.pop())
                if batch.made.dimensions:
                    continue
            await keep(ctx, batch, new)
        if batch.is_last:
            return


def context(tx: Tx, bot: Bot) -> Ctx:
    return Ctx(tx, bot, Actor("command", "embeddings", can_write=False), utc_now())


async def next_batch(ctx: Ctx, model: str) -> Batch:
    made = await vectors.embedding_state(ctx)
    if made is None or made.model != model:
        async with ctx.tx.transaction():
            await vectors.begin(ctx, model, 0)
        made = EmbeddingState(model, 0, NEVER, False)
    until = await queries.index_state(ctx)
    rows = await queries.changed_since(ctx, made.seen, None, ARTICLES_AT_ONCE, only_live=False)
    pieces = await run(chunks_of, rows, is_long=True)
    known = await vectors.stored_hashes(ctx, [row.id for row in rows])
    missing = [piece for piece in pieces if known.get((piece.article_id, piece.number)) != piece.hash]
    return Batch(made, rows, pieces, missing, until)


async def vectors_of(embedder: Embedder, pieces: Sequence[Chunk]) -> list[NewEmbedding]:
    """Without those that the model does not take."""
    found: list[NewEmbedding] = []
    for start in range(0, len(pieces), TEXTS_AT_ONCE):
        some = pieces[start : start + TEXTS_AT_ONCE]
        for piece, vector in zip(some, await taken(embedder, [piece.text for piece in some]), strict=True):
            if vector is not None:
                found.append(NewEmbedding(piece, vector))
    return found


async def taken(embedder: Embedder, texts: Sequence[str]) -> list[Vector | None]:
    """The vectors of texts; one that the model refuses spoils no other."""
    try:
        return list(await embedder.vectors(texts, limits.EMBEDDING_SECONDS))
    except PromptRejected:
        # It may refuse everything, which is no reason to leave anything out.
        await embedder.vectors([HARMLESS], limits.EMBEDDING_SECONDS)
    return [await taken_alone(embedder, text) for text in texts]


async def taken_alone(embedder: Embedder, text: str) -> Vector | None:
    try:
        return (await embedder.vectors([text], limits.EMBEDDING_SECONDS))[0]
    except PromptRejected:
        return None


async def keep(ctx: Ctx, batch: Batch, new: Sequence[NewEmbedding]) -> None:
    counts = {row.id: 0 for row in batch.rows}
    for piece in batch.pieces:
        counts[piece.article_id] += 1
    await vectors.keep_first(ctx, counts | dict.fromkeys(await queries.gone_since(ctx, batch.made.seen), 0))
    await vectors.store(ctx, new)
    # Of several changes of one moment some may be left: they are read once more, and have their vectors.
    seen = batch.until.changed_at if batch.is_last else batch.rows[-1].changed_at - timedelta(microseconds=1)
    await vectors.set_seen(ctx, seen, is_complete=batch.is_last)

"""Embeds the changed articles of a bot in batches, until none is left."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

import numpy as np

from instep.platform.core import limits
from instep.platform.core.clock import utc_now
from instep.platform.core.database import Database, Tx
from instep.platform.identity.schemas import Actor, Bot, Ctx
from instep.platform.llm.embedding import Embedder, Vector
from instep.platform.llm.protocol import PromptRejected
from instep.search import queries
from instep.search.index.cache import NEVER, off_loop
from instep.search.index.packed_arrays import Array
from instep.search.schemas import ArticleChange
from instep.search.semantic import vectors
from instep.search.semantic.chunks import Chunk, chunk_articles
from instep.search.semantic.vector_segment import quantized, read_chunks
from instep.search.semantic.vectors import EmbeddingState, StoredVectors

BATCH_ARTICLES = 20
BATCH_TEXTS = 64
# A text that every model accepts.
PROBE_TEXT = "help"


# The stored forms of chunks (see `vector_index.chunk_dtype`) by article id and hash.
VectorsByChunk = dict[tuple[str, bytes], Array]
# Changes are read in the order of their stamps and, for the same stamp, of the articles' ids.
Place = tuple[datetime, str]


@dataclass(frozen=True, slots=True)
class EmbeddingBatch:
    """Changed articles, their chunks, and the existing vectors of these."""

    # The bot's state before the batch, when its articles were read.
    embedding_state: EmbeddingState
    index_state: queries.IndexState
    articles: list[ArticleChange]
    chunks: list[Chunk]
    stored: VectorsByChunk

    @property
    def is_last(self) -> bool:
        return len(self.articles) < BATCH_ARTICLES

    @property
    def end(self) -> Place:
        """The position of the last article; many may have the same stamp."""
        return self.articles[-1].changed_at, self.articles[-1].id

    @property
    def missing(self) -> list[Chunk]:
        return [chunk for chunk in self.chunks if (chunk.article_id, chunk.hash) not in self.stored]


async def embed_bot(
    database: Database,
    embedder: Embedder,
    bot: Bot,
    *,
    after: Place | None = None,
    max_chunks: int | None = None,
) -> Place | None:
    """Embed a bot's changes from a position on; return the next position, or `None` when all are done.

    It stops after the batch that reaches `max_chunks`. A `CompletionError` of the model ends it;
    finished batches are kept.
    """
    chunk_count = 0
    while max_chunks is None or chunk_count < max_chunks:
        async with database.enter_workspace(bot.workspace_id) as tx:
            batch = await next_embedding_batch(_context(tx, bot), embedder.name, after)
        embedded = await embed_chunks(embedder, batch.missing)
        dimensions = {row.dtype["vector"].shape[0] for row in embedded.values()}
        async with database.enter_workspace(bot.workspace_id) as tx, tx.transaction():
            ctx = _context(tx, bot)
            if dimensions - {batch.embedding_state.dimensions}:
                # These are the first vectors, or the model with this name was replaced.
                await vectors.reset_embeddings(ctx, embedder.name, dimensions.pop())
                if batch.embedding_state.dimensions:
                    after = None
                    continue
            await store_batch(ctx, batch, batch.stored | embedded)
        if batch.is_last:
            return None
        after = batch.end
        chunk_count += len(embedded)
    return after


def _context(tx: Tx, bot: Bot) -> Ctx:
    return Ctx(tx, bot, Actor("command", "embeddings", can_write=False), utc_now())


async def next_embedding_batch(ctx: Ctx, model: str, after: Place | None) -> EmbeddingBatch:
    """The changes after a position or, without one, after the stamp up to which the bot is embedded."""
    state = await vectors.embedding_state(ctx)
    if state is None or state.model != model:
        async with ctx.tx.transaction():
            await vectors.reset_embeddings(ctx, model, 0)
        state = EmbeddingState(model, 0, NEVER, False)
    index_state = await queries.index_state(ctx)
    stamp, article_id = after or (state.seen, None)
    articles = await queries.changed_since(ctx, stamp, article_id, BATCH_ARTICLES, only_live=False)
    chunks = await off_loop(chunk_articles, articles, is_long=True)
    stored = await vectors.vectors_of(ctx, [article.id for article in articles])
    return EmbeddingBatch(state, index_state, articles, chunks, by_chunk(stored, state.dimensions))


def by_chunk(stored: Sequence[StoredVectors], dimensions: int) -> VectorsByChunk:
    vectors_by_chunk: VectorsByChunk = {}
    for article in stored:
        chunks = read_chunks(article.chunks, dimensions)
        for row in np.split(chunks, len(chunks)):
            vectors_by_chunk[article.article_id, row["hash"].tobytes()] = row
    return vectors_by_chunk


async def embed_chunks(embedder: Embedder, chunks: Sequence[Chunk]) -> VectorsByChunk:
    """The vectors of the chunks, without those that the model refuses."""
    embedded: VectorsByChunk = {}
    for start in range(0, len(chunks), BATCH_TEXTS):
        batch = chunks[start : start + BATCH_TEXTS]
        batch_vectors = await embed_texts(embedder, [chunk.text for chunk in batch])
        for chunk, vector in zip(batch, batch_vectors, strict=True):
            if vector is not None:
                embedded[chunk.article_id, chunk.hash] = quantized(chunk, vector)
    return embedded


async def embed_texts(embedder: Embedder, texts: Sequence[str]) -> list[Vector | None]:
    """The vectors of the texts, `None` for each text that the model refuses."""
    try:
        return list(await embedder.vectors(texts, limits.EMBEDDING_SECONDS))
    except PromptRejected:
        # A model that refuses even the probe is broken: the error then ends the run, and no text is skipped.
        await embedder.vectors([PROBE_TEXT], limits.EMBEDDING_SECONDS)
    return [await embed_text(embedder, text) for text in texts]


async def embed_text(embedder: Embedder, text: str) -> Vector | None:
    try:
        return (await embedder.vectors([text], limits.EMBEDDING_SECONDS))[0]
    except PromptRejected:
        return None


async def store_batch(ctx: Ctx, batch: EmbeddingBatch, by_chunk: VectorsByChunk) -> None:
    """Store the vectors of the articles, and delete vectors of articles without text and of deleted ones."""
    chunks: dict[str, list[Array]] = {article.id: [] for article in batch.articles}
    for chunk in batch.chunks:
        if (key := (chunk.article_id, chunk.hash)) in by_chunk:
            chunks[chunk.article_id].append(by_chunk[key])
    embedded = [
        StoredVectors(article.id, article.changed_at, np.concatenate(rows).tobytes())
        for article in batch.articles
        if (rows := chunks[article.id])
    ]
    without_vectors = [article_id for article_id, rows in chunks.items() if not rows]
    deleted = await queries.deleted_since(ctx, batch.embedding_state.seen)
    await vectors.delete_vectors(ctx, [*without_vectors, *deleted])
    await vectors.store_vectors(ctx, embedded)
    # Some articles with the last stamp may remain, so the next run reads it again; hashes avoid new requests.
    last_stamp = batch.articles[-1].changed_at - timedelta(microseconds=1) if not batch.is_last else None
    await vectors.set_seen(ctx, last_stamp or batch.index_state.changed_at, is_complete=batch.is_last)

"""Embeds the changed articles of a bot in batches, until none is left."""

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
from instep.search.index.cache import NEVER, off_loop
from instep.search.schemas import ArticleChange
from instep.search.semantic import vectors
from instep.search.semantic.chunks import Chunk, chunk_articles
from instep.search.semantic.vectors import EmbeddingState, NewEmbedding

BATCH_ARTICLES = 20
BATCH_TEXTS = 64
# A text that every model accepts.
PROBE_TEXT = "help"


@dataclass(frozen=True, slots=True)
class EmbeddingBatch:
    """Changed articles, their chunks, and those chunks that have no vector yet."""

    # Before the batch; the state of the bot when its articles were read.
    embedding_state: EmbeddingState
    index_state: queries.IndexState
    articles: list[ArticleChange]
    chunks: list[Chunk]
    missing: list[Chunk]

    @property
    def is_last(self) -> bool:
        return len(self.articles) < BATCH_ARTICLES


async def embed_bot(database: Database, embedder: Embedder, bot: Bot) -> None:
    """Embed all changes of a bot. A `CompletionError` of the model ends it; finished batches are kept."""
    while True:
        async with database.enter_workspace(bot.workspace_id) as tx:
            batch = await next_embedding_batch(_context(tx, bot), embedder.name)
        embeddings = await embed_chunks(embedder, batch.missing)
        dimensions = {len(embedding.vector) for embedding in embeddings}
        async with database.enter_workspace(bot.workspace_id) as tx, tx.transaction():
            ctx = _context(tx, bot)
            if dimensions - {batch.embedding_state.dimensions}:
                # These are the first vectors, or the model behind the name was replaced by another.
                await vectors.reset_embeddings(ctx, embedder.name, dimensions.pop())
                if batch.embedding_state.dimensions:
                    continue
            await store_batch(ctx, batch, embeddings)
        if batch.is_last:
            return


def _context(tx: Tx, bot: Bot) -> Ctx:
    return Ctx(tx, bot, Actor("command", "embeddings", can_write=False), utc_now())


async def next_embedding_batch(ctx: Ctx, model: str) -> EmbeddingBatch:
    state = await vectors.embedding_state(ctx)
    if state is None or state.model != model:
        async with ctx.tx.transaction():
            await vectors.reset_embeddings(ctx, model, 0)
        state = EmbeddingState(model, 0, NEVER, False)
    index_state = await queries.index_state(ctx)
    articles = await queries.changed_since(ctx, state.seen, None, BATCH_ARTICLES, only_live=False)
    chunks = await off_loop(chunk_articles, articles, is_long=True)
    hashes = await vectors.stored_hashes(ctx, [article.id for article in articles])
    missing = [chunk for chunk in chunks if hashes.get((chunk.article_id, chunk.number)) != chunk.hash]
    return EmbeddingBatch(state, index_state, articles, chunks, missing)


async def embed_chunks(embedder: Embedder, chunks: Sequence[Chunk]) -> list[NewEmbedding]:
    """The embeddings of the chunks, without those that the model refuses."""
    embeddings: list[NewEmbedding] = []
    for start in range(0, len(chunks), BATCH_TEXTS):
        batch = chunks[start : start + BATCH_TEXTS]
        batch_vectors = await embed_texts(embedder, [chunk.text for chunk in batch])
        for chunk, vector in zip(batch, batch_vectors, strict=True):
            if vector is not None:
                embeddings.append(NewEmbedding(chunk, vector))
    return embeddings


async def embed_texts(embedder: Embedder, texts: Sequence[str]) -> list[Vector | None]:
    """The vectors of the texts, `None` for each text that the model refuses."""
    try:
        return list(await embedder.vectors(texts, limits.EMBEDDING_SECONDS))
    except PromptRejected:
        # A model that refuses even the probe is broken: then the error ends the run, and no text is left out.
        await embedder.vectors([PROBE_TEXT], limits.EMBEDDING_SECONDS)
    return [await embed_text(embedder, text) for text in texts]


async def embed_text(embedder: Embedder, text: str) -> Vector | None:
    try:
        return (await embedder.vectors([text], limits.EMBEDDING_SECONDS))[0]
    except PromptRejected:
        return None


async def store_batch(ctx: Ctx, batch: EmbeddingBatch, embeddings: Sequence[NewEmbedding]) -> None:
    """Store new vectors, and delete those of chunks and articles that no longer exist."""
    chunk_counts = {article.id: 0 for article in batch.articles}
    for chunk in batch.chunks:
        chunk_counts[chunk.article_id] += 1
    deleted = await queries.deleted_since(ctx, batch.embedding_state.seen)
    await vectors.delete_surplus(ctx, chunk_counts | dict.fromkeys(deleted, 0))
    await vectors.store_embeddings(ctx, embeddings)
    # Articles of the last stamp may be left, so the next batch reads it again; hashes spare the model.
    last_stamp = batch.articles[-1].changed_at - timedelta(microseconds=1) if not batch.is_last else None
    await vectors.set_seen(ctx, last_stamp or batch.index_state.changed_at, is_complete=batch.is_last)

"""Caches the vectors of bots in this process, and brings them up to date whenever they are asked for.

As with search indexes, change stamps say what a copy lacks: what was embedded later has a later one.
"""

import asyncio
from operator import attrgetter
from uuid import UUID
from weakref import WeakValueDictionary

from instep.core import limits
from instep.identity.schemas import Ctx
from instep.search.index.cache_by_size import CacheBySize
from instep.search.index.segment import Array
from instep.search.semantic import vectors
from instep.search.semantic.vector_index import VectorIndex, read_chunks
from instep.search.semantic.vectors import EmbeddingState

FETCH_ARTICLES = 5_000


class VectorCache:
    """The vectors of the bots that were searched last; the least recently used make room."""

    def __init__(self, max_bytes: int, max_small_bytes: int) -> None:
        self.indexes = CacheBySize[VectorIndex](attrgetter("bytes"), max_bytes, max_small_bytes)
        self.locks: WeakValueDictionary[UUID, asyncio.Lock] = WeakValueDictionary()

    async def index_of(self, ctx: Ctx, model: str, state: EmbeddingState | None) -> VectorIndex | None:
        """The vectors of a model as of this state; `None` until all articles of the bot have theirs."""
        if state is None or state.model != model or not state.is_usable:
            return None
        index = self.indexes.get(ctx.bot.id)
        if index and index.is_of(state) and index.seen == state.seen:
            return index
        # The vectors are read once, and those who wait find them.
        lock = self.locks.setdefault(ctx.bot.id, asyncio.Lock())
        async with lock:
            return await self.refresh(ctx, state)

    async def refresh(self, ctx: Ctx, state: EmbeddingState) -> VectorIndex | None:
        index = self.indexes.get(ctx.bot.id)
        if index is None or not index.is_of(state):
            index = VectorIndex.empty(state)
        if index.seen > state.seen and not state.is_replica:
            # Another request has read later vectors than this one saw, or the database was restored.
            later = await vectors.embedding_state(ctx)
            if later is None or not (later.is_usable and index.is_of(later)):
                return None
            state = later
            index = index if index.seen <= state.seen else VectorIndex.empty(state)
        if index.seen < state.seen:
            index = self.indexes[ctx.bot.id] = await catch_up(ctx, index, state)
        return index


async def catch_up(ctx: Ctx, index: VectorIndex, state: EmbeddingState) -> VectorIndex:
    """The index with what was embedded up to the state; later vectors may come along, and come again."""
    new: dict[str, Array] = {}
    seen, after = index.seen, None
    while True:
        rows = await vectors.vectors_since(ctx, seen, after, FETCH_ARTICLES)
        new |= {row.article_id: read_chunks(row.chunks, state.dimensions) for row in rows}
        if len(rows) < FETCH_ARTICLES:
            return await asyncio.to_thread(index.with_articles, new, state.seen)
        seen, after = rows[-1].seen, rows[-1].article_id


vector_cache = VectorCache(limits.MAX_VECTOR_CACHE_BYTES, limits.MAX_SMALL_VECTOR_CACHE_BYTES)

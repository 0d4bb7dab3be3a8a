"""Caches the vectors of bots in this process, and updates them whenever they are used.

As with search indexes, change stamps show what a copy lacks: later embeddings have later stamps.

If `VectorCache.files` is set, the processes of a machine share the memory of large bots' vectors.
"""

import asyncio
from collections.abc import Collection
from dataclasses import replace
from datetime import datetime
from functools import partial
from operator import attrgetter
from uuid import UUID
from weakref import WeakValueDictionary

from instep.platform.core import limits
from instep.platform.identity.schemas import Ctx
from instep.search.index.cache_by_size import CacheBySize
from instep.search.index.packed_arrays import Array
from instep.search.index.shared_files import IndexFiles
from instep.search.semantic import vectors
from instep.search.semantic.vector_index import VectorIndex
from instep.search.semantic.vector_segment import VectorSegment, decode_vectors, encode_vectors, read_chunks
from instep.search.semantic.vectors import EmbeddingState

FETCH_ARTICLES = 5_000


class VectorCache:
    """The vectors of the most recently searched bots; the least recently used ones are evicted."""

    def __init__(self, max_bytes: int, max_small_bytes: int) -> None:
        self.indexes = CacheBySize[VectorIndex](attrgetter("bytes"), max_bytes, max_small_bytes)
        # Servers and workers set this when they start.
        self.files: IndexFiles | None = None
        self.locks: WeakValueDictionary[UUID, asyncio.Lock] = WeakValueDictionary()

    async def index_of(self, ctx: Ctx, model: str, state: EmbeddingState | None) -> VectorIndex | None:
        """The vectors of a model as of this state; `None` until all articles of the bot have vectors."""
        if state is None or state.model != model or not state.is_usable:
            return None
        index = self.indexes.get(ctx.bot.id)
        if index and index.is_of(state) and index.seen == state.seen:
            return index
        # The vectors are read once, and waiting requests then find them.
        lock = self.locks.setdefault(ctx.bot.id, asyncio.Lock())
        async with lock:
            return await self.refresh(ctx, state)

    async def refresh(self, ctx: Ctx, state: EmbeddingState) -> VectorIndex | None:
        index = self.indexes.get(ctx.bot.id)
        if index is None or not index.is_of(state):
            index = await asyncio.to_thread(load_index, ctx.bot.id, state, self.files)
        if index.seen > state.seen and not state.is_replica:
            # Another request has read later vectors than this one saw, or the database was restored.
            later = await vectors.embedding_state(ctx)
            if later is None or not (later.is_usable and index.is_of(later)):
                return None
            state = later
            index = index if index.seen <= state.seen else VectorIndex.empty(state)
        if index.seen < state.seen:
            index = await self.grow(ctx, index, state)
        self.indexes[ctx.bot.id] = index
        return index

    async def grow(self, ctx: Ctx, index: VectorIndex, state: EmbeddingState) -> VectorIndex:
        """The index updated to the state. Processes continue with what one of them merged."""
        index = await catch_up(ctx, index, state)
        if not index.is_merge_due:
            return index
        other = await asyncio.to_thread(load_index, ctx.bot.id, state, self.files)
        if other.based_on > index.based_on:
            other = await catch_up(ctx, other, state)
            if not other.is_merge_due:
                return other
        embedded = await vectors.embedded_articles(ctx)
        return await asyncio.to_thread(merge, ctx.bot.id, index, embedded, self.files)


def load_index(bot_id: UUID, state: EmbeddingState, files: IndexFiles | None) -> VectorIndex:
    """The newest stored vectors that are not later than the state; an empty index without a file."""
    empty = VectorIndex.empty(state)
    seen = files.newest(bot_id, state.seen) if files else None
    base = map_vectors(files, bot_id, seen, empty) if files and seen else None
    return replace(empty, seen=seen).with_base(base) if base and seen else empty


def map_vectors(files: IndexFiles, bot_id: UUID, seen: datetime, index: VectorIndex) -> VectorSegment | None:
    """The vectors of a file, if they are comparable with the index; any other file is deleted."""
    decode = partial(decode_vectors, model=index.model, dimensions=index.dimensions)
    return files.read(bot_id, seen, decode)


def merge(
    bot_id: UUID, index: VectorIndex, embedded: Collection[str], files: IndexFiles | None
) -> VectorIndex:
    """The index without additions, in memory that other processes share."""
    base = index.merged(embedded)
    if files:
        files.write(bot_id, index.seen, encode_vectors(base, index.model))
        base = map_vectors(files, bot_id, index.seen, index) or base
    return index.with_base(base)


async def catch_up(ctx: Ctx, index: VectorIndex, state: EmbeddingState) -> VectorIndex:
    """The index updated to the state; later vectors may be included, and are then read again."""
    new: dict[str, Array] = {}
    seen, after = index.seen, None
    while True:
        rows = await vectors.vectors_since(ctx, seen, after, FETCH_ARTICLES)
        new |= {row.article_id: read_chunks(row.chunks, state.dimensions) for row in rows}
        if len(rows) < FETCH_ARTICLES:
            return await asyncio.to_thread(index.with_articles, new, state.seen)
        seen, after = rows[-1].seen, rows[-1].article_id


vector_cache = VectorCache(limits.MAX_VECTOR_CACHE_BYTES, limits.MAX_SMALL_VECTOR_CACHE_BYTES)

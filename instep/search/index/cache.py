"""Caches the indexes of bots in this process, and updates each one whenever it is used.

An index is a copy of the articles. Their change stamps increase in commit order, so they show what a copy
lacks: processes need not notify each other, and every search sees everything committed before it.

If `IndexCache.files` is set, the processes of a machine share the memory of large stored indexes.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from operator import attrgetter
from typing import TypeVar
from uuid import UUID
from weakref import WeakValueDictionary

import numpy as np

from instep.platform.core import limits
from instep.platform.core.errors import Unavailable
from instep.platform.identity.schemas import Ctx
from instep.search import queries
from instep.search.index.builder import SegmentBuilder
from instep.search.index.cache_by_size import CacheBySize
from instep.search.index.packed_arrays import Array
from instep.search.index.segment import Segment, decode_segment, encode_segment, merge_segments
from instep.search.index.shared_files import IndexFiles
from instep.search.index.stems import stems_of
from instep.search.schemas import ArticleChange

NEVER = datetime(1, 1, 1, tzinfo=UTC)
# Work of this size runs in the event loop without a noticeable delay for other requests.
MAX_INLINE_PASSAGES = 2_000
MAX_INLINE_CHARACTERS = 20_000
MAX_INLINE_BYTES = 1_000_000
FETCH_ARTICLES = 100
# After a batch the index is cached, so that the next request continues from there if this one fails.
BATCH_ARTICLES = 5_000
# A stored index is replaced when more than this number and this share of its articles have changed since.
MAX_UNFLUSHED_ARTICLES = 20
MAX_UNFLUSHED_SHARE = 0.05
Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class LiveSegment:
    """A segment, and bool[articles]: whether its copy of the article is still current."""

    segment: Segment
    live_docs: Array

    @property
    def size(self) -> int:
        return self.segment.size


@dataclass(frozen=True, slots=True)
class Index:
    """All live articles of one bot as of a change stamp. It is immutable: changes create a new index."""

    synced_until: datetime = NEVER
    # While reading is incomplete: the id of the last article read among those with this stamp.
    resume_after: str | None = None
    segments: tuple[LiveSegment, ...] = ()
    # The stamp of the stored index that it continues from.
    stored_until: datetime = NEVER
    # The number of articles added or removed since that one was stored.
    unflushed_changes: int = 0

    @property
    def article_count(self) -> int:
        return sum(int(live.live_docs.sum()) for live in self.segments)

    @property
    def locales(self) -> frozenset[str]:
        return frozenset(locale for live in self.segments for locale, _ in live.segment.languages)

    @property
    def average_lengths(self) -> tuple[int, int]:
        """The average lengths of a passage and of an article, in words."""
        words = sum(int(live.segment.article_length.sum()) for live in self.segments)
        passages = sum(live.size for live in self.segments)
        articles = sum(len(live.live_docs) for live in self.segments)
        return max(1, round(words / max(1, passages))), max(1, round(words / max(1, articles)))

    @property
    def bytes(self) -> int:
        return sum(live.segment.bytes for live in self.segments)

    @property
    def is_flush_due(self) -> bool:
        return self.unflushed_changes > max(MAX_UNFLUSHED_ARTICLES, MAX_UNFLUSHED_SHARE * self.article_count)

    def is_outdated(self, changed_at: datetime, now: datetime) -> bool:
        """True if it can't be updated to the bot's stamp: records of later deletions may have expired."""
        known_from = now - limits.DELETED_ARTICLE_RETENTION
        return self.resume_after is None and NEVER < self.synced_until < min(changed_at, known_from)

    def without(self, ids: set[str]) -> "Index":
        return replace(self, segments=tuple(delete_docs(live, ids) for live in self.segments))

    def with_segment(self, segment: Segment) -> "Index":
        return replace(self, segments=(*self.segments, all_live(segment)))


def all_live(segment: Segment) -> LiveSegment:
    return LiveSegment(segment, np.ones(len(segment.articles), dtype=np.bool_))


def delete_docs(live: LiveSegment, ids: set[str]) -> LiveSegment:
    deleted = [number for number, article in enumerate(live.segment.articles) if article.id in ids]
    if not deleted:
        return live
    live_docs = live.live_docs.copy()
    live_docs[deleted] = False
    return LiveSegment(live.segment, live_docs)


class IndexWarmingUp(Unavailable):
    """The articles are being read for their first search: try again in a moment."""


class IndexCache:
    """The indexes of the most recently searched bots."""

    def __init__(self, max_bytes: int, max_small_bytes: int) -> None:
        self.indexes = CacheBySize[Index](attrgetter("bytes"), max_bytes, max_small_bytes)
        # Servers and workers set this when they start.
        self.files: IndexFiles | None = None
        self.locks: WeakValueDictionary[UUID, asyncio.Lock] = WeakValueDictionary()
        # Requests that wait for the first reading of a bot.
        self.waiting = 0

    async def index_of(self, ctx: Ctx) -> tuple[Index, frozenset[str]]:
        """The current index, and the ids of the collections that are not public.

        Raises `IndexWarmingUp` if too many requests wait for the first reading of the bot.
        """
        state = await queries.index_state(ctx)
        index = self.indexes.get(ctx.bot.id)
        if index is None or index.resume_after or index.synced_until != state.changed_at:
            is_first_reading = index is None or index.resume_after is not None
            async with self.turn(ctx.bot.id, may_take_long=is_first_reading):
                index = await self.refresh(ctx, state)
        return index, frozenset(state.hidden_collections)

    @asynccontextmanager
    async def turn(self, bot_id: UUID, *, may_take_long: bool) -> AsyncIterator[None]:
        """Lock a bot's index, so that it is read once and waiting requests find it ready.

        A waiting request holds a database connection. So all but a few requests that wait for a first
        reading are refused after a moment, to leave connections for other bots.
        """
        lock = self.locks.setdefault(bot_id, asyncio.Lock())
        may_wait = not may_take_long or self.waiting < limits.MAX_INDEX_WAITERS
        self.waiting += may_take_long
        try:
            async with asyncio.timeout(None if may_wait else limits.INDEX_WAIT_SECONDS):
                await lock.acquire()
        except TimeoutError:
            raise IndexWarmingUp from None
        finally:
            self.waiting -= may_take_long
        try:
            yield
        finally:
            lock.release()

    async def refresh(self, ctx: Ctx, state: queries.IndexState) -> Index:
        index = self.indexes.get(ctx.bot.id)
        if index is None or index.is_outdated(state.changed_at, ctx.now):
            index = await load_stored_index(ctx, self.files)
        if index.is_outdated(state.changed_at, ctx.now):
            index = Index()
        if index.synced_until > state.changed_at:
            # Another request has read later changes than this one saw, or the database was restored.
            state = await queries.index_state(ctx)
            index = index if index.synced_until <= state.changed_at else Index()
        while index.resume_after or index.synced_until < state.changed_at:
            index = await catch_up_to(ctx, index, state.changed_at)
            if not state.is_writing:
                self.indexes[ctx.bot.id] = index
        # This transaction's own changes may be rolled back, so they are not cached.
        if not state.is_writing:
            if index.is_flush_due:
                index = await flush(ctx, index, self.files, may_store=not state.is_replica)
            self.indexes[ctx.bot.id] = index
        return index


async def load_stored_index(ctx: Ctx, files: IndexFiles | None) -> Index:
    """The index as stored in the database; large ones are also in a file."""
    row = await queries.stored_index(ctx, limits.LARGE_INDEX_BYTES if files else None)
    if row and row.data is None and files:
        segment = await asyncio.to_thread(files.read, ctx.bot.id, row.seen, decode_segment)
        if segment:
            return stored_index(segment, row.seen)
        row = await queries.stored_index(ctx)
    if row is None or row.data is None:
        return Index()
    segment = await off_loop(decode_segment, row.data, is_long=len(row.data) > MAX_INLINE_BYTES)
    return (
        stored_index(await share(ctx, files, segment, row.data, row.seen), row.seen) if segment else Index()
    )


def stored_index(segment: Segment, seen: datetime) -> Index:
    return Index(synced_until=seen, stored_until=seen).with_segment(segment)


async def share(ctx: Ctx, files: IndexFiles | None, segment: Segment, data: bytes, seen: datetime) -> Segment:
    """The segment of the stored bytes; a large one is in memory that other processes share."""
    if files is None or len(data) < limits.LARGE_INDEX_BYTES:
        return segment
    await asyncio.to_thread(files.write, ctx.bot.id, seen, data)
    return await asyncio.to_thread(files.read, ctx.bot.id, seen, decode_segment) or segment


async def flush(ctx: Ctx, index: Index, files: IndexFiles | None, *, may_store: bool) -> Index:
    """The index that another process has stored in the meantime, or the one that this process stores.

    So the processes of a machine continue with the same file, and rarely store the same changes twice.
    """
    stored_until = await queries.stored_until(ctx)
    if stored_until and index.stored_until < stored_until <= index.synced_until:
        other = await load_stored_index(ctx, files)
        while other.resume_after or NEVER < other.synced_until < index.synced_until:
            other = await catch_up_to(ctx, other, index.synced_until)
        if other.synced_until == index.synced_until and not other.is_flush_due:
            return other
    return await store(ctx, index, files) if may_store else index


async def store(ctx: Ctx, index: Index, files: IndexFiles | None) -> Index:
    segment = await merge_live(index.segments)
    data = await off_loop(encode_segment, segment, is_long=segment.size > MAX_INLINE_PASSAGES)
    await queries.store_index(ctx, data, index.synced_until)
    return stored_index(await share(ctx, files, segment, data, index.synced_until), index.synced_until)


async def catch_up_to(ctx: Ctx, index: Index, changed_at: datetime) -> Index:
    """The index with the changes up to the bot's stamp: all of them, or `BATCH_ARTICLES`."""
    index = await catch_up(ctx, index)
    # Later changes may have been read too; they are read again once the bot's stamp includes them.
    return index if index.resume_after else replace(index, synced_until=changed_at)


async def catch_up(ctx: Ctx, index: Index) -> Index:
    """The index with the changes since its stamp: all of them, or `BATCH_ARTICLES`."""
    only_live, builder, count = index.synced_until == NEVER, SegmentBuilder(), 0
    if not only_live:
        before = index.article_count
        index = index.without(set(await queries.deleted_since(ctx, index.synced_until)))
        count = before - index.article_count
    changes = await next_changes(ctx, index, only_live=only_live)
    while changes:
        index = index.without({change.id for change in changes})
        is_end = len(changes) < FETCH_ARTICLES
        last = changes[-1]
        index = replace(index, synced_until=last.changed_at, resume_after=None if is_end else last.id)
        count += len(changes)
        addition = add_live(builder, changes)
        if is_end or count >= BATCH_ARTICLES:
            await addition
            break
        # PostgreSQL reads the next articles while a thread splits these.
        changes, _ = await asyncio.gather(next_changes(ctx, index, only_live=only_live), addition)
    if not changes:
        index = replace(index, resume_after=None)
    index = replace(index, unflushed_changes=index.unflushed_changes + count)
    if builder.articles:
        index = index.with_segment(await build(ctx, builder))
    return await compact(index)


async def next_changes(ctx: Ctx, index: Index, *, only_live: bool) -> list[ArticleChange]:
    return await queries.changed_since(
        ctx, index.synced_until, index.resume_after, FETCH_ARTICLES, only_live=only_live
    )


async def add_live(builder: SegmentBuilder, changes: Sequence[ArticleChange]) -> None:
    live = [change for change in changes if change.is_live]
    characters = sum(len(change.markdown or "") for change in live)
    await off_loop(builder.add, live, is_long=characters > MAX_INLINE_CHARACTERS)


async def build(ctx: Ctx, builder: SegmentBuilder) -> Segment:
    is_long = len(builder.tokens) > MAX_INLINE_PASSAGES
    words_by_config = await off_loop(builder.words, is_long=is_long)
    stems = {config: await stems_of(ctx.tx, config, words) for config, words in words_by_config.items()}
    return await off_loop(builder.build, stems, is_long=is_long)


async def compact(index: Index) -> Index:
    """Merge the last segments while they are of similar size: this bounds segments and merges per article."""
    segments = list(index.segments)
    while len(segments) > 1 and 2 * segments[-1].size >= segments[-2].size:
        last_two = [segments.pop(-2), segments.pop()]
        segments.append(all_live(await merge_live(last_two)))
    return replace(index, segments=tuple(segments))


async def merge_live(segments: Sequence[LiveSegment]) -> Segment:
    if not segments:
        return SegmentBuilder().build({})
    if len(segments) == 1 and segments[0].live_docs.all():
        return segments[0].segment
    size = sum(live.size for live in segments)
    pairs = [(live.segment, live.live_docs) for live in segments]
    return await off_loop(merge_segments, pairs, is_long=size > MAX_INLINE_PASSAGES)


async def off_loop(function: Callable[..., Result], *arguments: object, is_long: bool) -> Result:
    """The result of the function, which runs in a thread if it takes long, otherwise in the event loop."""
    return await asyncio.to_thread(function, *arguments) if is_long else function(*arguments)


index_cache = IndexCache(limits.MAX_INDEX_CACHE_BYTES, limits.MAX_SMALL_INDEX_CACHE_BYTES)

"""The indexes of bots that this process has at hand, each brought up to date whenever it is asked for.

What is at hand is a copy: the articles are the truth, and their change stamps, which rise in the order of
commits, tell what a copy has not seen. So nothing has to be told to another process, nothing is found late.
"""

import asyncio
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TypeVar
from uuid import UUID

import numpy as np

from instep.core import limits
from instep.core.errors import Unavailable
from instep.identity.schemas import Ctx
from instep.search import queries
from instep.search.index.builder import SegmentBuilder, segment_of
from instep.search.index.segment import Array, Segment, merge, pack, unpack
from instep.search.index.stems import stems_of

NEVER = datetime(1, 1, 1, tzinfo=UTC)
# So many passages are arranged without holding up other requests noticeably.
MAX_INLINE_PASSAGES = 2_000
MAX_INLINE_CHARACTERS = 20_000
FETCH_ARTICLES = 100
# Articles; then what was read is kept, so that whoever asks next goes on from there.
BATCH_ARTICLES = 5_000
# A stored index is renewed when so many articles, and this share of it, have changed since.
MAX_UNFLUSHED_ARTICLES = 20
MAX_UNFLUSHED_SHARE = 0.05
Made = TypeVar("Made")


@dataclass(frozen=True, slots=True)
class LiveSegment:
    """A segment, and which of its articles live: still as they are in it."""

    segment: Segment
    live_docs: Array

    @property
    def size(self) -> int:
        return self.segment.size


@dataclass(frozen=True, slots=True)
class Index:
    """All that is live in one bot, as of a change stamp. It never changes: what is newer is another index."""

    synced_until: datetime = NEVER
    # While there is more to read: up to which article of this stamp it holds everything.
    resume_after: str | None = None
    segments: tuple[LiveSegment, ...] = ()
    # How many articles have come or gone since it was stored.
    unflushed_changes: int = 0

    @property
    def article_count(self) -> int:
        return sum(int(part.live_docs.sum()) for part in self.segments)

    @property
    def average_lengths(self) -> tuple[int, int]:
        """Of a passage and of an article, in words."""
        words = sum(int(part.segment.article_length.sum()) for part in self.segments)
        passages, articles = (
            sum(part.size for part in self.segments),
            sum(len(part.live_docs) for part in self.segments),
        )
        return max(1, round(words / max(1, passages))), max(1, round(words / max(1, articles)))

    @property
    def bytes(self) -> int:
        return sum(part.segment.bytes for part in self.segments)

    def without(self, ids: set[str]) -> "Index":
        return replace(self, segments=tuple(delete_docs(part, ids) for part in self.segments))

    def with_(self, segment: Segment) -> "Index":
        return replace(self, segments=(*self.segments, all_live(segment)))


def all_live(segment: Segment) -> LiveSegment:
    return LiveSegment(segment, np.ones(len(segment.articles), dtype=np.bool_))


def delete_docs(part: LiveSegment, ids: set[str]) -> LiveSegment:
    gone = [place for place, article in enumerate(part.segment.articles) if article.id in ids]
    if not gone:
        return part
    lives = part.live_docs.copy()
    lives[gone] = False
    return LiveSegment(part.segment, lives)


class IndexWarmingUp(Unavailable):
    """The articles are being read for their first search: try again in a moment."""


class IndexCache:
    """Indexes by bot, those asked for last; the others make room."""

    def __init__(self, most_bytes: int) -> None:
        self.most_bytes = most_bytes
        self.indexes: OrderedDict[UUID, Index] = OrderedDict()
        self.locks: dict[UUID, asyncio.Lock] = {}
        # Who waits for the first reading of a bot.
        self.waiting = 0

    async def index_of(self, ctx: Ctx) -> tuple[Index, frozenset[str]]:
        """The index as of now, and the collections that are not for everybody."""
        now = await queries.index_state(ctx)
        index = self.indexes.get(ctx.bot.id)
        if index is None or index.resume_after or index.synced_until != now.changed_at:
            async with self.turn(ctx.bot.id, may_take_long=index is None or index.resume_after is not None):
                index = await self.renew(ctx, now)
        if ctx.bot.id in self.indexes:
            self.indexes.move_to_end(ctx.bot.id)
        return index, frozenset(now.hidden_collections)

    @asynccontextmanager
    async def turn(self, bot_id: UUID, *, may_take_long: bool) -> AsyncIterator[None]:
        """One at a time: who waits finds it done.

        Who waits holds a connection. Of those who wait for a first reading all but a few are sent away
        after a moment, so that requests of others find one.
        """
        lock = self.locks.setdefault(bot_id, asyncio.Lock())
        is_patient = not may_take_long or self.waiting < limits.MAX_INDEX_WAITERS
        self.waiting += may_take_long
        try:
            async with asyncio.timeout(None if is_patient else limits.INDEX_WAIT_SECONDS):
                await lock.acquire()
        except TimeoutError:
            raise IndexWarmingUp from None
        finally:
            self.waiting -= may_take_long
        try:
            yield
        finally:
            lock.release()

    async def renew(self, ctx: Ctx, now: queries.IndexState) -> Index:
        index = self.indexes.get(ctx.bot.id) or await load_stored(ctx)
        if index.synced_until > now.changed_at:
            # Somebody else has seen more than this request began with, or the database is an older one.
            now = await queries.index_state(ctx)
            index = index if index.synced_until <= now.changed_at else Index()
        while index.resume_after or index.synced_until < now.changed_at:
            index = await catch_up(ctx, index)
            # What was read beyond this is read again: the bot's own stamp tells when there is more.
            index = index if index.resume_after else replace(index, synced_until=now.changed_at)
            if not now.is_writing:
                self.indexes[ctx.bot.id] = index
        # What a transaction has written itself may yet be undone.
        if not now.is_writing:
            index = await self.kept(ctx, index)
        return index

    async def kept(self, ctx: Ctx, index: Index) -> Index:
        if index.unflushed_changes > max(MAX_UNFLUSHED_ARTICLES, MAX_UNFLUSHED_SHARE * index.article_count):
            index = await flush(ctx, index)
        self.indexes[ctx.bot.id] = index
        while sum(held.bytes for held in self.indexes.values()) > self.most_bytes and len(self.indexes) > 1:
            bot_id, _ = self.indexes.popitem(last=False)
            self.locks.pop(bot_id, None)
        return index


async def load_stored(ctx: Ctx) -> Index:
    row = await queries.stored_index(ctx)
    segment = await run(unpack, row.data, is_long=len(row.data) > 1_000_000) if row else None
    return replace(Index(), synced_until=row.seen).with_(segment) if row and segment else Index()


async def flush(ctx: Ctx, index: Index) -> Index:
    segment = await merge_segments(index.segments)
    data = await run(pack, segment, is_long=segment.size > MAX_INLINE_PASSAGES)
    await queries.store_index(ctx, data, index.synced_until)
    return replace(index, segments=(), unflushed_changes=0).with_(segment)


async def catch_up(ctx: Ctx, index: Index) -> Index:
    """The index with what changed since it was made: all of it, or as much as is read at once."""
    if index.synced_until > NEVER:
        index = index.without(set(await queries.gone_since(ctx, index.synced_until)))
    only_live, texts, count = index.synced_until == NEVER, SegmentBuilder(), 0
    while count < BATCH_ARTICLES:
        rows = await queries.changed_since(
            ctx, index.synced_until, index.resume_after, FETCH_ARTICLES, only_live=only_live
        )
        if rows:
            index = index.without({row.id for row in rows})
            live = [row for row in rows if row.is_live]
            await run(
                texts.add, live, is_long=sum(len(row.markdown or "") for row in live) > MAX_INLINE_CHARACTERS
            )
            index = replace(index, synced_until=rows[-1].changed_at, resume_after=rows[-1].id)
        count += len(rows)
        if len(rows) < FETCH_ARTICLES:
            index = replace(index, resume_after=None)
            break
    index = replace(index, unflushed_changes=index.unflushed_changes + count)
    if texts.articles:
        index = index.with_(await read(ctx, texts))
    return await compact(index)


async def read(ctx: Ctx, texts: SegmentBuilder) -> Segment:
    is_long = len(texts.chunks) > MAX_INLINE_PASSAGES
    words = await run(texts.words, is_long=is_long)
    stems = {config: await stems_of(ctx.tx, config, some) for config, some in words.items()}
    return await run(segment_of, texts, stems, is_long=is_long)


async def compact(index: Index) -> Index:
    """Neighbours of about a size become one, so that there are few parts and each article is moved seldom."""
    parts = list(index.segments)
    while len(parts) > 1 and 2 * parts[-1].size >= parts[-2].size:
        last = [parts.pop(-2), parts.pop()]
        parts.append(all_live(await merge_segments(last)))
    return replace(index, segments=tuple(parts))


async def merge_segments(parts: Sequence[LiveSegment]) -> Segment:
    if len(parts) == 1 and parts[0].live_docs.all():
        return parts[0].segment
    size = sum(part.size for part in parts)
    return await run(
        merge, [(part.segment, part.live_docs) for part in parts], is_long=size > MAX_INLINE_PASSAGES
    )


async def run(function: Callable[..., Made], *arguments: object, is_long: bool) -> Made:
    """Long work beside the event loop, short work in it."""
    return await asyncio.to_thread(function, *arguments) if is_long else function(*arguments)


index_cache = IndexCache(limits.MAX_INDEX_CACHE_BYTES)

"""The indexes of bots that this process has at hand, each brought up to date whenever it is asked for.

What is at hand is a copy: the articles are the truth, and their change stamps, which rise in the order of
commits, tell what a copy has not seen. So nothing has to be told to another process, nothing is found late.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TypeVar
from uuid import UUID

import numpy as np

from instep.core import limits
from instep.identity.schemas import Ctx
from instep.search import queries
from instep.search.documents import Row, document_of, take_apart
from instep.search.segment import Array, Segment, build, merge, pack, unpack
from instep.search.stems import stems_of

NEVER = datetime(1, 1, 1, tzinfo=UTC)
# So many passages are arranged without holding up other requests noticeably.
QUICK = 2_000
AT_ONCE = 200
# A stored index is renewed when so many articles, and this share of it, have changed since.
UNSAVED_ARTICLES = 20
UNSAVED_SHARE = 0.05
Made = TypeVar("Made")


@dataclass(frozen=True, slots=True)
class Part:
    """A segment, and which of its articles live: still as they are in it."""

    segment: Segment
    lives: Array

    @property
    def size(self) -> int:
        return self.segment.size


@dataclass(frozen=True, slots=True)
class Index:
    """All that is live in one bot, as of a change stamp. It never changes: what is newer is another index."""

    seen: datetime = NEVER
    parts: tuple[Part, ...] = ()
    # How many articles have come or gone since it was stored.
    unsaved: int = 0

    @property
    def article_count(self) -> int:
        return sum(int(part.lives.sum()) for part in self.parts)

    @property
    def usual_lengths(self) -> tuple[int, int]:
        """Of a passage and of an article, in words."""
        words = sum(int(part.segment.article_length.sum()) for part in self.parts)
        passages, articles = (
            sum(part.size for part in self.parts),
            sum(len(part.lives) for part in self.parts),
        )
        return max(1, round(words / max(1, passages))), max(1, round(words / max(1, articles)))

    @property
    def bytes(self) -> int:
        return sum(part.segment.bytes for part in self.parts)

    def without(self, ids: set[str]) -> "Index":
        return replace(self, parts=tuple(part_without(part, ids) for part in self.parts))

    def with_(self, segment: Segment) -> "Index":
        return replace(self, parts=(*self.parts, whole(segment)))


def whole(segment: Segment) -> Part:
    return Part(segment, np.ones(len(segment.articles), dtype=np.bool_))


def part_without(part: Part, ids: set[str]) -> Part:
    gone = [place for place, article in enumerate(part.segment.articles) if article.id in ids]
    if not gone:
        return part
    lives = part.lives.copy()
    lives[gone] = False
    return Part(part.segment, lives)


class Shelf:
    """Indexes by bot, those asked for last; the others make room."""

    def __init__(self, most_bytes: int) -> None:
        self.most_bytes = most_bytes
        self.indexes: OrderedDict[UUID, Index] = OrderedDict()
        self.locks: dict[UUID, asyncio.Lock] = {}

    async def index_of(self, ctx: Ctx) -> tuple[Index, frozenset[str]]:
        """The index as of now, and the collections that are not for everybody."""
        now = await queries.moment(ctx)
        index = self.indexes.get(ctx.bot.id)
        if index is None or index.seen != now.changed_at:
            # One at a time: who waits finds it done.
            async with self.locks.setdefault(ctx.bot.id, asyncio.Lock()):
                index = await self.renew(ctx, now)
        if ctx.bot.id in self.indexes:
            self.indexes.move_to_end(ctx.bot.id)
        return index, frozenset(now.hidden_collections)

    async def renew(self, ctx: Ctx, now: queries.Moment) -> Index:
        index = self.indexes.get(ctx.bot.id) or await stored(ctx)
        if index.seen > now.changed_at:
            # Somebody else has seen more than this request began with, or the database is an older one.
            now = await queries.moment(ctx)
            index = index if index.seen <= now.changed_at else Index()
        if index.seen < now.changed_at:
            index = replace(await caught_up(ctx, index), seen=now.changed_at)
        # What a transaction has written itself may yet be undone.
        if not now.is_writing:
            index = await self.kept(ctx, index)
        return index

    async def kept(self, ctx: Ctx, index: Index) -> Index:
        if index.unsaved > max(UNSAVED_ARTICLES, UNSAVED_SHARE * index.article_count):
            index = await saved(ctx, index)
        self.indexes[ctx.bot.id] = index
        while sum(held.bytes for held in self.indexes.values()) > self.most_bytes and len(self.indexes) > 1:
            bot_id, _ = self.indexes.popitem(last=False)
            self.locks.pop(bot_id, None)
        return index


async def stored(ctx: Ctx) -> Index:
    row = await queries.stored_index(ctx)
    segment = await run(unpack, row.data, is_long=len(row.data) > 1_000_000) if row else None
    return replace(Index(), seen=row.seen).with_(segment) if row and segment else Index()


async def saved(ctx: Ctx, index: Index) -> Index:
    segment = await merged(index.parts)
    data = await run(pack, segment, is_long=segment.size > QUICK)
    await queries.store_index(ctx, data, index.seen)
    return replace(index, parts=(), unsaved=0).with_(segment)


async def caught_up(ctx: Ctx, index: Index) -> Index:
    """The index with everything that changed since it was made."""
    if index.seen > NEVER:
        index = index.without(set(await queries.gone_since(ctx, index.seen)))
    stamp, is_new = index.seen, index.seen == NEVER
    after: str | None = None
    fresh: list[Segment] = []
    while rows := await queries.changed_since(ctx, stamp, after, AT_ONCE, only_live=is_new):
        stamp, after = rows[-1].changed_at, rows[-1].id
        index = index.without({row.id for row in rows})
        index = replace(index, unsaved=index.unsaved + len(rows))
        if live := [row for row in rows if row.is_live]:
            fresh.append(await segment_of(ctx, live))
        if len(rows) < AT_ONCE:
            break
    if fresh:
        index = index.with_(await merged([whole(segment) for segment in fresh]))
    return await packed_together(index)


async def segment_of(ctx: Ctx, rows: Sequence[Row]) -> Segment:
    texts = await run(lambda: [take_apart(row) for row in rows], is_long=len(rows) > 5)
    documents = []
    for config in {row.config for row in rows}:
        own = [text for text in texts if text.row.config == config]
        stems = await stems_of(ctx.tx, config, set().union(*(text.words() for text in own)))
        documents += [document_of(text, stems) for text in own]
    return await run(build, documents, is_long=len(rows) > 20)


async def packed_together(index: Index) -> Index:
    """Neighbours of about a size become one, so that there are few parts and each article is moved seldom."""
    parts = list(index.parts)
    while len(parts) > 1 and 2 * parts[-1].size >= parts[-2].size:
        last = [parts.pop(-2), parts.pop()]
        parts.append(whole(await merged(last)))
    return replace(index, parts=tuple(parts))


async def merged(parts: Sequence[Part]) -> Segment:
    if len(parts) == 1 and parts[0].lives.all():
        return parts[0].segment
    size = sum(part.size for part in parts)
    return await run(merge, [(part.segment, part.lives) for part in parts], is_long=size > QUICK)


async def run(function: Callable[..., Made], *arguments: object, is_long: bool) -> Made:
    """Long work beside the event loop, short work in it."""
    return await asyncio.to_thread(function, *arguments) if is_long else function(*arguments)


SHELF = Shelf(limits.SEARCH_INDEX_BYTES)

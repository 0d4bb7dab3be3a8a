"""Counts visits in the process and writes them every few seconds, so that no page waits for it.

A process that crashes loses its counts since the last write.
"""

import asyncio
import re
from collections import Counter, defaultdict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Protocol
from uuid import UUID

import psycopg
import structlog

from instep.platform.core import limits
from instep.platform.core.database import Database
from instep.platform.core.errors import AppError
from instep.platform.identity.schemas import Bot, Ctx
from instep.visitors.insights.visits import queries

log = structlog.get_logger()

# Words that may identify someone: an email address, or a number as long as phone and card numbers.
PERSONAL = re.compile(r"@|(?:\d[ ./-]?){6}")


@dataclass(frozen=True, slots=True)
class VisitSubject:
    """The subject of a count: an article's id or the words of a search, of a bot on a day."""

    workspace_id: str
    bot_id: UUID
    day: date
    name: str


class Occasion(Protocol):
    """The bot and the time of a count: a context, or the data of a visit without one."""

    @property
    def workspace_id(self) -> str: ...

    @property
    def bot(self) -> Bot: ...

    @property
    def now(self) -> datetime: ...


@dataclass(slots=True)
class VisitCounter:
    """The counts of this process that are not written yet."""

    views: Counter[VisitSubject] = field(default_factory=Counter)
    searches: Counter[VisitSubject] = field(default_factory=Counter)
    empty_searches: Counter[VisitSubject] = field(default_factory=Counter)

    def count_view(self, ctx: Occasion, article_id: str) -> None:
        """Count that someone has opened an article."""
        if self.has_room:
            self.views[subject_of(ctx, article_id)] += 1

    def count_search(self, ctx: Ctx, query: str, *, is_empty: bool) -> None:
        """Count a search, and whether it found nothing."""
        if self.has_room:
            subject = subject_of(ctx, kept_words(query))
            self.searches[subject] += 1
            self.empty_searches[subject] += is_empty

    @property
    def has_room(self) -> bool:
        """True if more may be counted before the next write: not if the database is down for long."""
        return len(self.views) + len(self.searches) < limits.MAX_UNWRITTEN_COUNTS

    async def write(self, database: Database) -> None:
        """Add the counts to the stored ones; counts that can't be written now are written the next time."""
        counters = (self.views, self.searches, self.empty_searches)
        written = [Counter(counter) for counter in counters]
        for counter in counters:
            counter.clear()
        views, searches, empty_searches = written
        workspaces: defaultdict[str, list[VisitSubject]] = defaultdict(list)
        for subject in {*views, *searches}:
            workspaces[subject.workspace_id].append(subject)
        for workspace_id, subjects in workspaces.items():
            try:
                async with database.enter_workspace(workspace_id) as tx, tx.transaction():
                    await queries.add_views(tx, rows_of(views, subjects))
                    await queries.add_searches(
                        tx, rows_of(searches, subjects), rows_of(empty_searches, subjects)
                    )
            except (AppError, OSError, psycopg.Error):
                log.warning("visits are counted but not written yet", workspace=workspace_id)
                for counter, unwritten in zip(counters, written, strict=True):
                    counter.update(
                        {subject: unwritten[subject] for subject in subjects if unwritten[subject]}
                    )


def subject_of(ctx: Occasion, name: str) -> VisitSubject:
    return VisitSubject(ctx.workspace_id, ctx.bot.id, ctx.now.date(), name)


def rows_of(counts: Counter[VisitSubject], subjects: list[VisitSubject]) -> list[queries.CountRow]:
    """Rows in one order for all processes, so that concurrent writes can't deadlock."""
    rows = [(str(s.bot_id), s.day, s.name, counts[s]) for s in subjects if counts[s]]
    return sorted(rows)


def kept_words(query: str) -> str:
    """The words of a search as they are counted; empty if they may be about a person."""
    words = " ".join(query.split()).lower()[: limits.MAX_COUNTED_QUERY_CHARACTERS].strip()
    return "" if PERSONAL.search(query) else words


@asynccontextmanager
async def counting(counter: VisitCounter, database: Database) -> AsyncIterator[None]:
    """Write the counts every few seconds, and at the end."""

    stop = asyncio.Event()

    async def keep_writing() -> None:
        while not stop.is_set():
            with suppress(TimeoutError):
                await asyncio.wait_for(stop.wait(), limits.VISIT_COUNT_SECONDS)
            await counter.write(database)

    writing = asyncio.create_task(keep_writing())
    try:
        yield
    finally:
        stop.set()
        await writing

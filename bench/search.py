"""`make bench-search`: how long a search takes in a large help center and in many small ones."""

import argparse
import asyncio
import gc
import http.client
import random
import resource
import statistics
import tempfile
import time
import urllib.parse
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import psycopg

from bench.installation import PORT, servers
from bench.processes import processor_seconds
from bench.vectors import copy_vectors, store_random_vectors
from bench.vocabulary import random_words
from eval.retrieval.center import create_help_center
from instep.accounts.workspaces import actions
from instep.platform.core.clock import utc_now
from instep.platform.core.database import Database, Tx
from instep.platform.core.embedded import EmbeddedPostgres
from instep.platform.core.paging import PageRequest
from instep.platform.identity.schemas import Actor, Bot, Ctx
from instep.platform.identity.scopes import Scope
from instep.platform.migrations import migrate
from instep.search import queries
from instep.search.actions import search_articles
from instep.search.index.cache import index_cache
from instep.search.index.segment import Segment, encode_segment
from instep.search.index.stems import STEM_CACHE
from instep.search.retrieve import retrieve
from instep.search.schemas import SearchRequest

ARTICLES = 5_000
BOTS, ARTICLES_OF_A_BOT = 1_000, 100
# Bots whose first search is measured, and bots that are searched often and stay cached.
NEW_BOTS, FREQUENT_BOTS = 20, 100
# Between two measurements of how long the event loop is blocked.
PAUSE_SECONDS = 0.001
SECTIONS = 8
RANDOM = random.Random(1)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--searches", type=int, default=1_000)
    parser.add_argument("--bots", type=int, default=BOTS)
    parser.add_argument("--articles", type=int, default=ARTICLES)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="instep-bench-") as folder:
        Path(folder).chmod(0o711)
        with EmbeddedPostgres.attach(Path(folder)) as embedded:
            migrate(embedded.url)
            asyncio.run(measure(embedded.url, Path(folder), options))


async def measure(url: str, folder: Path, options: argparse.Namespace) -> None:
    database = Database(url, size=1)
    await database.open()
    async with await psycopg.AsyncConnection.connect(url, autocommit=True) as owner:
        articles = [article(number) for number in range(options.articles)]
        large, _ = await create_help_center(owner, "Large", articles)
        chunks = await store_random_vectors(owner, large)
        await owner.execute("vacuum analyze")
        # A server does the same after its start.
        gc.collect()
        gc.freeze()
        print(f"one bot, {options.articles} articles, {chunks} chunks: milliseconds, CPU of the process")
        await show_first(database, owner, large)
        await show("search", database, [large], options.searches, searching)
        await show("retrieve", database, [large], options.searches, asking)
        await show_over_http(owner, folder, large, options.searches)
        await show_writes(owner, large, options.searches // 5)
        await run_through(database, [large])
        await show(
            "search behind a change", database, [large], options.searches // 5, searching, change(owner)
        )
        index_cache.indexes.clear()
        small = await copies(owner, articles[:ARTICLES_OF_A_BOT], options.bots)
        print(f"{options.bots} bots, {ARTICLES_OF_A_BOT} articles each")
        await show("first search ever of a bot", database, small[:NEW_BOTS], NEW_BOTS, searching)
        await store_indexes(database, small)
        await owner.execute("vacuum analyze")
        index_cache.indexes.clear()
        # One bot after the other is the worst order: each was evicted before its turn comes again.
        await show("search, bots by turns", database, small, max(options.searches, len(small)), searching)
        print(f"  {len(index_cache.indexes)} indexes cached, {sum(cached_bytes()) / 1e6:.0f} MB")
        await show("search, bots by turns again", database, small, options.searches, searching)
        await show("retrieve, bots by turns", database, small, options.searches, asking)
        few = small[:FREQUENT_BOTS]
        await run_through(database, few)
        await show(f"search, {len(few)} bots often", database, few, options.searches, searching)
        await show(f"retrieve, {len(few)} bots often", database, few, options.searches, asking)
    await database.close()
    print(f"process: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB at most")


def cached_bytes() -> list[int]:
    return [index.bytes for index in index_cache.indexes.values()]


async def copies(
    owner: psycopg.AsyncConnection[Any], articles: list[dict[str, Any]], count: int
) -> list[Bot]:
    """Bots with copies of the same articles: filling each one would take longer than the measurements."""
    first, _ = await create_help_center(owner, "Small", articles)
    await store_random_vectors(owner, first)
    bots = [first]
    for number in range(1, count):
        row = await actions.create_bot(Tx(owner), first.workspace_id, f"Small {number}", None, "en")
        bots.append(Bot(row.id, first.workspace_id, row.slug, row.name, "en"))
        await owner.execute(COPY, {"number": str(number), "bot": row.id, "first": first.id})
        await copy_vectors(owner, first.id, row.id, f"_{number}")
    return bots


async def store_indexes(database: Database, bots: list[Bot]) -> None:
    """Store an index for each bot as the job does: that of the first bot with other article ids."""
    [live] = index_cache.indexes[bots[0].id].segments
    async with database.enter_workspace(bots[0].workspace_id) as tx:
        for number, bot in enumerate(bots):
            ctx = context(tx, bot)
            data = encode_segment(renamed(live.segment, f"_{number}" if number else ""))
            await queries.store_index(ctx, data, (await queries.index_state(ctx)).changed_at)


def renamed(segment: Segment, suffix: str) -> Segment:
    articles = [replace(article, id=article.id + suffix) for article in segment.articles]
    return replace(segment, articles=articles)


COPY = """
    insert into articles (id, workspace_id, bot_id, slug, locale, title, position, content_markdown,
        content_html, visibility, status, version, origin, author_type, author_name, text_changed_at,
        created_at, updated_at)
    select id || '_' || %(number)s, workspace_id, %(bot)s, slug, locale, title, position, content_markdown,
        content_html, visibility, status, version, origin, author_type, author_name, text_changed_at,
        created_at, stamp_change(%(bot)s)
    from articles where bot_id = %(first)s
"""


def article(number: int) -> dict[str, Any]:
    sections = [f"## {some_words(4)}\n\n{sentences(80)}" for _ in range(SECTIONS)]
    return {"id": str(number), "title": some_words(6), "text": "\n\n".join(sections)}


def sentences(count: int) -> str:
    return ". ".join(some_words(10) for _ in range(count // 10)) + "."


def some_words(count: int) -> str:
    return random_words(count, RANDOM)


def question() -> str:
    return some_words(RANDOM.randint(2, 9))


async def searching(ctx: Ctx) -> object:
    return await search_articles(ctx, SearchRequest(question()), "markdown", PageRequest(b"key"))


async def asking(ctx: Ctx) -> object:
    return await retrieve(ctx, question())


def change(owner: psycopg.AsyncConnection[Any]) -> Callable[[Bot], Awaitable[None]]:
    """A function that changes one article, with a change stamp as the application gives it."""

    async def change(bot: Bot) -> None:
        await owner.execute(
            """
            update articles set content_markdown = content_markdown || ' ' || %(word)s,
                updated_at = stamp_change(%(bot)s)
            where id = (select id from articles where bot_id = %(bot)s order by updated_at limit 1)
            """,
            {"bot": bot.id, "word": some_words(1)},
        )

    return change


async def show_first(database: Database, owner: psycopg.AsyncConnection[Any], bot: Bot) -> None:
    """The first search of a process without a cached index: when none is stored, and when one is."""
    for name in ("first search ever", "first search of a process"):
        index_cache.indexes.clear()
        STEM_CACHE.clear()
        delays: list[float] = []
        watcher = asyncio.create_task(watch(delays))
        await show(name, database, [bot], 1, searching)
        watcher.cancel()
        print(f"  {'':28} others waited {1_000 * max(delays):.0f} ms for their turn at most")
    index = index_cache.indexes[bot.id]
    passages = sum(live.size for live in index.segments)
    cursor = await owner.execute("select octet_length(data) from search_indexes where bot_id = %s", (bot.id,))
    [stored] = await cursor.fetchone() or [0]
    print(f"  {'index':28} {index.bytes / 1e6:8.1f} MB, {passages} passages, {stored / 1e6:.1f} MB stored")


async def show_over_http(owner: psycopg.AsyncConnection[Any], folder: Path, bot: Bot, searches: int) -> None:
    """The same searches through a server process, one request after the other on one connection."""
    created = await actions.create_key(Tx(owner), bot.workspace_id, "bench", Scope.READ, [bot.id])
    headers = {"Authorization": f"Bearer {created.key}"}
    with servers(folder) as server:
        connection = http.client.HTTPConnection("127.0.0.1", PORT)
        elapsed = []
        # Ten requests warm the process up.
        for number in range(-10, searches):
            if number == 0:
                used = processor_seconds(server)
            started = time.perf_counter()
            connection.request(
                "GET", f"/v1/articles/search?q={urllib.parse.quote(question())}", headers=headers
            )
            response = connection.getresponse()
            response.read()
            assert response.status == 200, response.status
            if number >= 0:
                elapsed.append(1_000 * (time.perf_counter() - started))
        used = 1_000 * (processor_seconds(server) - used) / searches
        connection.close()
    print_row("search over HTTP", elapsed, [used])


async def show_writes(owner: psycopg.AsyncConnection[Any], bot: Bot, count: int) -> None:
    """The cost of the search for a write: with and without its trigger, which compares stamps."""
    changing = change(owner)
    for name, state in (("write without the search", "disable"), ("write", "enable")):
        await owner.execute(f"alter table articles {state} trigger articles_stamped")
        elapsed = []
        for _ in range(count):
            started = time.perf_counter()
            await changing(bot)
            elapsed.append(1_000 * (time.perf_counter() - started))
        print_row(name, elapsed, [])


async def watch(delays: list[float]) -> None:
    """Measure how long the event loop is blocked for others, in seconds."""
    while True:
        started = time.perf_counter()
        await asyncio.sleep(PAUSE_SECONDS)
        delays.append(time.perf_counter() - started - PAUSE_SECONDS)


async def run_through(database: Database, bots: list[Bot]) -> None:
    async with database.enter_workspace(bots[0].workspace_id) as tx:
        for bot in bots:
            await searching(context(tx, bot))


async def show(
    name: str,
    database: Database,
    bots: list[Bot],
    count: int,
    search: Callable[[Ctx], Awaitable[object]],
    prepare: Callable[[Bot], Awaitable[None]] | None = None,
) -> None:
    """Elapsed and processor time of one search after another, the bots by turns."""
    elapsed, cpu = [], []
    async with database.enter_workspace(bots[0].workspace_id) as tx:
        for number in range(count):
            bot = bots[number % len(bots)]
            if prepare:
                await prepare(bot)
            ctx = context(tx, bot)
            started, used = time.perf_counter(), time.process_time()
            await search(ctx)
            elapsed.append(1_000 * (time.perf_counter() - started))
            cpu.append(1_000 * (time.process_time() - used))
    print_row(name, elapsed, cpu)


def context(tx: Tx, bot: Bot) -> Ctx:
    return Ctx(tx, bot, Actor("command", "bench", can_write=False), utc_now())


def print_row(name: str, elapsed: list[float], cpu: list[float]) -> None:
    p50, p99 = statistics.median(elapsed), sorted(elapsed)[int(len(elapsed) * 0.99)]
    used = f"  CPU {statistics.median(cpu):8.1f}" if cpu else ""
    print(f"  {name:28} p50 {p50:8.1f}  p99 {p99:8.1f}{used}", flush=True)


if __name__ == "__main__":
    main()

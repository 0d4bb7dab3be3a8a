"""`make bench-search`: how long a search takes in a large help center and in many small ones."""

import argparse
import asyncio
import random
import resource
import statistics
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import psycopg

from eval.retrieval.center import filled
from instep.core.clock import utc_now
from instep.core.database import Database, Tx
from instep.core.embedded import EmbeddedPostgres
from instep.core.paging import PageRequest
from instep.identity.schemas import Actor, Bot, Ctx
from instep.migrations import migrate
from instep.search.actions import search_articles
from instep.search.retrieve import retrieve
from instep.search.schemas import Wanted
from instep.search.shelf import SHELF
from instep.workspaces import actions

ARTICLES = 5_000
BOTS, ARTICLES_OF_A_BOT = 1_000, 100
SECTIONS = 8
# Words by Zipf's law, as in texts that people write; their letters tell nothing.
WORDS = 40_000
CHANCE = random.Random(1)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--searches", type=int, default=1_000)
    parser.add_argument("--bots", type=int, default=BOTS)
    parser.add_argument("--articles", type=int, default=ARTICLES)
    wanted = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="instep-bench-") as folder:
        Path(folder).chmod(0o711)
        with EmbeddedPostgres.attach(Path(folder)) as embedded:
            migrate(embedded.url)
            asyncio.run(measure(embedded.url, wanted))


async def measure(url: str, wanted: argparse.Namespace) -> None:
    database = Database(url, size=1)
    await database.open()
    async with await psycopg.AsyncConnection.connect(url, autocommit=True) as owner:
        articles = [article(number) for number in range(wanted.articles)]
        large, _ = await filled(owner, "Large", articles)
        await owner.execute("vacuum analyze")
        print(f"one bot, {wanted.articles} articles")
        await show_first(database, large)
        await show("search", database, [large], wanted.searches, searching)
        await show("retrieve", database, [large], wanted.searches, asking)
        await show(
            "search behind a change", database, [large], wanted.searches // 5, searching, change(owner)
        )
        small = await copies(owner, articles[:ARTICLES_OF_A_BOT], wanted.bots)
        await owner.execute("vacuum analyze")
        print(f"{wanted.bots} bots, {ARTICLES_OF_A_BOT} articles each")
        await show("first search of each", database, small, len(small), searching)
        await show("search", database, small, wanted.searches, searching)
        await show("retrieve", database, small, wanted.searches, asking)
    await database.close()
    held = sum(index.bytes for index in SHELF.indexes.values())
    print(f"{len(SHELF.indexes)} indexes at hand, {held / 1e6:.0f} MB")
    print(f"process: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB at most")


async def copies(
    owner: psycopg.AsyncConnection[Any], articles: list[dict[str, Any]], count: int
) -> list[Bot]:
    """Bots with the same articles: filling each anew takes longer than all that is measured."""
    first, _ = await filled(owner, "Small", articles)
    bots = [first]
    for number in range(1, count):
        made = await actions.create_bot(Tx(owner), first.workspace_id, f"Small {number}", None, "en")
        bots.append(Bot(made.id, first.workspace_id, made.slug, made.name, "en"))
        await owner.execute(COPY, {"number": str(number), "bot": made.id, "first": first.id})
    return bots


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
    return " ".join(word(int(WORDS ** CHANCE.random())) for _ in range(count))


def word(number: int) -> str:
    """Another word for each number, with endings and beginnings as unlike each other as real ones."""
    letters = "etaoinsrhldcumfpgwybvk"
    spelled = ""
    number = number * 7_919 % 1_000_003
    while number:
        number, place = divmod(number, len(letters))
        spelled += letters[place]
    return spelled + "en"


def question() -> str:
    return some_words(CHANCE.randint(2, 9))


async def searching(ctx: Ctx) -> object:
    return await search_articles(ctx, Wanted(question()), "markdown", PageRequest(b"key"))


async def asking(ctx: Ctx) -> object:
    return await retrieve(ctx, question())


def change(owner: psycopg.AsyncConnection[Any]) -> Callable[[Bot], Awaitable[None]]:
    """A change of one article; the trigger stamps it as the application does."""

    async def change(bot: Bot) -> None:
        await owner.execute(
            """
            update articles set content_markdown = content_markdown || ' ' || %(word)s where id = (
                select id from articles where bot_id = %(bot)s order by updated_at limit 1)
            """,
            {"bot": bot.id, "word": some_words(1)},
        )

    return change


async def show_first(database: Database, bot: Bot) -> None:
    """What a process pays that has no index at hand: when none is stored, and when one is."""
    for name in ("first search ever", "first search of a process"):
        SHELF.indexes.clear()
        await show(name, database, [bot], 1, searching)
    index = SHELF.indexes[bot.id]
    passages = sum(part.size for part in index.parts)
    print(f"  {'index':26} {index.bytes / 1e6:8.1f} MB, {passages} passages")


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
            ctx = Ctx(tx, bot, Actor("command", "bench", can_write=False), utc_now())
            started, used = time.perf_counter(), time.process_time()
            await search(ctx)
            elapsed.append(1_000 * (time.perf_counter() - started))
            cpu.append(1_000 * (time.process_time() - used))
    elapsed.sort()
    p50, p99 = statistics.median(elapsed), elapsed[int(len(elapsed) * 0.99)]
    print(
        f"  {name:26} p50 {p50:8.1f} ms  p99 {p99:8.1f} ms  CPU of the process {statistics.mean(cpu):8.1f} ms"
    )


if __name__ == "__main__":
    main()

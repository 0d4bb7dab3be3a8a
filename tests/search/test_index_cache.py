"""Indexes that a process caches, and their copies in the database."""

from dataclasses import replace
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest

from instep.platform.core import limits
from instep.platform.core.clock import utc_now
from instep.platform.core.database import Database, Tx
from instep.platform.core.jobs import defer
from instep.platform.identity.schemas import Ctx
from instep.search import jobs, queries
from instep.search.index import cache
from instep.search.index.cache import Index, IndexCache, IndexWarmingUp
from instep.search.index.cache_by_size import CacheBySize
from instep.search.query.analysis import analyze_query, any_terms_query
from instep.search.query.scoring import ArticleFilter, Hit, rank_index, ranked_hits
from instep.search.schemas import ArticleChange
from instep.search.search_state import SearchState
from tests.support.cast import Api, Cast, Company, RunJobs
from tests.support.http import at_once, create_article, ok
from tests.support.search import context, publish

MAX_BYTES = 10_000_000
EVERYTHING = ArticleFilter(None, "authenticated", frozenset())


async def hits_of(index_cache: IndexCache, ctx: Ctx, question: str) -> list[Hit]:
    """Results and scores of a process with this cache."""
    index, hidden = await index_cache.index_of(ctx)
    query = any_terms_query(await analyze_query(ctx, SearchState(index, hidden, [], None), question, None))
    return ranked_hits(rank_index(index, query, EVERYTHING), query, None)


async def ids_of(index_cache: IndexCache, ctx: Ctx, question: str) -> set[str]:
    return {article_id for article_id, _ in await hits_of(index_cache, ctx, question)}


async def test_each_process_sees_a_change_at_its_next_search(api: Api, cast: Cast, ctx: Ctx) -> None:
    client = api(cast.acme.write_key)
    processes = IndexCache(MAX_BYTES, MAX_BYTES), IndexCache(MAX_BYTES, MAX_BYTES)
    article = await publish(client, "Kiwi")
    path = f"/v1/articles/{article['id']}"
    for process in processes:
        assert await ids_of(process, ctx, "kiwi") == {article["id"]}

    ok(await client.patch(path, json={"title": "Melon"}))

    for process in processes:
        assert await ids_of(process, ctx, "melon") == {article["id"]}
        assert await ids_of(process, ctx, "kiwi") == set()
    ok(await client.delete(path))
    assert await ids_of(processes[0], ctx, "melon") == set()


async def test_an_index_without_changes_is_used_again(api: Api, cast: Cast, ctx: Ctx) -> None:
    index_cache = IndexCache(MAX_BYTES, MAX_BYTES)
    await publish(api(cast.acme.write_key))
    before, _ = await index_cache.index_of(ctx)

    after, _ = await index_cache.index_of(ctx)

    assert after is before


async def test_an_index_is_read_once_where_articles_are_newer_than_the_bot(
    api: Api, cast: Cast, ctx: Ctx, owner: Tx
) -> None:
    await publish(api(cast.acme.write_key))
    await owner.execute(
        "update bots set changed_at = changed_at - interval '1 s' where id = %(b)s", b=ctx.bot.id
    )
    index_cache = IndexCache(MAX_BYTES, MAX_BYTES)
    before, _ = await index_cache.index_of(ctx)

    after, _ = await index_cache.index_of(ctx)

    assert after is before


async def test_an_index_of_many_changes_finds_and_scores_as_a_fresh_one(
    api: Api, cast: Cast, ctx: Ctx
) -> None:
    client = api(cast.acme.write_key)
    grown = IndexCache(MAX_BYTES, MAX_BYTES)
    articles = [await publish(client, f"No {number}", f"kiwi number{number}") for number in range(12)]
    for number, article in enumerate(articles):
        ok(await client.patch(f"/v1/articles/{article['id']}", json={"title": f"Newer {number}"}))
        if number % 4 == 0:
            ok(await client.post(f"/v1/articles/{article['id']}/unpublish"))
        await grown.index_of(ctx)

    live = {article["id"] for number, article in enumerate(articles) if number % 4}
    assert await ids_of(grown, ctx, "kiwi") == live
    # Their idf and average lengths may differ slightly because the grown index still has replaced texts.
    for question in ("number7", "newer 7", "no", "kiwi numbr7"):
        assert await ids_of(grown, ctx, question) == await ids_of(
            IndexCache(MAX_BYTES, MAX_BYTES), ctx, question
        )
    index, _ = await grown.index_of(ctx)
    assert index.article_count == len(live)
    # Segments are merged, so that a search never has to score many of them.
    assert len(index.segments) <= 4


async def test_a_stored_index_spares_the_reading(
    api: Api, cast: Cast, ctx: Ctx, owner: Tx, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cache, "MAX_UNFLUSHED_ARTICLES", 2)
    client = api(cast.acme.write_key)
    articles = [
        await publish(client, f"No {number}", "Größe, `page_size`, 重置密码 🚀") for number in range(4)
    ]
    before = await hits_of(IndexCache(MAX_BYTES, MAX_BYTES), ctx, "größe page_size 密码 number")
    assert await owner.value("select count(*) from search_indexes where bot_id = %(b)s", b=ctx.bot.id) == 1
    # A change without a stamp goes unnoticed while the stored index is used.
    await owner.execute("alter table articles disable trigger articles_stamped")
    await owner.execute("update articles set title = 'Unread' where title = 'No 0'")
    await owner.execute("alter table articles enable trigger articles_stamped")

    assert await hits_of(IndexCache(MAX_BYTES, MAX_BYTES), ctx, "größe page_size 密码 number") == before
    assert await ids_of(IndexCache(MAX_BYTES, MAX_BYTES), ctx, "unread") == set()
    later = await publish(client, "Later", "page_size")
    everything = {article["id"] for article in (*articles, later)}
    assert await ids_of(IndexCache(MAX_BYTES, MAX_BYTES), ctx, "page_size") == everything


async def test_a_stored_index_of_another_version_is_ignored(
    api: Api, cast: Cast, ctx: Ctx, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cache, "MAX_UNFLUSHED_ARTICLES", 0)
    article = await publish(api(cast.acme.write_key), "Kiwi")
    with monkeypatch.context() as older_version:
        older_version.setattr("instep.search.index.segment.FORMAT", 0)
        await IndexCache(MAX_BYTES, MAX_BYTES).index_of(ctx)

    assert await ids_of(IndexCache(MAX_BYTES, MAX_BYTES), ctx, "kiwi") == {article["id"]}


async def test_the_least_recently_used_index_makes_room(
    api: Api, cast: Cast, ctx: Ctx, database: Database
) -> None:
    small = IndexCache(1, 1)
    await publish(api(cast.acme.write_key), "Kiwi")
    await publish(api(cast.globex.write_key), "Melon")
    first, _ = await small.index_of(ctx)
    # An index larger than the cache is kept until another one is needed.
    assert (await small.index_of(ctx))[0] is first
    async with database.enter_workspace(cast.globex.workspace_id) as tx:
        await small.index_of(context(tx, cast.globex))

    assert list(small.indexes) == [cast.globex.bot_id]
    again, _ = await small.index_of(ctx)
    assert again is not first


async def test_many_first_searches_at_once_read_the_articles_once(
    api: Api, cast: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = api(cast.acme.write_key)
    await publish(client, "Kiwi")
    readings = []
    catch_up = cache.catch_up

    async def counting(ctx: Ctx, index: Index) -> Index:
        readings.append(ctx.bot.id)
        return await catch_up(ctx, index)

    monkeypatch.setattr(cache, "catch_up", counting)
    monkeypatch.setattr("instep.search.search_state.index_cache", IndexCache(MAX_BYTES, MAX_BYTES))

    await at_once(5, lambda _: client.get("/v1/articles/search", params={"q": "kiwi"}))

    assert len(readings) == 1


async def test_waiting_for_a_first_reading_leaves_connections_to_others(
    api: Api, cast: Cast, ctx: Ctx, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "MAX_INDEX_WAITERS", 0)
    monkeypatch.setattr(limits, "INDEX_WAIT_SECONDS", 0.01)
    kiwi = await publish(api(cast.acme.write_key), "Kiwi")
    melon = await publish(api(cast.globex.write_key), "Melon")
    index_cache = IndexCache(MAX_BYTES, MAX_BYTES)

    async with index_cache.turn(cast.acme.bot_id, may_take_long=True):
        with pytest.raises(IndexWarmingUp) as refused:
            await index_cache.index_of(ctx)
        async with database.enter_workspace(cast.globex.workspace_id) as tx:
            assert await ids_of(index_cache, context(tx, cast.globex), "melon") == {melon["id"]}

    assert (refused.value.status, refused.value.headers) == (503, {"Retry-After": "1"})
    assert await ids_of(index_cache, ctx, "kiwi") == {kiwi["id"]}


async def test_articles_that_were_read_before_a_failure_are_not_read_again(
    api: Api, cast: Cast, ctx: Ctx, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cache, "BATCH_ARTICLES", 2)
    monkeypatch.setattr(cache, "FETCH_ARTICLES", 2)
    articles = [await publish(api(cast.acme.write_key), f"Kiwi {number}") for number in range(5)]
    changed_since, batches = queries.changed_since, list[list[str]]()

    async def failing_once(*arguments: Any, **options: Any) -> list[ArticleChange]:
        if len(batches) == 1:
            batches.append([])
            raise ConnectionError
        changes = await changed_since(*arguments, **options)
        batches.append([change.id for change in changes])
        return changes

    monkeypatch.setattr(queries, "changed_since", failing_once)
    index_cache = IndexCache(MAX_BYTES, MAX_BYTES)
    with pytest.raises(ConnectionError):
        await index_cache.index_of(ctx)

    ids = sorted(article["id"] for article in articles)
    assert sorted(await ids_of(index_cache, ctx, "kiwi")) == ids
    assert sorted(article_id for batch in batches for article_id in batch) == ids


async def test_a_worker_stores_the_index_after_many_changes(
    api: Api, cast: Cast, database: Database, owner: Tx, run_jobs: RunJobs, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cache, "MAX_UNFLUSHED_ARTICLES", 2)
    monkeypatch.setattr(jobs, "MAX_UNFLUSHED_ARTICLES", 2)
    for number in range(4):
        await publish(api(cast.acme.write_key), f"No {number}")
    await publish(api(cast.globex.write_key), "Alone")
    await make_changes_oldest(owner, cast.globex, cast.acme)
    monkeypatch.setattr(jobs, "STORE_BATCH", 1)
    await defer(owner, jobs.STORE_INDEXES, {}, run_at=utc_now())

    await run_jobs()

    assert await owner.value("select true from search_indexes where bot_id = %(b)s", b=cast.acme.bot_id)
    assert not await owner.value("select true from search_indexes where bot_id = %(b)s", b=cast.globex.bot_id)
    waiting = "select count(*) from jobs where kind = %(kind)s and run_at > now()"
    assert await owner.value(waiting, kind=jobs.STORE_INDEXES) == 1


async def make_changes_oldest(owner: Tx, *companies: Company) -> None:
    """Make these bots' changes the oldest of all tests, so that the job handles them first."""
    for number, company in enumerate(companies):
        await owner.execute(
            """
            update bots set changed_at = timestamptz '2000-01-01' + %(number)s * interval '1 day'
            where id = %(bot)s
            """,
            bot=company.bot_id,
            number=number,
        )


def test_many_small_indexes_push_out_no_large_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "LARGE_INDEX_BYTES", 100)
    values = CacheBySize[int](int, 1_000, 200)
    bots = [uuid4() for _ in range(9)]
    values[bots[0]] = 900

    for bot in bots[1:]:
        values[bot] = 60

    assert values[bots[0]] == 900
    assert list(values) == [*bots[-3:], bots[0]]
    # When a bot grows, its value replaces the small one.
    values[bots[-1]] = 100
    assert dict(values) == {bots[-3]: 60, bots[-2]: 60, bots[0]: 900, bots[-1]: 100}
    del values[bots[0]]
    assert bots[0] not in values
    assert len(values) == 3


async def test_a_help_center_without_live_articles_can_be_searched(
    api: Api, cast: Cast, ctx: Ctx, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cache, "MAX_UNFLUSHED_ARTICLES", 2)
    index_cache = IndexCache(MAX_BYTES, MAX_BYTES)
    client = api(cast.acme.write_key)
    await create_article(client, "First")
    assert await ids_of(index_cache, ctx, "kiwi") == set()

    for number in range(3):
        await create_article(client, f"Draft {number}")

    assert await ids_of(index_cache, ctx, "kiwi") == set()
    assert await ids_of(IndexCache(MAX_BYTES, MAX_BYTES), ctx, "kiwi") == set()


async def test_an_article_that_is_deleted_for_good_stays_away(
    api: Api, cast: Cast, ctx: Ctx, owner: Tx
) -> None:
    client = api(cast.acme.write_key)
    gone, kept = await publish(client, "Kiwi"), await publish(client, "Kiwi again")
    running = IndexCache(MAX_BYTES, MAX_BYTES)
    index, _ = await running.index_of(ctx)
    await cache.store(ctx, index, None)
    ok(await client.delete(f"/v1/articles/{gone['id']}"))
    await owner.execute("delete from articles where id = %(id)s", id=gone["id"])
    later = replace(ctx, now=ctx.now + limits.DELETED_ARTICLE_RETENTION + timedelta(days=1))

    for index_cache in (running, IndexCache(MAX_BYTES, MAX_BYTES)):
        assert await ids_of(index_cache, later, "kiwi") == {kept["id"]}


async def test_a_help_center_without_changes_keeps_its_stored_index_however_old_it_is(
    api: Api, cast: Cast, ctx: Ctx, owner: Tx
) -> None:
    await publish(api(cast.acme.write_key), "Kiwi")
    index, _ = await IndexCache(MAX_BYTES, MAX_BYTES).index_of(ctx)
    await cache.store(ctx, index, None)
    # A change without a stamp goes unnoticed while the stored index is used.
    await owner.execute("alter table articles disable trigger articles_stamped")
    await owner.execute("update articles set title = 'Unread' where title = 'Kiwi'")
    await owner.execute("alter table articles enable trigger articles_stamped")
    later = replace(ctx, now=ctx.now + limits.DELETED_ARTICLE_RETENTION + timedelta(days=1))

    assert await ids_of(IndexCache(MAX_BYTES, MAX_BYTES), later, "unread") == set()


async def test_deletions_count_for_when_an_index_is_stored_anew(
    api: Api, cast: Cast, ctx: Ctx, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cache, "MAX_UNFLUSHED_ARTICLES", 2)
    client = api(cast.acme.write_key)
    articles = [await publish(client, f"Kiwi {number}") for number in range(5)]
    index_cache = IndexCache(MAX_BYTES, MAX_BYTES)
    await index_cache.index_of(ctx)
    before = await queries.stored_until(ctx)
    for article in articles[:3]:
        ok(await client.delete(f"/v1/articles/{article['id']}"))

    await index_cache.index_of(ctx)

    after = await queries.stored_until(ctx)
    assert before is not None
    assert after is not None
    assert after > before

"""What a process has at hand of a bot's index, and what is stored of it."""

from typing import Any

import pytest

from instep.core import limits
from instep.core.clock import utc_now
from instep.core.database import Database, Tx
from instep.core.jobs import defer
from instep.identity.schemas import Ctx
from instep.search import jobs, queries
from instep.search.index import cache
from instep.search.index.builder import ArticleChange
from instep.search.index.cache import Index, IndexCache, IndexWarmingUp
from instep.search.index.segment import pack, unpack
from tests.support.cast import Api, Cast, Company, RunJobs
from tests.support.http import at_once, ok
from tests.support.search import context, publish

ROOM = 10_000_000


def titles(index: Index) -> set[str]:
    return {
        article.title
        for part in index.segments
        for article, lives in zip(part.segment.articles, part.live_docs, strict=True)
        if lives
    }


async def test_each_process_sees_a_change_when_it_is_asked(api: Api, cast: Cast, ctx: Ctx) -> None:
    client = api(cast.acme.write_key)
    one, other = IndexCache(ROOM), IndexCache(ROOM)
    path = f"/v1/articles/{(await publish(client, 'Alpha'))['id']}"
    for asked in (one, other):
        assert titles((await asked.index_of(ctx))[0]) == {"alpha"}

    ok(await client.patch(path, json={"title": "Beta"}))

    for asked in (one, other):
        assert titles((await asked.index_of(ctx))[0]) == {"beta"}
    ok(await client.delete(path))
    assert titles((await one.index_of(ctx))[0]) == set()


async def test_an_index_is_read_only_when_something_changed(api: Api, cast: Cast, ctx: Ctx) -> None:
    shelf_ = IndexCache(ROOM)
    await publish(api(cast.acme.write_key))
    before, _ = await shelf_.index_of(ctx)

    after, _ = await shelf_.index_of(ctx)

    assert after is before


async def test_an_index_is_read_once_where_articles_are_newer_than_the_bot_says(
    api: Api, cast: Cast, ctx: Ctx, owner: Tx
) -> None:
    await publish(api(cast.acme.write_key))
    await owner.execute(
        "update bots set changed_at = changed_at - interval '1 s' where id = %(b)s", b=ctx.bot.id
    )
    shelf_ = IndexCache(ROOM)
    before, _ = await shelf_.index_of(ctx)

    after, _ = await shelf_.index_of(ctx)

    assert after is before


async def test_an_index_of_many_changes_is_as_one_that_was_read_anew(api: Api, cast: Cast, ctx: Ctx) -> None:
    client = api(cast.acme.write_key)
    grown = IndexCache(ROOM)
    made = [await publish(client, f"No {number}", f"kiwi number{number}") for number in range(12)]
    for number, article in enumerate(made):
        ok(await client.patch(f"/v1/articles/{article['id']}", json={"title": f"Newer {number}"}))
        if number % 4 == 0:
            ok(await client.post(f"/v1/articles/{article['id']}/unpublish"))
        index, _ = await grown.index_of(ctx)

    fresh, _ = await IndexCache(ROOM).index_of(ctx)

    assert titles(index) == titles(fresh) == {f"newer {n}" for n in range(12) if n % 4}
    assert index.article_count == fresh.article_count == 9
    assert len(index.segments) <= 4
    whole = await cache.merge_segments(index.segments)
    again = await cache.merge_segments(fresh.segments)
    assert whole.words.all() == again.words.all()
    assert whole.surface_forms.all() == again.surface_forms.all()
    assert whole.document_frequency.tolist() == again.document_frequency.tolist()


async def test_a_stored_index_spares_the_reading(
    api: Api, cast: Cast, ctx: Ctx, owner: Tx, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cache, "MAX_UNFLUSHED_ARTICLES", 2)
    client = api(cast.acme.write_key)
    for number in range(4):
        await publish(client, f"No {number}")
    await IndexCache(ROOM).index_of(ctx)
    assert await owner.value("select count(*) from search_indexes where bot_id = %(b)s", b=ctx.bot.id) == 1
    await publish(client, "Later")
    # What the stored one holds is not read again.
    await owner.execute("alter table articles disable trigger articles_stamped")
    await owner.execute("update articles set title = 'Unread' where title = 'No 0'")
    await owner.execute("alter table articles enable trigger articles_stamped")

    index, _ = await IndexCache(ROOM).index_of(ctx)

    assert titles(index) == {"no 0", "no 1", "no 2", "no 3", "later"}


async def test_a_stored_index_of_another_version_is_made_anew(
    api: Api, cast: Cast, ctx: Ctx, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cache, "MAX_UNFLUSHED_ARTICLES", 0)
    await publish(api(cast.acme.write_key), "Alpha")
    with monkeypatch.context() as older:
        older.setattr("instep.search.index.segment.FORMAT", 0)
        await IndexCache(ROOM).index_of(ctx)

    index, _ = await IndexCache(ROOM).index_of(ctx)

    assert titles(index) == {"alpha"}


async def test_packing_loses_nothing(api: Api, cast: Cast, ctx: Ctx) -> None:
    await publish(api(cast.acme.write_key), "Größe", "Use `page_size`. 重置密码", description="About 🚀")
    index, _ = await IndexCache(ROOM).index_of(ctx)
    segment = index.segments[0].segment

    again = unpack(pack(segment))

    assert again is not None
    assert pack(again) == pack(segment)


async def test_only_those_asked_for_last_are_at_hand(api: Api, cast: Cast, ctx: Ctx) -> None:
    small = IndexCache(1)
    await publish(api(cast.acme.write_key), "Alpha")
    await small.index_of(ctx)

    assert list(small.indexes) == [ctx.bot.id]


async def test_many_who_ask_at_once_wait_for_one_reading(
    api: Api, cast: Cast, ctx: Ctx, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = api(cast.acme.write_key)
    await publish(client, "Alpha")
    read = []
    caught_up = cache.catch_up

    async def counted(ctx: Ctx, index: Index) -> Index:
        read.append(ctx.bot.id)
        return await caught_up(ctx, index)

    monkeypatch.setattr(cache, "catch_up", counted)
    monkeypatch.setattr(cache.index_cache, "indexes", {})
    monkeypatch.setattr(cache, "index_cache", IndexCache(ROOM))
    monkeypatch.setattr("instep.search.actions.index_cache", cache.index_cache)

    await at_once(5, lambda _: client.get("/v1/articles/search", params={"q": "alpha"}))

    assert len(read) == 1


async def test_who_waits_for_a_first_reading_leaves_connections_to_others(
    api: Api, cast: Cast, ctx: Ctx, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "MAX_INDEX_WAITERS", 0)
    monkeypatch.setattr(limits, "INDEX_WAIT_SECONDS", 0.01)
    await publish(api(cast.acme.write_key), "Alpha")
    await publish(api(cast.globex.write_key), "Beta")
    shelf_ = IndexCache(ROOM)

    async with shelf_.turn(cast.acme.bot_id, may_take_long=True):
        with pytest.raises(IndexWarmingUp) as refused:
            await shelf_.index_of(ctx)
        async with database.enter_workspace(cast.globex.workspace_id) as tx:
            assert titles((await shelf_.index_of(context(tx, cast.globex)))[0]) == {"beta"}

    assert (refused.value.status, refused.value.headers) == (503, {"Retry-After": "1"})
    assert titles((await shelf_.index_of(ctx))[0]) == {"alpha"}


async def test_what_was_read_before_a_failure_is_not_read_again(
    api: Api, cast: Cast, ctx: Ctx, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cache, "BATCH_ARTICLES", 2)
    monkeypatch.setattr(cache, "FETCH_ARTICLES", 2)
    made = [await publish(api(cast.acme.write_key), f"No {number}") for number in range(5)]
    changed_since, read = queries.changed_since, list[list[str]]()

    async def failing_once(*arguments: Any, **named: Any) -> list[ArticleChange]:
        if len(read) == 1:
            read.append([])
            raise ConnectionError
        rows = await changed_since(*arguments, **named)
        read.append([row.id for row in rows])
        return rows

    monkeypatch.setattr(queries, "changed_since", failing_once)
    shelf_ = IndexCache(ROOM)
    with pytest.raises(ConnectionError):
        await shelf_.index_of(ctx)

    assert titles((await shelf_.index_of(ctx))[0]) == {f"no {number}" for number in range(5)}
    assert sorted(ref for rows in read for ref in rows) == sorted(article["id"] for article in made)


async def test_behind_many_changes_a_worker_stores_the_index(
    api: Api, cast: Cast, database: Database, owner: Tx, run_jobs: RunJobs, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cache, "MAX_UNFLUSHED_ARTICLES", 2)
    monkeypatch.setattr(jobs, "MAX_UNFLUSHED_ARTICLES", 2)
    for number in range(4):
        await publish(api(cast.acme.write_key), f"No {number}")
    await publish(api(cast.globex.write_key), "Alone")
    await behind_longest(owner, cast.globex, cast.acme)
    monkeypatch.setattr(jobs, "AT_ONCE", 1)
    await defer(owner.connection, jobs.STORE_INDEXES, {}, run_at=utc_now())

    await run_jobs()

    assert await owner.value("select true from search_indexes where bot_id = %(b)s", b=cast.acme.bot_id)
    assert not await owner.value("select true from search_indexes where bot_id = %(b)s", b=cast.globex.bot_id)
    waiting = "select count(*) from jobs where kind = %(kind)s and run_at > now()"
    assert await owner.value(waiting, kind=jobs.STORE_INDEXES) == 1


async def behind_longest(owner: Tx, *companies: Company) -> None:
    """Put their bots before those of all other tests: whose turn it is, who changed first comes first."""
    for place, company in enumerate(companies):
        await owner.execute(
            """
            update bots set changed_at = timestamptz '2000-01-01' + %(place)s * interval '1 day'
            where id = %(bot)s
            """,
            bot=company.bot_id,
            place=place,
        )

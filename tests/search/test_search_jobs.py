"""Search jobs are rescheduled whatever fails, and no bot keeps another from its turn."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any
from uuid import UUID

import pytest
from structlog.testing import capture_logs

from instep.platform.core.clock import utc_now
from instep.platform.core.database import Database, Tx
from instep.platform.core.jobs import Job
from instep.platform.core.outages import DatabaseFull, DatabaseSlow
from instep.platform.identity.schemas import Bot
from instep.platform.llm.embedding import Embedders
from instep.search import jobs
from instep.search.semantic import indexing
from tests.support.cast import Api, Cast
from tests.support.embeddings import embedding, knows, sent_texts
from tests.support.search import publish

EMBED_JOB = Job(1, jobs.EMBED_ARTICLES, {}, 1)
STORE_JOB = Job(1, jobs.STORE_INDEXES, {}, 1)
NEXT_RUN = "select min(run_at) - now() from jobs where kind = %(kind)s and worker is null"


async def fail_for(
    bot_id: UUID, error: Exception, done: list[UUID], database: Database, *args: Any, **options: Any
) -> None:
    """Replaces the work on a bot, which is the last argument."""
    bot: Bot = args[-1]
    if bot.id == bot_id:
        raise error
    done.append(bot.id)


async def outdate(api: Api, owner: Tx, cast: Cast) -> None:
    """Give both bots the oldest changes of all, with those of Globex first."""
    for number, company in enumerate((cast.globex, cast.acme)):
        article = await publish(api(company.write_key), "Automobile", "Wash it.")
        sql = "update articles set updated_at = %(at)s where id = %(id)s"
        await owner.execute(sql, id=article["id"], at=datetime(1980, 1, 1 + number, tzinfo=UTC))


@pytest.fixture(autouse=True)
async def oldest_changes_go(owner: Tx) -> AsyncIterator[None]:
    """Make these changes recent again, because other tests rely on having the oldest."""
    yield
    await owner.execute(
        "update articles set updated_at = %(now)s where updated_at < '1985-01-01'", now=utc_now()
    )


@pytest.mark.parametrize("error", [ValueError("broken"), DatabaseSlow()])
async def test_a_bot_that_can_not_be_embedded_keeps_no_other_from_it(
    api: Api, cast: Cast, database: Database, owner: Tx, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    await outdate(api, owner, cast)
    done: list[UUID] = []
    monkeypatch.setattr(jobs, "embed_bot", partial(fail_for, cast.globex.bot_id, error, done))

    async with embedding(knows) as (embedder, _):
        with capture_logs() as lines:
            await jobs.embed_articles(database, Embedders(english=embedder), EMBED_JOB)

    assert cast.acme.bot_id in done
    assert [line["bot"] for line in lines if line["log_level"] == "error"] == [cast.globex.slug]
    # The model is not called every few seconds for vectors that can't be stored.
    assert await owner.value(NEXT_RUN, kind=jobs.EMBED_ARTICLES) > timedelta(seconds=50)


async def test_nothing_is_embedded_that_can_not_be_stored(
    api: Api, cast: Cast, database: Database, owner: Tx, monkeypatch: pytest.MonkeyPatch
) -> None:
    await outdate(api, owner, cast)
    done: list[UUID] = []
    monkeypatch.setattr(jobs, "embed_bot", partial(fail_for, cast.globex.bot_id, DatabaseFull(), done))

    async with embedding(knows) as (embedder, _):
        await jobs.embed_articles(database, Embedders(english=embedder), EMBED_JOB)

    assert cast.acme.bot_id not in done
    assert await owner.value(NEXT_RUN, kind=jobs.EMBED_ARTICLES) > timedelta(seconds=50)


async def test_embedding_returns_after_seconds_where_nothing_has_failed(
    api: Api, cast: Cast, database: Database, owner: Tx, monkeypatch: pytest.MonkeyPatch
) -> None:
    done: list[UUID] = []
    monkeypatch.setattr(jobs, "embed_bot", partial(fail_for, UUID(int=0), ValueError(), done))

    async with embedding(knows) as (embedder, _):
        await jobs.embed_articles(database, Embedders(english=embedder), EMBED_JOB)

    assert await owner.value(NEXT_RUN, kind=jobs.EMBED_ARTICLES) <= jobs.EMBED_INTERVAL


async def test_a_bot_whose_index_can_not_be_stored_keeps_no_other_from_it(
    api: Api, cast: Cast, database: Database, owner: Tx, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jobs, "MAX_UNFLUSHED_ARTICLES", 0)
    monkeypatch.setattr(jobs, "STORE_BATCH", 1_000_000)
    await outdate(api, owner, cast)
    done: list[UUID] = []
    monkeypatch.setattr(jobs, "store_index", partial(fail_for, cast.globex.bot_id, ValueError(), done))

    with capture_logs() as lines:
        await jobs.store_indexes(database, STORE_JOB)

    assert cast.acme.bot_id in done
    assert cast.globex.slug in [line["bot"] for line in lines if line["log_level"] == "error"]
    assert await owner.value(NEXT_RUN, kind=jobs.STORE_INDEXES) > timedelta(seconds=50)


@pytest.mark.parametrize("lease_ends_in", [timedelta(seconds=10), timedelta(seconds=-10)])
async def test_a_run_leaves_the_bots_to_one_that_is_not_done(
    api: Api,
    cast: Cast,
    database: Database,
    owner: Tx,
    monkeypatch: pytest.MonkeyPatch,
    lease_ends_in: timedelta,
) -> None:
    await outdate(api, owner, cast)
    done: list[UUID] = []
    monkeypatch.setattr(jobs, "embed_bot", partial(fail_for, UUID(int=0), ValueError(), done))
    id = await owner.value(
        """
        insert into jobs (kind, payload, attempts, worker, run_at, dedupe)
        values (%(kind)s, '{}', 1, 'a worker', %(end)s, %(kind)s) returning id
        """,
        kind=jobs.EMBED_ARTICLES,
        end=utc_now() + lease_ends_in,
    )

    async with embedding(knows) as (embedder, _):
        await jobs.embed_articles(
            database, Embedders(english=embedder), Job(id + 1, jobs.EMBED_ARTICLES, {}, 1)
        )

    assert (done == []) is (lease_ends_in > timedelta())
    assert await owner.value(NEXT_RUN, kind=jobs.EMBED_ARTICLES) > timedelta()


async def test_the_many_articles_of_one_bot_let_another_have_its_turn(
    api: Api, cast: Cast, database: Database, owner: Tx, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(indexing, "BATCH_ARTICLES", 1)
    monkeypatch.setattr(jobs, "EMBED_CHUNKS", 1)
    outdated_bots, bot_ids = jobs.outdated_bots, {cast.globex.bot_id, cast.acme.bot_id}

    async def ours(*args: Any) -> list[Bot]:
        """Leaves out other tests' bots, which would use up the time."""
        return [bot for bot in await outdated_bots(*args) if bot.id in bot_ids]

    monkeypatch.setattr(jobs, "outdated_bots", ours)
    names = [f"Sabbatical {number}" for number in range(4)]
    for company, name in [*((cast.globex, name) for name in names), (cast.acme, "Ledger")]:
        article = await publish(api(company.write_key), name, "Tell us early.")
        sql = "update articles set updated_at = %(at)s where id = %(id)s"
        await owner.execute(sql, id=article["id"], at=datetime(1980, 1, 1 + len(name), tzinfo=UTC))

    async with embedding(knows) as (embedder, endpoint):
        await jobs.embed_articles(database, Embedders(english=embedder), EMBED_JOB)

    titles = [text.partition("\n")[0] for text in sent_texts(endpoint)]
    mine = [title for title in titles if title in {*names, "Ledger"}]
    assert sorted(mine) == ["Ledger", *names]
    assert mine.index("Ledger") < len(names)

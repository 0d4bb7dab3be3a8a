"""GET and DELETE /v1/insights/visits, GET /v1/insights/views, GET /v1/insights/searches."""

import asyncio

import psycopg
import pytest
from fastapi import FastAPI

from instep.operations.ops.prune import PRUNE, prune
from instep.platform.core.clock import utc_now
from instep.platform.core.database import Database, Tx
from instep.platform.core.jobs import Job
from instep.visitors.insights.visits.counter import counting
from tests.support.browsing import BROWSER, write_counts
from tests.support.cast import Api, Cast, Client, Json
from tests.support.http import error, ok
from tests.support.limits import SetLimit
from tests.support.site_pages import publish, visit
from tests.support.visitors import rate

GOOGLEBOT = "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)"
HEADLESS = "Mozilla/5.0 (X11) AppleWebKit/537.36 HeadlessChrome/142.0 Safari/537.36"


async def browse(api: Api, cast: Cast, *paths: str, **headers: str) -> None:
    """Open pages of Acme's help center as a browser does."""
    for path in paths:
        await visit(api, f"{cast.acme.slug}/{path}", **{"User-Agent": BROWSER, **headers})


async def rows(client: Client, path: str) -> list[Json]:
    listed: list[Json] = ok(await client.get(f"/v1/insights/{path}"))["results"]
    return listed


async def test_views_and_searches_are_counted_by_the_day(
    client: Client, api: Api, cast: Cast, app: FastAPI, database: Database
) -> None:
    install = await publish(client, "Install Acme")
    upgrade = await publish(client, "Upgrade Acme")
    await browse(api, cast, *["articles/install-acme"] * 3, "articles/upgrade-acme")
    await browse(api, cast, "search?q=Install", "search?q=%20install%20", "search?q=zzxqy", "search?q=x")
    await rate(api(None), cast.acme, install)
    await rate(api(None), cast.acme, install, helpful=True)
    await write_counts(app, database)

    visits = ok(await client.get("/v1/insights/visits?days=7"))

    totals = {"views": 4, "searches": 3, "emptySearches": 1, "helpfulCount": 1, "unhelpfulCount": 1}
    days = visits.pop("days")
    assert visits == totals
    assert len(days) == 7
    assert days[-1] == {"day": f"{utc_now():%Y-%m-%d}", **totals}
    assert all(day["views"] == 0 for day in days[:-1])
    assert await rows(client, "views") == [
        {
            "articleId": install["id"],
            "title": "Install Acme",
            "views": 3,
            "helpfulCount": 1,
            "unhelpfulCount": 1,
        },
        {
            "articleId": upgrade["id"],
            "title": "Upgrade Acme",
            "views": 1,
            "helpfulCount": 0,
            "unhelpfulCount": 0,
        },
    ]
    searches = await rows(client, "searches")
    assert [(row["query"], row["searches"], row["emptySearches"]) for row in searches] == [
        ("install", 2, 0),
        ("zzxqy", 1, 1),
    ]
    assert [row["query"] for row in await rows(client, "searches?empty=true")] == ["zzxqy"]


async def test_repeated_counts_add_up(
    client: Client, api: Api, cast: Cast, app: FastAPI, database: Database
) -> None:
    await publish(client, "Install")
    for _ in range(2):
        await browse(api, cast, "articles/install", "search?q=nothing+there")
        await write_counts(app, database)

    [article] = await rows(client, "views")
    [words] = await rows(client, "searches")
    assert (article["views"], words["searches"], words["emptySearches"]) == (2, 2, 2)


@pytest.mark.parametrize(
    "headers",
    [
        {"User-Agent": GOOGLEBOT},
        {"User-Agent": HEADLESS},
        {"User-Agent": "curl/8.17"},
        {"User-Agent": ""},
        {"Sec-Purpose": "prefetch;prerender"},
        {"Purpose": "prefetch"},
        {"Sec-Fetch-Dest": "empty"},
    ],
)
async def test_robots_and_pages_in_advance_are_not_counted(
    client: Client, api: Api, cast: Cast, app: FastAPI, database: Database, headers: dict[str, str]
) -> None:
    await publish(client, "Install")

    await browse(api, cast, "articles/install", "search?q=install", **headers)
    await write_counts(app, database)

    assert (await rows(client, "views"), await rows(client, "searches")) == ([], [])


async def test_heads_markdown_and_missing_pages_are_not_counted(
    client: Client, api: Api, cast: Cast, app: FastAPI, database: Database
) -> None:
    await publish(client, "Install")
    here = f"/help/{cast.acme.slug}/articles/install"

    await api(None).head(here, headers={"User-Agent": BROWSER})
    await browse(api, cast, "articles/install.md", "articles/nothing")
    await browse(api, cast, "articles/install", Accept="text/markdown")
    await write_counts(app, database)

    assert await rows(client, "views") == []


async def test_a_page_that_the_browser_has_already_counts(
    client: Client, api: Api, cast: Cast, app: FastAPI, database: Database
) -> None:
    await publish(client, "Install")
    page = await visit(api, f"{cast.acme.slug}/articles/install")

    await browse(api, cast, "articles/install", **{"If-None-Match": page.headers["etag"]})
    await write_counts(app, database)

    [article] = await rows(client, "views")
    assert article["views"] == 1


@pytest.mark.parametrize("words", ["ann@example.com", "call 0171 234 56 78", "4111-1111-1111"])
async def test_words_that_may_be_about_a_person_are_not_kept(
    client: Client, api: Api, cast: Cast, app: FastAPI, database: Database, owner: Tx, words: str
) -> None:
    await api(None).get(
        f"/help/{cast.acme.slug}/search", params={"q": words}, headers={"User-Agent": BROWSER}
    )
    await write_counts(app, database)

    [row] = await rows(client, "searches")
    assert (row["query"], row["searches"]) == ("", 1)


async def test_only_so_many_different_searches_of_a_day_are_kept(
    client: Client, api: Api, cast: Cast, app: FastAPI, database: Database, set_limit: SetLimit
) -> None:
    set_limit("MAX_COUNTED_QUERIES_PER_DAY", 2)
    for words in ("first", "second", "third", "fourth", "first"):
        await browse(api, cast, f"search?q={words}")
        await write_counts(app, database)

    searches = {row["query"]: row["searches"] for row in await rows(client, "searches")}
    assert searches == {"first": 2, "second": 1, "": 2}


async def test_counts_that_can_not_be_written_are_written_the_next_time(
    client: Client, api: Api, cast: Cast, app: FastAPI, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    await publish(client, "Install")
    await browse(api, cast, "articles/install", "search?q=install")

    def refuse(workspace_id: str) -> None:
        raise psycopg.OperationalError("the server closed the connection")

    with monkeypatch.context() as outage:
        outage.setattr(database, "enter_workspace", refuse)
        await write_counts(app, database)
    await write_counts(app, database)

    [article] = await rows(client, "views")
    [words] = await rows(client, "searches")
    assert (article["views"], words["searches"]) == (1, 1)


async def test_a_server_that_stops_writes_what_it_has_counted(
    client: Client, api: Api, cast: Cast, app: FastAPI, database: Database
) -> None:
    await publish(client, "Install")

    async with counting(app.state.visit_counter, database):
        await browse(api, cast, "articles/install")

    assert len(await rows(client, "views")) == 1


async def test_a_server_writes_while_it_runs(
    client: Client, api: Api, cast: Cast, app: FastAPI, database: Database, set_limit: SetLimit
) -> None:
    set_limit("VISIT_COUNT_SECONDS", 0.01)
    await publish(client, "Install")

    async with counting(app.state.visit_counter, database):
        await browse(api, cast, "articles/install")
        async with asyncio.timeout(30):
            while not (views := await rows(client, "views")):
                pass

    assert [article["views"] for article in views] == [1]


async def test_two_servers_that_write_at_once_lose_nothing(
    client: Client, api: Api, cast: Cast, app: FastAPI, database: Database
) -> None:
    articles = [await publish(client, f"Article {number}") for number in range(5)]
    paths = [f"articles/{article['slug']}" for article in articles]

    for _ in range(4):
        await browse(api, cast, *paths)
        first = app.state.visit_counter.write(database)
        await browse(api, cast, *reversed(paths))
        await asyncio.gather(first, app.state.visit_counter.write(database))

    assert {row["views"] for row in await rows(client, "views")} == {8}


async def test_an_article_that_was_deleted_meanwhile_is_passed_over(
    client: Client, api: Api, cast: Cast, app: FastAPI, database: Database, owner: Tx
) -> None:
    article = await publish(client, "Install")
    await publish(client, "Upgrade")
    await browse(api, cast, "articles/install", "articles/upgrade")
    await owner.execute("delete from articles where id = %(id)s", id=article["id"])

    await write_counts(app, database)

    assert [row["title"] for row in await rows(client, "views")] == ["Upgrade"]


async def test_counts_are_erased(
    client: Client, api: Api, cast: Cast, app: FastAPI, database: Database
) -> None:
    await publish(client, "Install")
    await browse(api, cast, "articles/install", "search?q=install")
    await write_counts(app, database)

    erased = ok(await client.delete("/v1/insights/visits"))

    assert erased == {"id": str(cast.acme.bot_id), "deleted": True}
    assert ok(await client.get("/v1/insights/visits"))["views"] == 0
    assert (await rows(client, "views"), await rows(client, "searches")) == ([], [])


async def test_old_counts_are_pruned(
    client: Client, api: Api, cast: Cast, app: FastAPI, database: Database, owner: Tx
) -> None:
    await publish(client, "Install")
    await browse(api, cast, "articles/install", "search?q=install")
    await write_counts(app, database)
    for table in ("article_views", "search_counts"):
        await owner.execute(f"update {table} set day = day - 401")

    await prune(database, Job(1, PRUNE, {}, 1))

    for table in ("article_views", "search_counts"):
        assert await owner.value(f"select count(*) from {table}") == 0


async def test_pages_of_a_list_neither_repeat_nor_miss(
    client: Client, api: Api, cast: Cast, app: FastAPI, database: Database
) -> None:
    for number in range(5):
        await publish(client, f"Article {number}")
        await browse(api, cast, *[f"articles/article-{number}"] * (number % 3 + 1), f"search?q=word+{number}")
    await write_counts(app, database)

    for path in ("views", "searches"):
        whole = await rows(client, path)
        pages, cursor = [], ""
        while cursor is not None:
            query = f"page_size=2{'&start_cursor=' + cursor if cursor else ''}"
            page = ok(await client.get(f"/v1/insights/{path}?{query}"))
            pages += page["results"]
            cursor = page["next_cursor"]
        assert pages == whole
        assert len(whole) == 5


@pytest.mark.parametrize("days", ["0", "367", "x", "-1"])
async def test_days_that_can_not_be_are_refused(client: Client, days: str) -> None:
    answer = await client.get(f"/v1/insights/visits?days={days}")

    assert error(answer) == (400, "invalid_request")


async def test_another_companys_visits_are_not_seen(
    client: Client, globex: Client, api: Api, cast: Cast, app: FastAPI, database: Database
) -> None:
    await publish(client, "Install")
    await browse(api, cast, "articles/install", "search?q=install")
    await write_counts(app, database)

    await globex.delete("/v1/insights/visits")

    assert (await rows(globex, "views"), await rows(globex, "searches")) == ([], [])
    assert len(await rows(client, "views")) == 1

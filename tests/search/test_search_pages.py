"""GET /v1/articles/search, page by page."""

from typing import Any

import pytest

from tests.support.cast import Api, Cast, Json
from tests.support.http import all_pages, at_once, error, ok, pages
from tests.support.search import SEARCH, publish, search


@pytest.mark.parametrize("query", ["kiwi", "kiwi kookaburra"], ids=["all words", "some words"])
@pytest.mark.parametrize("size", [1, 3, 100])
async def test_pages_hold_every_result_once_best_first(api: Api, cast: Cast, query: str, size: int) -> None:
    client = api(cast.acme.write_key)
    for number in range(10):
        # Half of them have equal texts and therefore equal scores.
        await publish(client, f"No {number}", "kiwi " * (1 if number % 2 else number + 1))

    all_rows = [page async for page in pages(client, SEARCH, q=query, page_size=size)]

    rows = [row for page in all_rows for row in page]
    assert all(len(page) == size for page in all_rows[:-1])
    assert len({row["id"] for row in rows}) == 10
    assert rows == sorted(rows, key=lambda row: (row["score"], row["id"]), reverse=True)


@pytest.mark.parametrize("query", ["kiwi", "kiwi kookaburra"], ids=["all words", "some words"])
async def test_rows_that_stay_are_seen_once_while_others_change(api: Api, cast: Cast, query: str) -> None:
    client = api(cast.acme.write_key)
    articles = [await publish(client, f"No {number}", "kiwi " * (number + 1)) for number in range(9)]
    best_first = [row["id"] for row in await search(client, query)]
    moved = [row["id"] for row in articles[::3]]
    seen: list[str] = []

    number = 0
    async for page in pages(client, SEARCH, q=query, page_size=2):
        seen += [row["id"] for row in page]
        # Some contain all words, so a new search would differ from the next page.
        await publish(client, f"New {number}", "kiwi kookaburra")
        if number < len(moved):
            change = {"contentMarkdown": "melon" if number else "kiwi kookaburra"}
            ok(await client.patch(f"/v1/articles/{moved[number]}", json=change))
        number += 1

    stayed = [article_id for article_id in best_first if article_id not in moved]
    assert [article_id for article_id in seen if article_id in stayed] == stayed


async def test_twenty_results_are_a_page_by_default(api: Api, cast: Cast) -> None:
    client = api(cast.acme.write_key)
    await at_once(21, lambda number: publish(client, f"Kiwi {number}"))

    assert [len(page) async for page in pages(client, SEARCH, q="kiwi")] == [20, 1]


async def test_a_cursor_belongs_to_its_query_language_and_bot(api: Api, cast: Cast) -> None:
    client = api(cast.wide_key)
    bot = {"bot_id": str(cast.acme.bot_id)}
    for title in ("Kiwi one", "Kiwi two"):
        await publish(api(cast.acme.write_key), title)
    first = ok(await client.get(SEARCH, params={**bot, "q": "kiwi", "page_size": 1}))
    cursor: Json = {**bot, "q": "kiwi", "start_cursor": first["next_cursor"]}

    others: list[Json] = [{"q": "one"}, {"locale": "en"}, {"bot_id": str(cast.second_bot_id)}]
    for other in others:
        refused = await client.get(SEARCH, params={**cursor, **other})
        assert error(refused) == (400, "invalid_cursor"), other
    for path in ("/v1/articles", "/v1/collections"):
        assert error(await client.get(path, params=cursor)) == (400, "invalid_cursor")
    again = ok(await client.get(SEARCH, params={**cursor, "page_size": 5, "format": "html"}))
    assert len(again["results"]) == 1


@pytest.mark.parametrize("bad", ["", "e30", "\0", "é", "A" * 500])
async def test_an_altered_cursor_is_refused(api: Api, cast: Cast, bad: str) -> None:
    client = api(cast.acme.read_key)

    for query in ("kiwi", "🚀🚀"):
        refused = await client.get(SEARCH, params={"q": query, "start_cursor": bad})
        assert error(refused) == (400, "invalid_cursor")


async def test_the_same_search_answers_the_same(api: Api, cast: Cast) -> None:
    client = api(cast.acme.write_key)
    await at_once(6, lambda number: publish(client, f"Kiwi {number}", "kiwi " * (number % 3)))

    answers: list[Any] = [await all_pages(client, SEARCH, q="kiwi") for _ in range(5)]

    assert all(answer == answers[0] for answer in answers)

"""GET /v1/articles."""

import asyncio
from typing import Any

import pytest

from tests.support.cast import Cast, Client, Json
from tests.support.http import (
    all_pages,
    at_once,
    create_article,
    create_collection,
    error,
    named_fields,
    ok,
    pages,
)

LIST = "/v1/articles"


async def test_the_newest_change_comes_first_with_its_text(client: Client) -> None:
    first, second = await create_article(client, "First"), await create_article(client, "Second")

    assert ok(await client.get(LIST)) == {
        "results": [second, first],
        "has_more": False,
        "next_cursor": None,
    }
    changed = ok(await client.patch("/v1/articles/first", json={"position": 9}))
    assert ok(await client.get(LIST))["results"] == [changed, second]


async def test_an_empty_help_center_has_an_empty_list(reader: Client, globex: Client) -> None:
    await create_article(globex)

    answer = ok(await reader.get(LIST))

    assert answer == {"results": [], "has_more": False, "next_cursor": None}


async def test_html_takes_the_place_of_markdown(client: Client) -> None:
    await create_article(client, contentMarkdown="*now*")

    [article] = await all_pages(client, LIST, format="html")

    assert article["contentHtml"] == "<p><em>now</em></p>\n"
    assert "contentMarkdown" not in article


async def test_the_filters_keep_what_they_name(client: Client) -> None:
    guides = await create_collection(client, "Guides")
    live = await create_article(client, "Live", collectionId=guides["id"])
    await create_article(client, "Entwurf", locale="de")
    live = ok(await client.post("/v1/articles/live/publish"))

    async def titles(**params: Any) -> list[str]:
        return [row["title"] for row in await all_pages(client, LIST, **params)]

    assert await titles(status="published") == ["Live"]
    assert await titles(status="draft") == ["Entwurf"]
    assert await titles(status="in_review") == await titles(status="archived") == []
    assert await titles(status="all") == ["Live", "Entwurf"]
    assert await titles(collection_id=guides["id"]) == await titles(collection_id="guides") == ["Live"]
    assert await titles(locale="de") == ["Entwurf"]
    assert await titles(locale="de", status="published") == []
    assert await titles(updated_since=live["updatedAt"]) == ["Live"]
    assert await titles(updated_since="2999-01-01T00:00:00+02:00") == []


async def test_a_collection_that_is_not_there_is_not_found(reader: Client, globex: Client) -> None:
    theirs = await create_collection(globex)

    for ref in (theirs["id"], "nowhere"):
        refusal = await reader.get(LIST, params={"collection_id": ref})
        assert error(refusal) == (404, "not_found")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("status", "deleted"),
        ("format", "pdf"),
        ("page_size", "0"),
        ("page_size", "101"),
        ("page_size", "many"),
        ("page_size", ""),
        ("updated_since", "yesterday"),
        ("updated_since", "2026-01-01T00:00:00"),
        ("updated_since", "1700000000"),
        ("updated_since", ""),
    ],
)
async def test_a_bad_parameter_is_refused_by_name(reader: Client, name: str, value: str) -> None:
    refusal = await reader.get(LIST, params={name: value})

    assert named_fields(refusal) == [name]


async def test_a_nul_in_a_parameter_is_refused(reader: Client) -> None:
    for name in ("locale", "collection_id"):
        refusal = await reader.get(LIST, params={name: "a\0b"})
        assert refusal.status_code in (400, 404)


@pytest.mark.parametrize("size", [1, 2, 100])
async def test_pages_hold_every_row_once_in_order(client: Client, size: int) -> None:
    ids = [(await create_article(client, f"No {number}"))["id"] for number in range(7)]

    rows = [page async for page in pages(client, LIST, page_size=size)]

    assert all(len(page) == size for page in rows[:-1])
    assert [row["id"] for page in rows for row in page] == ids[::-1]


async def test_twenty_rows_are_a_page_by_default(client: Client) -> None:
    await at_once(21, lambda number: create_article(client, f"No {number}"))

    assert [len(page) async for page in pages(client, LIST)] == [20, 1]


@pytest.mark.parametrize("size", [1, 2])
async def test_rows_that_stay_are_seen_once_while_others_change(client: Client, size: int) -> None:
    ids = [(await create_article(client, f"No {number}"))["id"] for number in range(10)]
    moved = ids[::3]
    listed_ids: list[str] = []

    number = 0
    async for page in pages(client, LIST, page_size=size):
        listed_ids += [row["id"] for row in page]
        await create_article(client, f"New {number}")
        if number < len(moved):
            ok(await client.patch(f"/v1/articles/{moved[number]}", json={"position": 99}))
        number += 1

    stayed = [ref for ref in ids[::-1] if ref not in moved]
    assert [ref for ref in listed_ids if ref in stayed] == stayed


async def test_a_cursor_belongs_to_its_list_filter_and_bot(wide: Client, cast: Cast) -> None:
    bot = {"bot_id": str(cast.acme.bot_id)}
    for title in ("One", "Two"):
        await wide.post(LIST, json={"title": title, "contentMarkdown": ""}, params=bot)
    first = ok(await wide.get(LIST, params={**bot, "page_size": 1}))
    cursor = {"start_cursor": first["next_cursor"]}

    for other in (
        {"status": "draft"},
        {"locale": "en"},
        {"updated_since": "2020-01-01T00:00:00Z"},
        {"bot_id": str(cast.second_bot_id)},
    ):
        refusal = await wide.get(LIST, params={**bot, **cursor, **other})
        assert error(refusal) == (400, "invalid_cursor")
    for path in ("/v1/collections", "/v1/drafts", "/v1/tasks", "/v1/articles/one/revisions"):
        assert error(await wide.get(path, params={**bot, **cursor})) == (400, "invalid_cursor")
    again = ok(await wide.get(LIST, params={**bot, **cursor, "page_size": 5, "format": "html"}))
    assert [row["title"] for row in again["results"]] == ["One"]


async def test_an_altered_cursor_is_refused(client: Client) -> None:
    for title in ("One", "Two"):
        await create_article(client, title)
    cursor = ok(await client.get(LIST, params={"page_size": 1}))["next_cursor"]

    middle = len(cursor) // 2
    other = "A" if cursor[middle] != "A" else "B"
    altered = [cursor[:middle] + other + cursor[middle + 1 :], cursor[:-1], cursor + "A", cursor + "="]
    for bad in (*altered, "", "é", "%", "e30", "\0", cursor * 50):
        assert error(await client.get(LIST, params={"start_cursor": bad})) == (400, "invalid_cursor")


async def test_following_updated_since_misses_no_change(client: Client, reader: Client) -> None:
    """Four clients write at once while one syncs from the newest stamp that it has seen."""
    rows: dict[str, Json] = {}
    await at_once(4, lambda writer: create_article(client, f"Shared {writer}"))

    async def write(writer: int) -> None:
        for number in range(5):
            await create_article(client, f"By {writer} {number}")
            change = {"description": f"{writer} {number}"}
            ok(await client.patch(f"/v1/articles/shared-{number % 4}", json=change))

    async def sync() -> None:
        since = max((row["updatedAt"] for row in rows.values()), default="2020-01-01T00:00:00Z")
        for row in await all_pages(reader, LIST, updated_since=since, page_size=100):
            rows[row["id"]] = row

    writing = asyncio.gather(*(write(number) for number in range(4)))
    while not writing.done():
        await sync()
    await writing
    await sync()

    assert rows == await by_id(reader)
    assert len(rows) == 24


async def by_id(client: Client) -> dict[str, Json]:
    return {row["id"]: row for row in await all_pages(client, LIST, page_size=100)}

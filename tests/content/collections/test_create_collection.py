"""POST /v1/collections."""

import re
from typing import Any

import pytest

from tests.support.cast import Cast, Client
from tests.support.http import (
    ID,
    TIMESTAMP,
    Response,
    all_pages,
    at_once,
    create_collection,
    error,
    named_fields,
    ok,
)

LIST = "/v1/collections"


async def test_a_new_collection_has_every_field(client: Client, cast: Cast) -> None:
    collection = await create_collection(client, "First steps")

    assert re.fullmatch("col" + ID, collection.pop("id"))
    assert TIMESTAMP.fullmatch(collection["createdAt"])
    assert collection.pop("updatedAt") == collection.pop("createdAt")
    assert collection == {
        "slug": "first-steps",
        "title": "First steps",
        "description": None,
        "icon": None,
        "visibility": "public",
        "parentId": None,
        "sortOrder": 0,
        "articleCount": 0,
        "url": f"http://help.test/help/{cast.acme.slug}/collections/first-steps",
        "botId": str(cast.acme.bot_id),
        "owner": None,
        "reviewBy": None,
    }


async def test_the_fields_sent_are_kept(client: Client) -> None:
    body = {
        "title": "Hilfe",
        "description": "Alles.",
        "slug": "hilfe-und-mehr",
        "icon": "👩🏽‍🚀",
        "visibility": "authenticated",
    }

    collection = await create_collection(client, **body)

    assert collection == {**collection, **body, "url": None}
    assert ok(await client.get(f"{LIST}/hilfe-und-mehr")) == collection


async def test_new_ones_go_last(client: Client) -> None:
    first = await create_collection(client, "First")
    ok(await client.patch(f"{LIST}/{first['id']}", json={"sortOrder": 10}))

    assert (await create_collection(client, "Second"))["sortOrder"] == 11


async def test_there_is_room_behind_the_last_one(client: Client) -> None:
    await create_collection(client, "First")
    ok(await client.patch(f"{LIST}/first", json={"sortOrder": 2_147_483_647}))

    await create_collection(client, "Second")

    assert [row["slug"] for row in await all_pages(client, LIST)] == ["first", "second"]


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("title", None),
        ("title", " "),
        ("title", "x" * 201),
        ("title", 1),
        ("title", "a\0b"),
        ("description", None),
        ("description", "x" * 501),
        ("description", "a\0b"),
        ("slug", "search"),
        ("slug", "col_01k0000000000000000000000a"),
        ("slug", "0190163D8694739BAEA5966C26F8AD91"),
        ("slug", "A"),
        ("slug", ""),
        ("icon", None),
        ("icon", "x" * 17),
        ("visibility", "hidden"),
        ("parentId", "nothing"),
        ("parentId", "a\0b"),
        ("parentId", 1),
        ("sortOrder", 1),
        ("articleCount", 1),
    ],
)
async def test_a_bad_value_is_refused_by_name(client: Client, field: str, value: Any) -> None:
    assert named_fields(await client.post(LIST, json={"title": "Guides", field: value})) == [field]
    assert await all_pages(client, LIST) == []


async def test_a_title_is_required(client: Client) -> None:
    assert named_fields(await client.post(LIST, json={"icon": "x"})) == ["title"]


async def test_twenty_at_once_get_twenty_slugs_and_places(client: Client) -> None:
    collections = await at_once(20, lambda number: create_collection(client, "AB"[number % 2]))

    expected = {letter + number for letter in "ab" for number in ("", *(f"-{n}" for n in range(2, 11)))}
    assert {row["slug"] for row in collections} == expected
    assert sorted(row["sortOrder"] for row in collections) == list(range(20))


async def test_ten_parallel_requests_for_one_slug_create_one_collection(client: Client) -> None:
    async def ask(_: int) -> Response:
        return await client.post(LIST, json={"title": "T", "slug": "wanted"})

    answers = [(answer.status_code, answer.json().get("code")) for answer in await at_once(10, ask)]

    assert sorted(answers, key=str) == [(201, None)] + [(400, "slug_taken")] * 9


async def test_a_slug_is_free_in_another_bot(client: Client, globex: Client) -> None:
    await create_collection(client, slug="guides")

    assert (await create_collection(globex, slug="guides"))["slug"] == "guides"
    refusal = await client.post(LIST, json={"title": "T", "slug": "guides"})
    assert error(refusal) == (400, "slug_taken")

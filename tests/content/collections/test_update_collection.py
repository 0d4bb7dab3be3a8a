"""PATCH /v1/collections/{id}."""

from typing import Any

import pytest

from tests.support.cast import Client, Json
from tests.support.http import at_once, create_article, create_collection, error, named_fields, ok

GUIDES = "/v1/collections/guides"


async def test_only_the_fields_sent_change(client: Client) -> None:
    collection = await create_collection(client, description="All.", icon="📘")
    address = f"/v1/collections/{collection['id']}"
    steps: list[Json] = [
        {"title": "Tips"},
        {"description": None},
        {"icon": "🚀"},
        {"icon": None},
        {"sortOrder": 5},
        {"visibility": "authenticated", "url": None},
        {"slug": "tips"},
    ]
    for step in steps:
        body = {name: value for name, value in step.items() if name != "url"}
        changed = ok(await client.patch(address, json=body))
        assert changed == {**collection, **step, "updatedAt": changed["updatedAt"]}
        assert changed["updatedAt"] >= collection["updatedAt"]
        collection = changed

    assert ok(await client.get("/v1/collections/tips")) == collection


async def test_update_without_changes_leaves_no_trace(client: Client) -> None:
    collection = await create_collection(client, description="All.")
    same = ("title", "description", "slug", "icon", "visibility", "sortOrder")

    for body in ({}, {name: collection[name] for name in same}):
        assert ok(await client.patch(GUIDES, json=body)) == collection


async def test_an_empty_text_clears_description_and_icon(client: Client) -> None:
    await create_collection(client, description="All.", icon="📘")

    changed = ok(await client.patch(GUIDES, json={"description": "", "icon": ""}))

    assert (changed["description"], changed["icon"]) == (None, None)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("title", None),
        ("title", "\t"),
        ("title", "x" * 201),
        ("title", "a\0b"),
        ("description", 1),
        ("description", "x" * 501),
        ("slug", None),
        ("slug", "search"),
        ("slug", "two words"),
        ("icon", "x" * 17),
        ("icon", []),
        ("visibility", None),
        ("sortOrder", None),
        ("sortOrder", -1),
        ("sortOrder", 2_147_483_648),
        ("sortOrder", "1"),
        ("position", 1),
        ("id", "x"),
    ],
)
async def test_a_bad_value_is_refused_by_name(client: Client, field: str, value: Any) -> None:
    collection = await create_collection(client)

    refusal = await client.patch(GUIDES, json={"icon": "🚀", field: value})

    assert field in named_fields(refusal)
    assert ok(await client.get(GUIDES)) == collection


async def test_a_slug_in_use_is_taken(client: Client) -> None:
    await create_collection(client, "Guides")
    await create_collection(client, "Tips")

    assert error(await client.patch(GUIDES, json={"slug": "tips"})) == (400, "slug_taken")


async def test_a_stale_etag_is_refused(client: Client) -> None:
    await create_collection(client)
    stale = {"If-Match": (await client.get(GUIDES)).headers["ETag"]}
    present = (await client.patch(GUIDES, json={"icon": "🚀"}, headers=stale)).headers["ETag"]

    assert error(await client.patch(GUIDES, json={"icon": "x"}, headers=stale)) == (400, "conflict")
    assert ok(await client.patch(GUIDES, json={"icon": "x"}, headers={"If-Match": present}))


async def test_making_it_stricter_takes_its_articles_off_the_site(client: Client, visitor: Client) -> None:
    await create_collection(client)
    await create_article(client, collectionId="guides")
    url = ok(await client.post("/v1/articles/install/publish"))["url"]
    assert (await visitor.get(url)).status_code == 200

    await client.patch(GUIDES, json={"visibility": "authenticated"})

    assert (await visitor.get(url)).status_code == 404


async def test_writes_of_articles_during_the_update_succeed(client: Client) -> None:
    await create_collection(client)
    await create_article(client)

    async def ask(number: int) -> int:
        if number % 3 == 0:
            return (await client.patch(GUIDES, json={"sortOrder": number})).status_code
        if number % 3 == 1:
            await create_article(client, f"No {number}", collectionId="guides")
            return 200
        body = {"collectionId": "guides" if number % 2 else None, "position": number}
        return (await client.patch("/v1/articles/install", json=body)).status_code

    assert set(await at_once(30, ask)) == {200}

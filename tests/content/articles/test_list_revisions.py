"""GET /v1/articles/{id}/revisions."""

import re

import pytest

from tests.support.cast import Cast, Client
from tests.support.http import (
    ID,
    TIMESTAMP,
    all_pages,
    at_once,
    create_article,
    error,
    named_fields,
    ok,
    pages,
)

INSTALL = "/v1/articles/install"
REVISIONS = f"{INSTALL}/revisions"


async def test_a_revision_holds_the_replaced_text_and_what_had_written_it(
    client: Client, wide: Client, cast: Cast
) -> None:
    first, second = client, wide
    article = await create_article(first)
    bot = {"bot_id": str(cast.acme.bot_id)}
    ok(await second.patch(INSTALL, json={"contentMarkdown": "Two."}, params=bot))
    ok(await first.patch(INSTALL, json={"title": "Set up"}))

    newer, older = await all_pages(first, REVISIONS)

    assert re.fullmatch("rev" + ID, older.pop("id"))
    assert TIMESTAMP.fullmatch(older.pop("createdAt"))
    assert older == {
        "articleId": article["id"],
        "version": 1,
        "title": "Install",
        "origin": "create",
        "draftId": None,
        "author": {"type": "api_key", "name": "Acme writer"},
    }
    assert (newer["version"], newer["title"], newer["origin"]) == (2, "Install", "update")
    assert newer["author"] == {"type": "api_key", "name": "wide"}
    assert ok(await first.get(INSTALL))["version"] == 3


async def test_only_another_text_or_title_makes_one(client: Client) -> None:
    await create_article(client)

    await client.patch(INSTALL, json={"description": "D", "position": 3, "visibility": "authenticated"})
    await client.patch(INSTALL, json={"slug": "install"})
    await client.post(f"{INSTALL}/publish")
    await client.post(f"{INSTALL}/unpublish")

    assert await all_pages(client, REVISIONS) == []
    assert ok(await client.get(INSTALL))["version"] == 1


async def test_an_applied_edit_shows_where_its_text_came_from(client: Client) -> None:
    await create_article(client)
    draft = (await client.post(f"{INSTALL}/drafts", json={"contentMarkdown": "Applied."})).json()
    ok(await client.post(f"/v1/drafts/{draft['id']}/apply", json={}))
    await client.patch(INSTALL, json={"contentMarkdown": "Three."})

    newest = (await all_pages(client, REVISIONS))[0]

    assert (newest["origin"], newest["draftId"]) == ("apply", draft["id"])


async def test_the_newest_50_are_kept_whoever_writes_at_once(client: Client, reader: Client) -> None:
    await create_article(client)

    async def write(writer: int) -> None:
        for number in range(20):
            body = {"contentMarkdown": f"By {writer}, {number}"}
            ok(await client.patch(INSTALL, json=body))

    await at_once(4, write)

    revisions = await all_pages(reader, REVISIONS, page_size=100)
    assert [revision["version"] for revision in revisions] == list(range(80, 30, -1))
    assert ok(await reader.get(INSTALL))["version"] == 81
    times = [revision["createdAt"] for revision in revisions]
    assert times == sorted(times, reverse=True)


@pytest.mark.parametrize("size", [1, 2, 100])
async def test_pages_hold_every_row_once_in_order_while_more_are_made(client: Client, size: int) -> None:
    await create_article(client)
    for number in range(5):
        await client.patch(INSTALL, json={"title": f"No {number}"})

    versions: list[int] = []
    async for page in pages(client, REVISIONS, page_size=size):
        versions += [revision["version"] for revision in page]
        ok(await client.patch(INSTALL, json={"title": f"While at {versions[-1]}"}))

    assert versions == [5, 4, 3, 2, 1]


async def test_a_cursor_of_another_article_is_refused(client: Client) -> None:
    await create_article(client)
    await create_article(client, "Other")
    for title in ("A", "B"):
        await client.patch(INSTALL, json={"title": title})
    cursor = ok(await client.get(REVISIONS, params={"page_size": 1}))["next_cursor"]

    refusal = await client.get("/v1/articles/other/revisions", params={"start_cursor": cursor})

    assert error(refusal) == (400, "invalid_cursor")


async def test_a_bad_page_size_is_refused_by_name(reader: Client) -> None:
    for size in ("0", "101", "x"):
        refusal = await reader.get(REVISIONS, params={"page_size": size})
        assert named_fields(refusal) == ["page_size"]

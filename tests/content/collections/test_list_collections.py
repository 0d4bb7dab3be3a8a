"""GET /v1/collections."""

import pytest

from tests.support.cast import Cast, Client
from tests.support.http import all_pages, create_article, create_collection, error, named_fields, ok, pages

LIST = "/v1/collections"


async def test_collections_have_the_order_of_the_help_center(client: Client, globex: Client) -> None:
    collections = [await create_collection(client, title) for title in ("One", "Two", "Three")]
    last = ok(await client.patch(f"{LIST}/one", json={"sortOrder": 2}))
    await create_collection(globex, "Theirs")

    assert ok(await client.get(LIST)) == {
        "results": [collections[1], last, collections[2]],
        "has_more": False,
        "next_cursor": None,
    }


async def test_each_counts_its_own_articles(client: Client) -> None:
    for title in ("Guides", "Tips"):
        await create_collection(client, title)
    await create_article(client, collectionId="tips")

    counts = {row["slug"]: row["articleCount"] for row in await all_pages(client, LIST)}

    assert counts == {"guides": 0, "tips": 1}


@pytest.mark.parametrize("size", [1, 2, 100])
async def test_rows_that_stay_are_seen_once_in_order_while_others_change(client: Client, size: int) -> None:
    collections = [await create_collection(client, f"No {number}") for number in range(8)]
    for row in collections[:4]:
        ok(await client.patch(f"{LIST}/{row['id']}", json={"sortOrder": 1}))
    order = [row["id"] for row in await all_pages(client, LIST, page_size=100)]
    removed, moved = order[2], order[5]

    ids: list[str] = []
    number = 0
    async for page in pages(client, LIST, page_size=size):
        ids += [row["id"] for row in page]
        if number == 0:
            ok(await client.delete(f"{LIST}/{removed}"))
            ok(await client.patch(f"{LIST}/{moved}", json={"sortOrder": 0}))
            await create_collection(client, "New")
        number += 1

    stayed = [ref for ref in order if ref not in (removed, moved)]
    assert [ref for ref in ids if ref in stayed] == stayed


async def test_a_cursor_belongs_to_its_list_and_bot(wide: Client, cast: Cast) -> None:
    bot, second = {"bot_id": str(cast.acme.bot_id)}, {"bot_id": str(cast.second_bot_id)}
    for title in ("One", "Two"):
        await wide.post(LIST, json={"title": title}, params=bot)
    cursor = ok(await wide.get(LIST, params={**bot, "page_size": 1}))["next_cursor"]

    for path, params in ((LIST, second), ("/v1/articles", bot)):
        refusal = await wide.get(path, params={**params, "start_cursor": cursor})
        assert error(refusal) == (400, "invalid_cursor")
    altered = cursor[:-1] + ("A" if cursor[-1] != "A" else "B")
    assert error(await wide.get(LIST, params={**bot, "start_cursor": altered}))[1] == "invalid_cursor"


async def test_a_bad_page_size_is_refused_by_name(reader: Client) -> None:
    for size in ("0", "101", "x"):
        refusal = await reader.get(LIST, params={"page_size": size})
        assert named_fields(refusal) == ["page_size"]

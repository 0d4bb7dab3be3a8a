"""Collections swap positions with their neighbors."""

import asyncio

from instep.content.collections.actions import move_collection
from instep.platform.core.database import Database
from tests.support.articles import acting
from tests.support.cast import Cast, Client
from tests.support.http import all_pages, create_collection, ok


async def test_moves_at_once_lose_no_collection(client: Client, cast: Cast, database: Database) -> None:
    for title in "ABCDE":
        await create_collection(client, title)

    async def move(slug: str) -> None:
        async with acting(database, cast.acme) as ctx:
            await move_collection(ctx, slug, "up")

    await asyncio.gather(*(move(slug) for slug in "abcde"))

    rows = await all_pages(client, "/v1/collections")
    assert sorted(row["title"] for row in rows) == list("ABCDE")
    assert [row["sortOrder"] for row in rows] == list(range(5))


async def test_collections_with_the_same_place_move_too(
    client: Client, cast: Cast, database: Database
) -> None:
    for title in "ABC":
        await create_collection(client, title)
        ok(await client.patch(f"/v1/collections/{title.lower()}", json={"sortOrder": 3}))

    async with acting(database, cast.acme) as ctx:
        await move_collection(ctx, "c", "up")

    assert [row["title"] for row in await all_pages(client, "/v1/collections")] == ["A", "C", "B"]

"""Articles change places in their collection, one step at a time."""

import asyncio

from instep.articles.actions import move_article
from instep.articles.schemas import Step
from instep.core.database import Database
from tests.support.articles import acting
from tests.support.cast import Cast, Client, Json
from tests.support.http import all_pages, create_article, create_collection


async def write(client: Client, *titles: str, **fields: object) -> Json:
    guides = await create_collection(client)
    for title in titles:
        await create_article(client, title, collectionId=guides["id"], **fields)
    return guides


async def order(client: Client, guides: Json) -> list[str]:
    rows = await all_pages(client, "/v1/articles", collection_id=guides["id"])
    return [row["title"] for row in sorted(rows, key=lambda row: (row["position"], row["id"]))]


async def move(database: Database, cast: Cast, slug: str, step: Step) -> None:
    async with acting(database, cast.acme) as ctx:
        await move_article(ctx, slug, step)


async def test_an_article_changes_places_with_the_one_beside_it(
    client: Client, cast: Cast, database: Database
) -> None:
    guides = await write(client, "A", "B", "C")
    await create_article(client, "Outside")

    await move(database, cast, "c", "up")
    assert await order(client, guides) == ["A", "C", "B"]
    await move(database, cast, "a", "down")
    assert await order(client, guides) == ["C", "A", "B"]
    await move(database, cast, "c", "up")
    await move(database, cast, "b", "down")
    assert await order(client, guides) == ["C", "A", "B"]


async def test_articles_with_the_same_position_move_too(
    client: Client, cast: Cast, database: Database
) -> None:
    guides = await write(client, "A", "B", "C", position=7)

    await move(database, cast, "c", "up")

    assert await order(client, guides) == ["A", "C", "B"]


async def test_translations_are_no_neighbours(client: Client, cast: Cast, database: Database) -> None:
    guides = await write(client, "A")
    [root] = await all_pages(client, "/v1/articles")
    await create_article(client, "Ah", collectionId=guides["id"], translationOf=root["id"], locale="de")
    await create_article(client, "B", collectionId=guides["id"])

    await move(database, cast, "b", "up")

    assert (await order(client, guides)).index("B") < (await order(client, guides)).index("A")


async def test_moves_at_once_lose_no_article(client: Client, cast: Cast, database: Database) -> None:
    guides = await write(client, *"ABCDE")
    steps: list[Step] = ["up", "down"]

    await asyncio.gather(*(move(database, cast, slug, step) for slug in "abcde" for step in steps))

    assert sorted(await order(client, guides)) == list("ABCDE")
    positions = [row["position"] for row in await all_pages(client, "/v1/articles")]
    assert len(set(positions)) == 5

"""Articles move in their collection, one position at a time."""

import asyncio

import pytest

from instep.content.articles.actions import move_article
from instep.content.articles.schemas import Step
from instep.platform.core.database import Database, Tx
from tests.support.articles import acting, delete, restore
from tests.support.cast import Cast, Client, Json
from tests.support.events import before, heard, told
from tests.support.http import all_pages, create_article, create_collection, ok
from tests.support.webhook_endpoints import create_webhook


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


async def write_in_two_languages(client: Client, titles: str, **fields: object) -> Json:
    """Create articles, each with a German translation whose slug ends in the language."""
    guides = await create_collection(client)
    for title in titles:
        original = await create_article(client, title, collectionId=guides["id"], **fields)
        german = {"translationOf": original["id"], "locale": "de", "slug": f"{title.lower()}-de", **fields}
        await create_article(client, title, collectionId=guides["id"], **german)
    return guides


async def orders(client: Client, guides: Json) -> dict[str, list[str]]:
    rows = await all_pages(client, "/v1/articles", collection_id=guides["id"])
    rows.sort(key=lambda row: (row["position"], row["id"]))
    return {locale: [row["title"] for row in rows if row["locale"] == locale] for locale in ("en", "de")}


@pytest.mark.parametrize("ref", ["c", "c-de"])
@pytest.mark.parametrize("fields", [{}, {"position": 7}])
async def test_an_article_moves_in_all_of_its_languages(
    client: Client, cast: Cast, database: Database, ref: str, fields: dict[str, int]
) -> None:
    guides = await write_in_two_languages(client, "ABC", **fields)

    await move(database, cast, ref, "up")
    assert await orders(client, guides) == {"en": ["A", "C", "B"], "de": ["A", "C", "B"]}
    await move(database, cast, "a", "down")
    assert await orders(client, guides) == {"en": ["C", "A", "B"], "de": ["C", "A", "B"]}


async def test_a_translation_that_is_restored_stands_where_its_article_is(
    client: Client, cast: Cast, database: Database
) -> None:
    guides = await write_in_two_languages(client, "AB")
    await delete(client, "b-de")
    await move(database, cast, "b", "up")
    await restore(client, "b-de")

    assert await orders(client, guides) == {"en": ["B", "A"], "de": ["B", "A"]}


async def test_each_live_text_of_both_articles_is_an_event(
    client: Client, cast: Cast, database: Database, owner: Tx
) -> None:
    await write_in_two_languages(client, "ABC")
    live = ("a", "b", "b-de", "c")
    for slug in live:
        ok(await client.post(f"/v1/articles/{slug}/publish"))
    old = {slug: ok(await client.get(f"/v1/articles/{slug}")) for slug in live}
    await create_webhook(client)

    await move(database, cast, "b", "up")

    events = {body["data"]["object"]["slug"]: told(body) for body in await heard(owner, cast.acme)}
    assert events.keys() == {"a", "b", "b-de"}
    for slug, event in events.items():
        new = ok(await client.get(f"/v1/articles/{slug}"))
        assert event == ("article.updated", new, before(old[slug], new))
        assert "position" in event[2]


async def test_moves_at_once_lose_no_article(client: Client, cast: Cast, database: Database) -> None:
    guides = await write(client, *"ABCDE")
    steps: list[Step] = ["up", "down"]

    await asyncio.gather(*(move(database, cast, slug, step) for slug in "abcde" for step in steps))

    assert sorted(await order(client, guides)) == list("ABCDE")
    positions = [row["position"] for row in await all_pages(client, "/v1/articles")]
    assert len(set(positions)) == 5

"""DELETE /v1/collections/{id}."""

import pytest

from tests.support.cast import Client
from tests.support.http import all_pages, at_once, create_article, create_collection, error, ok


@pytest.mark.parametrize("by", ["id", "slug"])
async def test_deleted_collection_gets_404_and_frees_its_slug(client: Client, by: str) -> None:
    collection = await create_collection(client)
    address = f"/v1/collections/{collection[by]}"

    assert ok(await client.delete(address)) == {"id": collection["id"], "deleted": True}

    assert error(await client.get(address)) == (404, "not_found")
    assert error(await client.delete(address)) == (404, "not_found")
    assert await all_pages(client, "/v1/collections") == []
    assert (await create_collection(client))["slug"] == "guides"


async def test_articles_of_a_deleted_collection_stay_without_one(client: Client, visitor: Client) -> None:
    await create_collection(client)
    await create_article(client, collectionId="guides")
    live = ok(await client.post("/v1/articles/install/publish"))

    await client.delete("/v1/collections/guides")

    remaining = ok(await client.get("/v1/articles/install"))
    assert remaining == {**live, "collectionId": None, "updatedAt": remaining["updatedAt"]}
    assert (await visitor.get(live["url"])).status_code == 200


async def test_a_client_that_syncs_learns_of_it(client: Client) -> None:
    await create_collection(client)
    await create_article(client, "Inside", collectionId="guides")
    since = (await create_article(client, "Outside"))["updatedAt"]

    await client.delete("/v1/collections/guides")

    changed = await all_pages(client, "/v1/articles", updated_since=since)
    assert changed[0]["title"] == "Inside"


async def test_writes_of_articles_during_the_deletion_succeed_or_get_400(client: Client) -> None:
    for title in ("One", "Two"):
        await create_collection(client, title)
    for number in range(8):
        await create_article(client, f"No {number}", collectionId="one")

    async def ask(number: int) -> int:
        if number == 4:
            return (await client.delete("/v1/collections/one")).status_code
        if number % 2:
            body = {"title": "New", "contentMarkdown": "", "collectionId": "one"}
            return (await client.post("/v1/articles", json=body)).status_code
        changes = {"title": "Other", "collectionId": "one" if number % 3 else "two"}
        return (await client.patch(f"/v1/articles/no-{number % 8}", json=changes)).status_code

    # 400 means that the collection was deleted before the article was written.
    assert set(await at_once(24, ask)) <= {200, 201, 400}
    assert "one" not in {row["collectionId"] for row in await all_pages(client, "/v1/articles")}

"""GET /v1/collections/{id}."""

from tests.support.cast import Client
from tests.support.http import create_article, create_collection, error, ok


async def test_collection_is_found_by_id_and_by_slug(client: Client) -> None:
    collection = await create_collection(client, "Erste Schritte")

    for ref in (collection["id"], "erste-schritte"):
        assert ok(await client.get(f"/v1/collections/{ref}")) == collection


async def test_collection_counts_its_articles(client: Client) -> None:
    await create_collection(client)
    for title in ("One", "Two"):
        await create_article(client, title, collectionId="guides")

    assert ok(await client.get("/v1/collections/guides"))["articleCount"] == 2
    await client.patch("/v1/articles/one", json={"collectionId": None})
    assert ok(await client.get("/v1/collections/guides"))["articleCount"] == 1


async def test_matching_etag_gets_304(client: Client) -> None:
    await create_collection(client)
    etag = (await client.get("/v1/collections/guides")).headers["ETag"]
    headers = {"If-None-Match": etag}

    again = await client.get("/v1/collections/guides", headers=headers)
    await create_article(client, collectionId="guides")
    changed = await client.get("/v1/collections/guides", headers=headers)

    assert (again.status_code, again.content, again.headers["ETag"]) == (304, b"", etag)
    assert ok(changed)["articleCount"] == 1
    assert changed.headers["ETag"] != etag


async def test_a_public_collection_is_on_the_site_at_its_address(client: Client, visitor: Client) -> None:
    collection = await create_collection(client)
    await create_article(client, collectionId="guides")
    await client.post("/v1/articles/install/publish")

    page = await visitor.get(collection["url"])

    assert page.status_code == 200
    assert "Install" in page.text


async def test_a_collection_of_somebody_else_is_as_unknown_as_none(reader: Client, globex: Client) -> None:
    theirs = await create_collection(globex)

    answers = [await reader.get(f"/v1/collections/{ref}") for ref in (theirs["id"], "guides", "nothing")]

    assert {error(answer) for answer in answers} == {(404, "not_found")}
    assert len({answer.content for answer in answers}) == 1

"""POST /v1/articles/{id}/publish."""

import pytest

from tests.support.cast import Cast, Client
from tests.support.http import TIMESTAMP, at_once, create_article, create_collection, error, ok


async def test_a_published_article_is_live_at_its_address(
    client: Client, visitor: Client, cast: Cast
) -> None:
    draft = await create_article(client)

    published = await client.post("/v1/articles/install/publish")

    live = ok(published)
    assert live["url"] == f"http://help.test/help/{cast.acme.slug}/articles/install"
    assert TIMESTAMP.fullmatch(live["publishedAt"])
    changed = {name: live[name] for name in ("status", "url", "publishedAt", "updatedAt")}
    assert live == {**draft, **changed, "status": "published"}
    page = await visitor.get(live["url"])
    assert page.status_code == 200
    assert "Run it." in page.text


async def test_publishing_again_changes_nothing(client: Client) -> None:
    await create_article(client)
    first = await client.post("/v1/articles/install/publish")

    again = await client.post("/v1/articles/install/publish")

    assert ok(again) == ok(first)
    assert again.headers["ETag"] == first.headers["ETag"]


async def test_publishing_makes_no_revision(client: Client) -> None:
    await create_article(client)
    await client.post("/v1/articles/install/publish")

    assert ok(await client.get("/v1/articles/install/revisions"))["results"] == []


async def test_ten_at_once_publish_it_once(client: Client) -> None:
    await create_article(client)

    answers = await at_once(10, lambda _: client.post("/v1/articles/install/publish"))

    assert len({answer.content for answer in answers}) == 1
    assert ok(answers[0])["status"] == "published"


@pytest.mark.parametrize(
    ("article", "collection"),
    [("authenticated", "public"), ("public", "authenticated"), ("authenticated", "authenticated")],
)
async def test_the_stricter_visibility_keeps_it_off_the_site(
    client: Client, visitor: Client, cast: Cast, article: str, collection: str
) -> None:
    guides = await create_collection(client, visibility=collection)
    await create_article(client, collectionId=guides["id"], visibility=article)

    live = ok(await client.post("/v1/articles/install/publish"))

    assert (live["status"], live["visibility"]) == ("published", article)
    address = f"/help/{cast.acme.slug}/articles/install"
    assert (await visitor.get(address)).status_code == 404
    assert "Install" not in (await visitor.get(f"/help/{cast.acme.slug}/")).text


async def test_a_stale_etag_is_refused(client: Client) -> None:
    await create_article(client)
    stale = (await client.get("/v1/articles/install")).headers["ETag"]
    etag = (await client.patch("/v1/articles/install", json={"title": "New"})).headers["ETag"]

    refusal = await client.post("/v1/articles/install/publish", headers={"If-Match": stale})

    assert error(refusal) == (400, "conflict")
    assert ok(await client.post("/v1/articles/install/publish", headers={"If-Match": etag}))


async def test_a_former_slug_publishes_too(client: Client) -> None:
    await create_article(client)
    await client.patch("/v1/articles/install", json={"slug": "set-up"})

    assert ok(await client.post("/v1/articles/install/publish"))["slug"] == "set-up"

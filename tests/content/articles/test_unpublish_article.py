"""POST /v1/articles/{id}/unpublish."""

from tests.support.cast import Client
from tests.support.http import create_article, error, ok


async def test_an_unpublished_article_is_a_draft_again_and_off_the_site(
    client: Client, visitor: Client
) -> None:
    await create_article(client)
    live = ok(await client.post("/v1/articles/install/publish"))

    draft = ok(await client.post(f"/v1/articles/{live['id']}/unpublish"))

    assert (await visitor.get(live["url"])).status_code == 404
    assert draft == {**live, "status": "draft", "url": None, "updatedAt": draft["updatedAt"]}
    assert draft["updatedAt"] >= live["updatedAt"]
    assert ok(await client.get("/v1/articles/install")) == draft


async def test_a_draft_cant_be_unpublished(client: Client) -> None:
    await create_article(client)

    assert error(await client.post("/v1/articles/install/unpublish")) == (400, "invalid_state")


async def test_publishing_once_more_keeps_the_first_date(client: Client) -> None:
    await create_article(client)
    first = ok(await client.post("/v1/articles/install/publish"))
    await client.post("/v1/articles/install/unpublish")

    again = ok(await client.post("/v1/articles/install/publish"))

    assert (again["publishedAt"], again["url"]) == (first["publishedAt"], first["url"])

"""POST /v1/articles/{id}/publish."""

from tests.cast import Api, Cast


async def test_a_published_article_is_live_at_its_address(api: Api, cast: Cast) -> None:
    client = api(cast.acme.write_key)
    await client.post("/v1/articles", json={"title": "Install", "contentMarkdown": "Run it."})

    published = await client.post("/v1/articles/install/publish")

    assert (published.status_code, published.json()["status"]) == (200, "published")
    page = await api(None).get(published.json()["url"])
    assert page.status_code == 200
    assert "Run it." in page.text


async def test_publishing_again_changes_nothing(api: Api, cast: Cast) -> None:
    client = api(cast.acme.write_key)
    await client.post("/v1/articles", json={"title": "Install", "contentMarkdown": "Run it."})
    first = (await client.post("/v1/articles/install/publish")).json()

    assert (await client.post("/v1/articles/install/publish")).json() == first


async def test_a_read_key_may_not_publish(api: Api, cast: Cast) -> None:
    await api(cast.acme.write_key).post("/v1/articles", json={"title": "Install", "contentMarkdown": ""})

    refused = await api(cast.acme.read_key).post("/v1/articles/install/publish")

    assert (refused.status_code, refused.json()["code"]) == (403, "insufficient_scope")

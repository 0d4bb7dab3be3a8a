"""The product versions that articles apply to: bounds, families, translations and lists."""

import asyncio

import pytest

from instep.platform.core.database import Tx
from tests.support.cast import Cast, Client, Json, RunJobs
from tests.support.events import forget, kinds
from tests.support.http import create_article, created, error, ok
from tests.support.mcp import use
from tests.support.site_pages import publish
from tests.support.webhook_endpoints import create_webhook

VERSIONS = "/v1/product-versions"


@pytest.fixture(autouse=True)
async def three_versions(client: Client) -> None:
    for slug in ("1.x", "2.x", "3.x"):
        created(await client.post(VERSIONS, json={"slug": slug}))


async def change(client: Client, article: Json, **fields: object) -> Json:
    return ok(await client.patch(f"/v1/articles/{article['id']}", json=fields))


async def slugs(client: Client, version: str) -> set[str]:
    rows = ok(await client.get("/v1/articles", params={"version": version}))["results"]
    return {row["slug"] for row in rows}


def bounds(article: Json) -> tuple[str | None, str | None]:
    return article["sinceVersion"], article["untilVersion"]


async def test_an_agent_sets_the_versions_of_an_article_and_searches_in_one(client: Client) -> None:
    old = await use(
        client, "create_article", {"title": "Fax", "contentMarkdown": "Send it.", "untilVersion": "1.x"}
    )
    await use(client, "publish_article", {"id": old["id"]})
    moved = await use(
        client, "update_article", {"id": old["id"], "sinceVersion": "1.x", "untilVersion": "2.x"}
    )

    assert bounds(old) == (None, "1.x")
    assert bounds(moved) == ("1.x", "2.x")
    for version, count in (("2.x", 1), ("3.x", 0)):
        hits = await use(client, "search_articles", {"query": "fax", "version": version})
        assert len(hits["results"]) == count


async def test_an_article_is_in_the_versions_between_its_bounds(client: Client) -> None:
    await create_article(client, "All")
    await create_article(client, "From two", sinceVersion="2.x")
    until = await create_article(client, "Until two", untilVersion="2.x")
    await create_article(client, "Two", sinceVersion="2.x", untilVersion="2.x")

    assert await slugs(client, "1.x") == {"all", "until-two"}
    assert await slugs(client, "2.x") == {"all", "from-two", "until-two", "two"}
    assert await slugs(client, "3.x") == {"all", "from-two"}
    assert bounds(until) == (None, "2.x")

    assert bounds(await change(client, until, sinceVersion="1.x", untilVersion=None)) == ("1.x", None)
    assert "until-two" in await slugs(client, "3.x")


async def test_unknown_versions_are_refused_with_the_list_of_versions(client: Client) -> None:
    refusal = await client.get("/v1/articles", params={"version": "9"})
    assert error(refusal) == (400, "invalid_request")
    assert "1.x, 2.x, 3.x" in refusal.json()["error"]
    body = {"title": "T", "contentMarkdown": "", "sinceVersion": "9"}
    assert "1.x, 2.x, 3.x" in (await client.post("/v1/articles", json=body)).json()["error"]
    body = {"title": "T", "contentMarkdown": "", "versionOf": "nothing"}
    assert error(await client.post("/v1/articles", json=body)) == (400, "invalid_request")


async def test_an_article_does_not_end_before_it_begins(client: Client) -> None:
    article = await create_article(client, "Two", sinceVersion="2.x", untilVersion="3.x")

    path = f"/v1/articles/{article['id']}"
    assert error(await client.patch(path, json={"untilVersion": "1.x"})) == (400, "invalid_state")
    body = {"title": "T", "contentMarkdown": "", "sinceVersion": "3.x", "untilVersion": "1.x"}
    assert error(await client.post("/v1/articles", json=body)) == (400, "invalid_state")
    refusal = await client.patch(f"{VERSIONS}/3.x", json={"position": 0})
    assert error(refusal) == (400, "invalid_state")
    assert "“Two”" in refusal.json()["error"]
    ok(await client.delete(path))
    assert error(await client.patch(f"{VERSIONS}/3.x", json={"position": 0})) == (400, "invalid_state")
    ok(await client.post(f"{path}/restore"))
    assert bounds(ok(await client.get(path))) == ("2.x", "3.x")


async def test_a_version_has_one_article_of_a_family(client: Client) -> None:
    new = await create_article(client, "Install", sinceVersion="2.x")
    old = await create_article(client, "Install 1", untilVersion="1.x", versionOf="install")
    assert (old["versionOf"], new["versionOf"]) == (new["id"], None)

    path = f"/v1/articles/{old['id']}"
    assert error(await client.patch(path, json={"untilVersion": None})) == (400, "invalid_state")
    body = {"title": "Again", "contentMarkdown": "", "versionOf": old["id"]}
    assert error(await client.post("/v1/articles", json=body)) == (400, "invalid_state")
    # In this order, both articles would apply to 1.x.
    assert error(await client.patch(f"{VERSIONS}/1.x", json={"position": 2})) == (400, "invalid_state")

    ok(await client.delete(path))
    await change(client, new, sinceVersion=None)
    assert error(await client.post(f"{path}/restore")) == (400, "invalid_state")
    await change(client, new, sinceVersion="2.x")
    assert ok(await client.post(f"{path}/restore"))["versionOf"] == new["id"]
    alone = await change(client, old, versionOf=None, untilVersion=None)
    assert (alone["versionOf"], alone["untilVersion"]) == (None, None)


async def test_a_family_follows_the_article_with_which_it_began(client: Client) -> None:
    one = await create_article(client, "Install 1", untilVersion="1.x")
    two = await create_article(
        client, "Install 2", sinceVersion="2.x", untilVersion="2.x", versionOf=one["id"]
    )
    three = await create_article(client, "Install 3", sinceVersion="3.x")

    await change(client, one, versionOf=three["id"])

    for article in (one, two):
        assert ok(await client.get(f"/v1/articles/{article['id']}"))["versionOf"] == three["id"]
    other = await create_article(client, "Setup", sinceVersion="2.x", untilVersion="2.x")
    refusal = await client.patch(f"/v1/articles/{three['id']}", json={"versionOf": other["id"]})
    assert error(refusal) == (400, "invalid_state")
    assert ok(await client.get(f"/v1/articles/{two['id']}"))["versionOf"] == three["id"]


async def test_two_requests_at_once_do_not_put_two_articles_into_one_version(client: Client) -> None:
    new = await create_article(client, "Install", sinceVersion="3.x")
    old = await create_article(client, "Install 1", untilVersion="1.x", versionOf=new["id"])

    replies = await asyncio.gather(
        client.patch(f"/v1/articles/{new['id']}", json={"sinceVersion": "2.x"}),
        client.patch(f"/v1/articles/{old['id']}", json={"untilVersion": "2.x"}),
    )

    assert sorted(reply.status_code for reply in replies) == [200, 400]


async def test_a_translation_has_the_versions_of_its_original(
    client: Client, cast: Cast, owner: Tx, run_jobs: RunJobs
) -> None:
    await create_webhook(client)
    article = await publish(client, "Install")
    ok(await client.patch(f"/v1/articles/{article['id']}", json={"untilVersion": "2.x"}))
    german = await publish(client, "Installieren", locale="de", translationOf=article["id"])
    assert bounds(german) == (None, "2.x")

    path = f"/v1/articles/{german['id']}"
    assert error(await client.patch(path, json={"untilVersion": "1.x"})) == (400, "invalid_request")
    ok(await client.patch(path, json={"untilVersion": "2.x", "title": "Einrichten"}))
    body = {"title": "X", "contentMarkdown": "", "locale": "fr", "translationOf": article["id"]}
    refusal = await client.post("/v1/articles", json={**body, "sinceVersion": "1.x"})
    assert error(refusal) == (400, "invalid_request")

    await forget(owner, cast.acme)
    await change(client, article, sinceVersion="2.x")
    assert bounds(ok(await client.get(path))) == ("2.x", "2.x")
    assert await kinds(owner, cast.acme) == ["article.updated", "article.updated"]

    ok(await client.delete(path))
    await change(client, article, sinceVersion=None)
    assert bounds(ok(await client.post(f"{path}/restore"))) == (None, "2.x")


async def test_renaming_a_version_changes_the_tag_of_its_articles_and_no_one_is_stale(
    client: Client,
) -> None:
    article = await create_article(client, "Install", sinceVersion="2.x")
    path = f"/v1/articles/{article['id']}"
    tag = (await client.get(path)).headers["etag"]
    ok(await client.patch(f"{VERSIONS}/2.x", json={"slug": "2.0"}))

    seen = await client.get(path, headers={"If-None-Match": tag})
    assert ok(seen)["sinceVersion"] == "2.0"
    ok(await client.patch(path, json={"title": "Set up"}, headers={"If-Match": tag}))


async def test_without_versions_there_are_no_families(client: Client) -> None:
    article = await create_article(client, "Install")
    for slug in ("3.x", "2.x", "1.x"):
        ok(await client.delete(f"/v1/product-versions/{slug}"))

    refusal = await client.post(
        "/v1/articles", json={"title": "Again", "contentMarkdown": "", "versionOf": article["id"]}
    )

    assert error(refusal) == (400, "invalid_request")

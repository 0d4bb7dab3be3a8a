"""Product versions over REST: their order, the current one, their branches, and refusals."""

from typing import Any

import pytest

from instep.content.product_versions.actions import list_all_versions
from instep.content.product_versions.schemas import version_of_branch
from instep.platform.core import limits
from instep.platform.core.database import Database
from tests.support.articles import acting
from tests.support.cast import Api, Cast, Client, Json
from tests.support.http import body_of, create_article, created, error, ok

PATH = "/v1/product-versions"


async def add(client: Client, slug: str, **fields: Any) -> Json:
    return created(await client.post(PATH, json={"slug": slug, **fields}))


async def standings(client: Client) -> list[tuple[str, int, str]]:
    rows = ok(await client.get(PATH))["results"]
    return [(row["slug"], row["position"], row["status"]) for row in rows]


async def test_versions_have_an_order_and_the_first_one_is_current(client: Client) -> None:
    first = await add(client, "1.x", name="One")
    await add(client, "3.0")
    await add(client, "2.x", position=1, isCurrent=True)

    assert (first["isCurrent"], first["name"], first["branches"]) == (True, "One", [])
    assert await standings(client) == [("1.x", 0, "older"), ("2.x", 1, "current"), ("3.0", 2, "next")]

    ok(await client.patch(f"{PATH}/3.0", json={"isCurrent": True, "name": "Three"}))
    assert await standings(client) == [("1.x", 0, "older"), ("2.x", 1, "older"), ("3.0", 2, "current")]
    moved = ok(await client.patch(f"{PATH}/{first['id']}", json={"position": 9}))
    assert (moved["position"], moved["status"]) == (2, "next")
    assert await standings(client) == [("2.x", 0, "older"), ("3.0", 1, "current"), ("1.x", 2, "next")]


async def test_a_version_is_not_made_former_and_the_refusal_speaks_json(client: Client) -> None:
    await add(client, "1.x")

    refused = await client.patch(f"{PATH}/1.x", json={"isCurrent": False})
    assert body_of(refused)["error"] == "`isCurrent`: it must be true."


async def test_deleting_closes_the_gap_and_the_current_version_is_deleted_last(client: Client) -> None:
    for slug in ("1.x", "2.x", "3.x"):
        await add(client, slug)

    assert error(await client.delete(f"{PATH}/1.x")) == (400, "invalid_state")
    ok(await client.delete(f"{PATH}/2.x"))
    assert await standings(client) == [("1.x", 0, "current"), ("3.x", 1, "next")]
    ok(await client.delete(f"{PATH}/3.x"))
    ok(await client.delete(f"{PATH}/1.x"))
    assert await standings(client) == []
    assert error(await client.get(f"{PATH}/1.x")) == (404, "not_found")


@pytest.mark.parametrize("slug", ["", "1 x", "1.X", ".", "1..2", "-1", "a/b", "x" * 51])
async def test_a_slug_is_part_of_an_address(client: Client, slug: str) -> None:
    assert error(await client.post(PATH, json={"slug": slug})) == (400, "invalid_request")


async def test_a_slug_and_a_branch_pattern_belong_to_one_version(client: Client) -> None:
    await add(client, "1.x", branches=["release/1.*"])
    second = await add(client, "2.x")

    assert error(await client.post(PATH, json={"slug": "1.x"})) == (400, "slug_taken")
    assert error(await client.patch(f"{PATH}/2.x", json={"slug": "1.x"})) == (400, "slug_taken")
    refusal = await client.patch(f"{PATH}/{second['id']}", json={"branches": ["main", "release/1.*"]})
    assert error(refusal) == (400, "invalid_request")
    assert "1.x" in refusal.json()["error"]
    assert ok(await client.patch(f"{PATH}/2.x", json={"slug": "2.0"}))["slug"] == "2.0"


async def test_a_bot_has_a_limited_number_of_versions(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "MAX_PRODUCT_VERSIONS", 1)
    await add(client, "1.x")

    assert error(await client.post(PATH, json={"slug": "2.x"})) == (400, "invalid_state")


async def test_the_most_exact_pattern_decides_about_a_branch(
    client: Client, cast: Cast, database: Database
) -> None:
    await add(client, "1.x", branches=["release/1.*"])
    await add(client, "1.9", branches=["release/1.9"])
    await add(client, "2.x", branches=["main", "release/*"])
    async with acting(database, cast.acme) as ctx:
        versions = await list_all_versions(ctx)

    found = {
        branch: getattr(version_of_branch(versions, branch), "slug", None)
        for branch in ("release/1.4", "release/1.9", "release/2.0", "main", "feature/main", "release")
    }

    assert found == {
        "release/1.4": "1.x",
        "release/1.9": "1.9",
        "release/2.0": "2.x",
        "main": "2.x",
        "feature/main": None,
        "release": None,
    }


async def test_versions_of_another_workspace_do_not_exist(client: Client, api: Api, cast: Cast) -> None:
    version = await add(client, "1.x")
    other = api(cast.globex.write_key)

    assert ok(await other.get(PATH))["results"] == []
    assert error(await other.patch(f"{PATH}/{version['id']}", json={"name": "X"})) == (404, "not_found")
    assert error(await other.delete(f"{PATH}/1.x")) == (404, "not_found")
    body = {"title": "T", "contentMarkdown": "Words.", "sinceVersion": version["id"]}
    assert error(await other.post("/v1/articles", json=body)) == (400, "invalid_request")


async def test_a_version_with_which_articles_begin_or_end_stays_and_names_them(client: Client) -> None:
    for slug in ("1.x", "2.x"):
        await add(client, slug)
    article = await create_article(client, "Billing", sinceVersion="2.x")

    refusal = await client.delete(f"{PATH}/2.x")
    assert error(refusal) == (400, "invalid_state")
    assert "“Billing” begins or ends" in refusal.json()["error"]

    ok(await client.delete(f"/v1/articles/{article['id']}"))
    ok(await client.delete(f"{PATH}/2.x"))
    restored = ok(await client.post(f"/v1/articles/{article['id']}/restore"))
    assert (restored["sinceVersion"], restored["status"]) == (None, "draft")

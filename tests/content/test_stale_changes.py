"""`If-Match` on every change of a resource that has an ETag."""

import pytest

from tests.support.cast import Client, Json
from tests.support.http import create_article, created, error, ok

# A deleted article has no readable ETag, and a proposal is reviewed anyway.
WITHOUT = {"/articles/{id}/restore", "/articles/{id}/drafts"}


async def test_every_change_of_a_resource_with_an_etag_accepts_if_match(visitor: Client) -> None:
    paths: Json = ok(await visitor.get("/v1/openapi.json"))["paths"]
    resources = [path for path, item in paths.items() if "If-None-Match" in headers(item, "get")]
    changes = [
        (path, method)
        for path, item in paths.items()
        for method in item.keys() & {"patch", "post", "delete"}
        if any(path == resource or path.startswith(f"{resource}/") for resource in resources)
        and path not in WITHOUT
    ]

    assert len(changes) > len(resources) > 3
    assert [change for change in changes if "If-Match" not in headers(paths[change[0]], change[1])] == []


def headers(item: Json, method: str) -> set[str]:
    return {parameter.get("name") for parameter in item.get(method, {}).get("parameters", [])}


@pytest.mark.parametrize(
    ("method", "verb", "body"),
    [
        ("POST", "/verify", {}),
        ("POST", "/split", {"version": "2.x"}),
        ("POST", "/unpublish", None),
        ("DELETE", "", None),
    ],
)
async def test_a_stale_change_of_an_article_is_refused(
    client: Client, method: str, verb: str, body: Json | None
) -> None:
    for slug in ("1.x", "2.x"):
        created(await client.post("/v1/product-versions", json={"slug": slug}))
    await create_article(client)
    await client.post("/v1/articles/install/publish")

    await refuses_stale(client, "/v1/articles/install", {"title": "New"}, method, verb, body)


@pytest.mark.parametrize(
    ("resources", "fields", "method", "verb"),
    [
        ("collections", {"title": "Guides"}, "DELETE", ""),
        ("parts", {"kind": "part", "name": "note", "text": "Pay."}, "DELETE", ""),
        ("changelog/entries", {"title": "Fast", "contentMarkdown": "Now."}, "POST", "/unpublish"),
    ],
)
async def test_a_stale_change_of_another_resource_is_refused(
    client: Client, resources: str, fields: Json, method: str, verb: str
) -> None:
    path = f"/v1/{resources}/{created(await client.post(f'/v1/{resources}', json=fields))['id']}"
    if verb:
        ok(await client.post(f"{path}/publish"))

    await refuses_stale(client, path, {"text" if resources == "parts" else "title": "New"}, method, verb)


async def refuses_stale(
    client: Client, path: str, change: Json, method: str, verb: str, body: Json | None = None
) -> None:
    stale = (await client.get(path)).headers["ETag"]
    etag = (await client.patch(path, json=change)).headers["ETag"]

    refusal = await client.request(method, path + verb, json=body, headers={"If-Match": stale})
    accepted = await client.request(method, path + verb, json=body, headers={"If-Match": etag})

    assert error(refusal) == (400, "conflict")
    assert accepted.is_success, accepted.text

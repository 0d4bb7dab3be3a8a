"""Every response of every route carries the security headers."""

import re

import httpx2
from fastapi import FastAPI

from instep.app import put_into
from instep.operations.ops.routes import RouteOut, list_routes
from instep.platform.core.config import settings
from instep.platform.core.database import Database
from instep.runtime import Runtime
from tests.support.cast import Api, Cast, Client
from tests.support.http import create_article, ok, stranger

PRIVATE = ("/v1/", "/widget/", "/chat", "/leads", "/mcp", "/oauth/")
# These set their own cache lifetime.
PUBLIC_DOCUMENTS = {"/v1/openapi.json", "/mcp/server-card", "/mcp/admin/server-card"}


async def test_every_route_answers_with_them(app: FastAPI, api: Api, cast: Cast, database: Database) -> None:
    """Most of these responses are refusals, which need the headers too."""
    used = settings().model_copy(update={"site_url": "https://help.test"})
    put_into(app, Runtime(used, database, b"a key for the cursors of the tests"))
    async with stranger(app) as client:
        for route in list_routes(app).results:
            path = address_in(route, cast.acme.slug)
            answer = await client.request(route.method, path)
            assert lacking(path, answer.headers) == [], (route.method, path, answer.status_code)


def address_in(route: RouteOut, slug: str) -> str:
    return "/static/icon.svg" if route.path == "/static" else re.sub(r"\{.*?\}", slug, route.path)


def lacking(path: str, headers: httpx2.Headers) -> list[str]:
    """Expected headers that the response lacks."""
    expected = {
        "Strict-Transport-Security": "max-age=31536000",
        "X-Content-Type-Options": "nosniff",
        "Content-Security-Policy": "default-src 'none';.* ?frame-ancestors 'none'(;.*)?",
        "Cross-Origin-Resource-Policy": "same-origin|cross-origin",
    }
    if headers.get("Content-Type", "").startswith("text/html"):
        expected["Permissions-Policy"] = r".*geolocation=\(\).*"
    elif path.startswith(PRIVATE) and path not in PUBLIC_DOCUMENTS:
        expected["Cache-Control"] = "no-store"
    return [name for name, value in expected.items() if not re.fullmatch(value, headers.get(name, ""))]


async def test_responses_to_a_key_are_not_stored_by_caches(client: Client) -> None:
    await create_article(client)
    article = await client.get("/v1/articles/install")
    same = await client.get("/v1/articles/install", headers={"If-None-Match": article.headers["ETag"]})

    for answer in (article, same, await client.get("/v1/nothing"), await client.post("/v1/articles")):
        assert answer.headers["Cache-Control"] == "no-store"
        assert answer.headers["Content-Security-Policy"] == "default-src 'none'; frame-ancestors 'none'"


async def test_pages_of_other_origins_may_take_in_what_is_for_them(
    app: FastAPI, api: Api, cast: Cast
) -> None:
    async with stranger(app) as client:
        config = await client.get(f"/widget/{cast.acme.bot_id}/config", params={"botKey": cast.acme.bot_key})
        page = await client.get(f"/help/{cast.acme.slug}/")

    ok(config)
    assert config.headers["Cross-Origin-Resource-Policy"] == "cross-origin"
    assert page.headers["Cross-Origin-Resource-Policy"] == "same-origin"


async def test_without_encryption_nothing_is_said_of_it(visitor: Client, cast: Cast) -> None:
    answer = await visitor.get(f"/help/{cast.acme.slug}/")

    assert "Strict-Transport-Security" not in answer.headers

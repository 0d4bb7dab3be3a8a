"""For all routes: sessions only work on pages, keys only in the API, and foreign forms are refused."""

from collections.abc import Iterator

import pytest
from fastapi import FastAPI

from instep.app import create_app
from instep.operations.ops.routes import RouteOut, list_routes
from instep.platform.core.database import Tx
from instep.platform.identity.scopes import Role
from tests.support.cast import Api, Cast
from tests.support.http import Response
from tests.support.sign_in import HERE, TOKEN, Browser, browser, sign_up

PREFIX = "signed-in "
# These pages open before sign-in.
BEFORE_SIGNING_IN = (
    "/sign-in",
    "/sign-in/code",
    "/sign-in/forgotten",
    "/sign-in/reset",
    "/sign-in/passkey",
    "/sign-in/oidc",
    "/sign-in/oidc/callback",
    "/app/setup",
    "/join",
)


def routes_of_people(method: str) -> Iterator[RouteOut]:
    for route in list_routes(create_app()).results:
        if route.access.startswith(PREFIX) and route.method == method:
            yield route


def address_of(route: RouteOut, cast: Cast) -> str:
    """The path for Acme's bot; all other objects in it don't exist."""
    path = route.path.replace("{bot_slug}", cast.acme.slug).replace("{bot}", cast.acme.slug)
    return path.replace("{", "").replace("}", "")


async def open_or_send(visitor: Browser, method: str, path: str, token: str) -> Response:
    if method == "GET":
        return await visitor.get(path)
    return await visitor.client.post(path, data={"form-token": token}, headers=HERE)


async def token_of(visitor: Browser) -> str:
    return str(TOKEN.findall((await visitor.get("/app/account")).text)[0])


async def signed_in(visitor: Browser, owner: Tx, workspace_id: str, role: Role) -> Browser:
    user = await sign_up(owner, workspace_id, role)
    assert (await visitor.sign_in(user.email)).status_code == 303
    return visitor


async def test_a_session_opens_no_route_of_a_program(app: FastAPI, api: Api, cast: Cast, owner: Tx) -> None:
    async with browser(app) as visitor:
        ann = await signed_in(visitor, owner, cast.acme.workspace_id, Role.OWNER)
        for route in list_routes(create_app()).results:
            if route.access == "public" or route.access.startswith(PREFIX) or route.method == "OPTIONS":
                continue
            # One address may not make this many calls.
            await owner.execute("delete from rate_windows")
            answer = await ann.client.request(
                route.method, address_of(route, cast), json={}, headers={"Origin": "http://help.test", **HERE}
            )
            refusals = (401,) if route.path.startswith("/v1/") else (400, 401, 403)
            assert answer.status_code in refusals, route


async def test_keys_and_tokens_open_no_page(api: Api, cast: Cast) -> None:
    for method in ("GET", "POST"):
        for route in routes_of_people(method):
            for key in (cast.acme.write_key, cast.acme.bot_key):
                answer = await api(key).request(method, address_of(route, cast))
                assert answer.status_code == 303, route
                assert answer.headers["Location"].startswith("/sign-in?next="), route


@pytest.mark.parametrize("fault", ["no token", "another site", "another origin", "plain text"])
async def test_no_form_of_another_page_is_accepted(
    app: FastAPI, api: Api, cast: Cast, owner: Tx, fault: str
) -> None:
    async with browser(app) as visitor:
        ann = await signed_in(visitor, owner, cast.acme.workspace_id, Role.OWNER)
        token = "" if fault == "no token" else await token_of(ann)
        headers = {
            "no token": HERE,
            "another site": {"Sec-Fetch-Site": "cross-site"},
            "another origin": {"Origin": "https://evil.example"},
            "plain text": {**HERE, "Content-Type": "text/plain"},
        }[fault]
        for route in routes_of_people("POST"):
            body = f"form-token={token}".encode()
            form = {"Content-Type": "application/x-www-form-urlencoded", **headers}
            answer = await ann.client.post(address_of(route, cast), content=body, headers=form)
            assert answer.status_code == (400 if fault == "plain text" else 403), route
        # Even the form to sign out was refused.
        assert await token_of(ann)


async def test_a_role_that_is_too_low_is_refused_everywhere(
    app: FastAPI, api: Api, cast: Cast, owner: Tx
) -> None:
    async with browser(app) as visitor:
        bob = await signed_in(visitor, owner, cast.acme.workspace_id, Role.VIEWER)
        token = await token_of(bob)
        for method in ("GET", "POST"):
            for route in routes_of_people(method):
                if route.access == f"{PREFIX}{Role.VIEWER}":
                    continue
                answer = await open_or_send(bob, method, address_of(route, cast), token)
                assert answer.status_code == 403, route


async def test_another_company_finds_no_page_of_a_bot(app: FastAPI, api: Api, cast: Cast, owner: Tx) -> None:
    async with browser(app) as visitor:
        eve = await signed_in(visitor, owner, cast.globex.workspace_id, Role.OWNER)
        token = await token_of(eve)
        for method in ("GET", "POST"):
            for route in routes_of_people(method):
                if "{bot_slug}" not in route.path:
                    continue
                answer = await open_or_send(eve, method, address_of(route, cast), token)
                assert answer.status_code == 404, route


async def test_no_page_is_framed_or_stored(app: FastAPI, api: Api, cast: Cast, owner: Tx) -> None:
    async with browser(app) as visitor, browser(app) as nobody:
        ann = await signed_in(visitor, owner, cast.acme.workspace_id, Role.OWNER)
        pages = [(ann, address_of(route, cast)) for route in routes_of_people("GET")]
        for opener, path in [*pages, *((nobody, path) for path in BEFORE_SIGNING_IN)]:
            answer = await opener.get(path)
            assert "frame-ancestors 'none'" in answer.headers["Content-Security-Policy"], path
            # Error pages are the same for everyone.
            assert answer.status_code >= 400 or answer.headers["Cache-Control"] == "no-store", path

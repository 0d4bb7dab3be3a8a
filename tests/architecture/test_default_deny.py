"""Every route declares who may call it; routes that are open to everyone are on a reviewed list."""

import re
from pathlib import Path

import pytest
from fastapi import FastAPI
from starlette.responses import Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from instep.app import create_app
from instep.interfaces.site import public_routes as site
from instep.operations.ops.routes import RouteOut, list_routes
from instep.platform.web.public import UndeclaredRoute
from tests.support.cast import Api, Cast, Client
from tests.support.http import stranger

# Before you add a route here, make sure that everyone may see everything it returns.
OPEN_TO_EVERYBODY = {
    "/",
    "/help",
    "/help/",
    "/docs",
    "/docs/",
    "/favicon.ico",
    "/widget.js",
    "/widget.d.ts",
    "/healthz",
    "/readyz",
    "/metrics",
    "/v1/openapi.json",
    "/openapi.json",
    "/docs/api",
    "/ci/instep.pyz",
    "/ci/instep.pyz.sha256",
    "/robots.txt",
    "/domains/known",
    "/hooks/{kind}/{host_id}",
    "/help/{bot}/robots.txt",
    "/help/{bot}",
    "/help/{bot}/",
    "/help/{bot}/articles",
    "/help/{bot}/articles/{slug}",
    "/help/{bot}/articles/{slug}.md",
    "/help/{bot}/collections/{slug}",
    "/help/{bot}/changelog",
    "/help/{bot}/changelog.xml",
    "/help/{bot}/changelog.atom",
    "/help/{bot}/changelog.json",
    "/help/{bot}/changelog/{slug}",
    "/help/{bot}/changelog/{slug}.md",
    "/help/{bot}/articles/{slug}.atom",
    "/help/{bot}/collections/{slug}.atom",
    "/help/{bot}/follow",
    "/help/{bot}/subscriptions",
    "/help/{bot}/subscriptions/confirm",
    "/help/{bot}/{locale}/articles/{slug}.atom",
    "/help/{bot}/{locale}/collections/{slug}.atom",
    "/help/{bot}/{locale}/follow",
    "/help/{bot}/{locale}/subscriptions",
    "/help/{bot}/{locale}/subscriptions/confirm",
    "/help/{bot}/llms.txt",
    "/help/{bot}/llms-full.txt",
    "/help/{bot}/opensearch.xml",
    "/help/{bot}/suggestions",
    "/help/{bot}/sitemap.xml",
    "/help/{bot}/search",
    "/help/{bot}/ask",
    "/help/{bot}/ask/feedback",
    "/help/{bot}/.well-known/mcp.json",
    "/help/{bot}/mcp/server-card",
    "/help/{bot}/connect",
    "/help/{bot}/contact",
    "/help/{bot}/cards/{digest}.png",
    "/help/{bot}/cards/{slug}/{digest}.png",
    "/help/{bot}/{locale}/cards/{digest}.png",
    "/help/{bot}/{locale}/cards/{slug}/{digest}.png",
    "/help/{bot}/matches",
    "/help/{bot}/{locale}/matches",
    "/help/{bot}/sign-out",
    "/help/{bot}/sso",
    "/help/{bot}/feedback",
    "/help/{bot}/feedback/reason",
    "/help/{bot}/{locale}/ask",
    "/help/{bot}/{locale}/articles/{slug}",
    "/help/{bot}/{locale}/articles/{slug}.md",
    "/help/{bot}/{locale}/search",
    "/help/{bot}/{locale}/",
    "/help/{bot}/{locale}/articles",
    "/help/{bot}/{locale}/collections/{slug}",
    "/help/{bot}/{locale}/changelog",
    "/help/{bot}/{locale}/changelog/{slug}",
    "/help/{bot}/{locale}/ask/feedback",
    "/help/{bot}/{locale}/connect",
    "/help/{bot}/{locale}/contact",
    "/help/{bot}/{locale}/feedback",
    "/help/{bot}/{locale}/feedback/reason",
    "/preview/{token}",
    "/preview/{token}/articles/{slug}",
    "/preview/{token}/{locale}/articles/{slug}",
    "/files/{bot}/{name}",
    "/static",
    "/static/dist/{name}",
    "/.well-known/mcp.json",
    "/.well-known/mcp",
    "/.well-known/mcp/server-card.json",
    "/.well-known/ai-catalog.json",
    "/mcp/server-card",
    "/mcp/admin/server-card",
    "/sign-in",
    "/app/setup",
    "/join",
    "/sign-in/code",
    "/sign-in/forgotten",
    "/sign-in/reset",
    "/email/confirm",
    "/email/unsubscribe",
    "/sign-in/passkey",
    "/sign-in/oidc",
    "/sign-in/oidc/callback",
    "/sign-in/dialog",
    "/sign-in/dialog/code",
    "/app/_parts",
    "/app/_parts/review",
    "/.well-known/oauth-protected-resource/mcp/admin",
    "/.well-known/oauth-protected-resource",
    "/.well-known/oauth-authorization-server",
    "/.well-known/openid-configuration",
}
# Endpoints that apps call for themselves: the results are limited to what a person consented to.
FOR_APPS = {("POST", f"/oauth/{name}", "app") for name in ("token", "revoke", "register")}
# Anyone may try these: attempts are limited, and forms from other sites are refused.
STEP_FORMS = {("POST", "/sign-in/passkey"), ("POST", "/sign-in/dialog"), ("POST", "/sign-in/dialog/code")}
OPEN_FORMS = {
    # Browsers send a preflight before the widget sends a visitor's token for a picture.
    ("OPTIONS", "/files/{bot}/{name}"),
    ("POST", "/hooks/{kind}/{host_id}"),
    ("POST", "/help/{bot}/ask/feedback"),
    ("POST", "/help/{bot}/contact"),
    ("POST", "/help/{bot}/follow"),
    ("POST", "/help/{bot}/subscriptions"),
    ("POST", "/help/{bot}/subscriptions/confirm"),
    ("POST", "/help/{bot}/{locale}/follow"),
    ("POST", "/help/{bot}/{locale}/subscriptions"),
    ("POST", "/help/{bot}/{locale}/subscriptions/confirm"),
    ("POST", "/help/{bot}/sign-out"),
    ("POST", "/help/{bot}/feedback"),
    ("POST", "/help/{bot}/feedback/reason"),
    ("POST", "/help/{bot}/{locale}/ask/feedback"),
    ("POST", "/help/{bot}/{locale}/contact"),
    ("POST", "/help/{bot}/{locale}/feedback"),
    ("POST", "/help/{bot}/{locale}/feedback/reason"),
    ("POST", "/sign-in"),
    ("POST", "/app/setup"),
    ("POST", "/join"),
    ("POST", "/sign-in/code"),
    ("POST", "/sign-in/forgotten"),
    ("POST", "/sign-in/reset"),
    ("POST", "/email/confirm"),
    ("POST", "/email/unsubscribe"),
    *STEP_FORMS,
}
# Pages for signed-in people with the minimum role, one "METHOD path role" per line.
FOR_PEOPLE = {
    (method, path, f"signed-in {role}")
    for method, path, role in (
        line.split() for line in Path(__file__).with_name("pages_for_people.txt").read_text().splitlines()
    )
}
# The MCP servers, where each tool declares its own requirements.
TOOLS = {
    ("POST", "/mcp", "tools with bot key"),
    ("OPTIONS", "/mcp", "tools with bot key"),
    ("POST", "/help/{bot}/mcp", "tools with bot key"),
    ("OPTIONS", "/help/{bot}/mcp", "tools with bot key"),
    ("POST", "/mcp/admin", "tools with API key or connected app"),
}


def test_only_the_reviewed_routes_are_open_to_everybody() -> None:
    routes = list_routes(create_app()).results

    assert {route.path for route in routes if route.access == "public"} == OPEN_TO_EVERYBODY
    changing = {(route.method, route.path) for route in routes if route.access == "public"}
    assert {(method, path) for method, path in changing if method != "GET"} == OPEN_FORMS


def test_the_pages_for_people_are_known() -> None:
    routes = list_routes(create_app()).results

    assert {
        (answer.method, answer.path, answer.access) for answer in routes if is_for_people(answer)
    } == FOR_PEOPLE


async def test_visitor_without_session_must_sign_in_and_changes_nothing(visitor: Client) -> None:
    for method, path, _ in FOR_PEOPLE:
        address = re.sub(r"\{\w+\}", "x", path)
        answer = await visitor.request(method, address)
        page = answer.headers["Location"].removeprefix("/sign-in?next=")
        # After a form, signing in leads to a page that can be opened.
        assert page == address if method == "GET" else page == "/app/" or address.startswith(page)
        assert answer.status_code == 303


@pytest.mark.parametrize(
    "referer",
    ["http://[", "http://help.test" + "/a" * 3_000, "http://help.test/app/x/y/z/a/b/c/d/e", "nothing"],
)
async def test_an_address_that_is_no_page_leads_home(visitor: Client, referer: str) -> None:
    answer = await visitor.post("/app/x/settings/general", headers={"Referer": referer})

    assert answer.headers["Location"] in {"/sign-in?next=/app/", "/sign-in?next=/app/x/settings/general"}


def test_only_the_answer_api_takes_bot_keys() -> None:
    routes = [route for route in list_routes(create_app()).results if route.access == "bot key"]

    posts = (
        "/chat",
        "/chat/messages/{messageId}/feedback",
        "/chat/{conversationId}/escalate",
        "/feedback",
        "/leads",
    )
    gets = ("config", "search", "suggestions", "articles/{articleId}")
    assert {(route.method, route.path) for route in routes} == {
        *((method, path) for path in posts for method in ("OPTIONS", "POST")),
        *((method, f"/widget/{{botId}}/{rest}") for method in ("GET", "OPTIONS") for rest in gets),
    }


# Operations whose results people review: keys that may only propose can call them too.
PROPOSALS = {
    ("POST", "/v1/tasks"),
    ("POST", "/v1/drift/checks"),
    ("POST", "/v1/articles/translate"),
    ("POST", "/v1/articles/{id}/drafts"),
    ("PATCH", "/v1/drafts/{id}"),
    ("POST", "/v1/comments"),
    *((method, "/v1/comments/{id}") for method in ("DELETE", "PATCH")),
    *(("POST", f"/v1/comments/{{id}}/{verb}") for verb in ("resolve", "reopen")),
    *(("POST", f"/v1/places/{{id}}/{verb}") for verb in ("resolve", "dismiss", "reopen")),
}


def test_every_other_route_is_below_the_management_api_and_changes_need_a_write_key() -> None:
    for route in list_routes(create_app()).results:
        if route.access not in ("public", "bot key", "app") and not (
            is_of_tools(route) or is_for_people(route)
        ):
            assert route.path.startswith("/v1/")
            assert (route.access in ("content:propose", "content:write")) is (route.method != "GET")
            is_proposal = (route.method, route.path) in PROPOSALS
            assert (route.access == "content:propose") is is_proposal, route.path


def test_only_the_mcp_servers_leave_it_to_their_tools() -> None:
    routes = [route for route in list_routes(create_app()).results if is_of_tools(route)]

    assert {(route.method, route.path, route.access) for route in routes} == TOOLS


def test_only_the_authorization_server_is_for_apps() -> None:
    routes = list_routes(create_app()).results

    assert {
        (answer.method, answer.path, answer.access) for answer in routes if answer.access == "app"
    } == FOR_APPS


def is_of_tools(route: RouteOut) -> bool:
    return route.access.startswith("tools with")


def is_for_people(route: RouteOut) -> bool:
    return route.access.startswith("signed-in")


def test_only_the_list_of_bots_needs_no_scope() -> None:
    routes = list_routes(create_app()).results

    assert [route.path for route in routes if route.access == "any key"] == ["/v1/bots"]


@pytest.mark.parametrize(
    "route",
    [
        Route("/help/secret", lambda request: Response("everything")),
        Mount("/files", StaticFiles(directory=".")),
    ],
    ids=["page", "folder"],
)
def test_the_application_is_not_made_with_a_route_that_declares_nothing(
    monkeypatch: pytest.MonkeyPatch, route: Route | Mount
) -> None:
    monkeypatch.setattr(site, "routes", [*site.routes, route])

    with pytest.raises(UndeclaredRoute, match=route.path):
        create_app()


async def test_without_a_key_everything_else_is_refused(app: FastAPI, api: Api, cast: Cast) -> None:
    for route in list_routes(app).results:
        if route.access in ("public", "app", "bot key", "tools with bot key") or is_for_people(route):
            continue
        path = route.path.replace("{", "").replace("}", "")
        # There are more routes than one address may request without a key per minute.
        async with stranger(app) as client:
            answer = await client.request(route.method, path, json={})
        assert (answer.status_code, answer.json()["code"]) == (401, "unauthorized"), route.path


async def test_no_spelling_of_an_address_leads_around_the_door(visitor: Client) -> None:
    for path in ("/v1/articles/", "/v1//articles", "/V1/articles", "/v1/articles%2f", "/help/../v1/articles"):
        assert (await visitor.get(path)).status_code in (401, 404), path
    for headers in ({"X-Original-URL": "/healthz"}, {"X-HTTP-Method-Override": "GET"}):
        assert (await visitor.post("/v1/articles", json={}, headers=headers)).status_code == 401

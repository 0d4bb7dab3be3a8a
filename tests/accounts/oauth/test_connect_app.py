"""The whole flow: an app finds the server, registers, asks a person, gets tokens and uses them."""

import base64
import re
from dataclasses import dataclass

import pytest
from fastapi import FastAPI

from instep.platform.core.database import Tx
from instep.platform.identity.scopes import Role
from tests.support.cast import Api, Cast, Client
from tests.support.http import Response, body_of, stranger
from tests.support.mcp import BOTH_ERAS, WORKSPACE, call, given, post
from tests.support.oauth import (
    BOTH,
    HOME,
    READ,
    RESOURCE,
    ROLES,
    SITE,
    Request,
    browser_of,
    connect,
    decide,
    member,
    redeem,
    refresh,
    register,
)

NEW = {"title": "New", "contentMarkdown": "Text.\n"}


async def test_an_app_finds_its_way_from_a_refusal_to_the_server(app: FastAPI, visitor: Client) -> None:
    async with stranger(app) as nobody, stranger(app, "isa_wrong") as somebody:
        refusal = await post(nobody, WORKSPACE, "tools/list")
        wrong = await post(somebody, WORKSPACE, "tools/list")
    [(_, address)] = re.findall(r'(resource_metadata)="([^"]+)"', refusal.headers["WWW-Authenticate"])
    resource = body_of(await visitor.get(address))
    [issuer] = resource["authorization_servers"]
    server = body_of(await visitor.get(f"{issuer}/.well-known/oauth-authorization-server"))

    assert refusal.headers["WWW-Authenticate"].startswith('Bearer scope="content:read", resource_metadata=')
    assert wrong.headers["WWW-Authenticate"].startswith('Bearer error="invalid_token", scope=')
    assert (refusal.status_code, wrong.status_code) == (401, 401)
    assert (resource["resource"], resource["scopes_supported"]) == (RESOURCE, [READ])
    assert (server["issuer"], issuer) == (SITE, SITE)
    assert server["code_challenge_methods_supported"] == ["S256"]
    assert server["client_id_metadata_document_supported"] is True
    assert server["authorization_response_iss_parameter_supported"] is True
    for alias in ("/.well-known/openid-configuration", "/.well-known/oauth-authorization-server"):
        assert body_of(await visitor.get(alias)) == server
    assert body_of(await visitor.get("/.well-known/oauth-protected-resource")) == resource


@ROLES
async def test_an_app_acts_as_its_person_and_never_with_more_than_both_may_do(
    app: FastAPI, api: Api, cast: Cast, owner: Tx, role: Role
) -> None:
    person = await member(owner, cast.acme, role)
    async with browser_of(app, owner, person) as browser, stranger(app) as client:
        _, read_grant = await connect(browser, client)
        _, write = await connect(browser, client, BOTH, bot=str(cast.acme.bot_id))

    may_write = role != Role.VIEWER
    assert read_grant["scope"] == READ
    assert write["scope"] == (BOTH if may_write else READ)
    answers = {
        scope: await post(api(tokens["access_token"]), WORKSPACE, "tools/call", NEW_CALL)
        for scope, tokens in ((READ, read_grant), (BOTH, write))
    }
    assert answers[READ].status_code == 403
    assert answers[BOTH].status_code == (200 if may_write else 403)
    # A person without write access is not sent back to ask for more.
    steps_up = 'error="insufficient_scope", scope="content:read content:write"'
    assert (steps_up in answers[READ].headers.get("WWW-Authenticate", "")) is may_write
    tools = body_of(await post(api(write["access_token"]), WORKSPACE, "tools/list"))["result"]["tools"]
    assert len(tools) == (36 if may_write else 17)


NEW_CALL = {"name": "create_article", "arguments": NEW}


@BOTH_ERAS
async def test_audit_log_names_the_person_and_the_app_of_each_action(
    app: FastAPI, api: Api, cast: Cast, owner: Tx, era: str
) -> None:
    person = await member(owner, cast.acme)
    async with browser_of(app, owner, person) as browser, stranger(app) as client:
        _, tokens = await connect(browser, client, BOTH)
    agent = api(tokens["access_token"])

    article = given(
        await call(agent, WORKSPACE, "create_article", {**NEW, "botId": str(cast.acme.bot_id)}, era)
    )

    assert article["botId"] == str(cast.acme.bot_id)
    noted = await owner.all(
        Noted,
        "select actor_name, app, channel, action from audit_entries where actor_id = %(id)s",
        id=person.id,
    )
    assert Noted(person.email, "Claude", "page", "connect_app") in noted
    assert Noted(person.email, "Claude", "mcp", "create_article") in noted


@dataclass
class Noted:
    """An entry of the audit log."""

    actor_name: str
    app: str | None
    channel: str
    action: str


async def test_a_connection_may_be_for_one_help_center_alone(
    app: FastAPI, api: Api, cast: Cast, owner: Tx
) -> None:
    person = await member(owner, cast.acme)
    async with browser_of(app, owner, person) as browser, stranger(app) as client:
        _, first_grant = await connect(browser, client, BOTH, bot=str(cast.acme.bot_id))
        _, every = await connect(browser, client, BOTH)

    narrow, wide = api(first_grant["access_token"]), api(every["access_token"])
    article = given(await call(narrow, WORKSPACE, "create_article", NEW))
    other = {"botId": str(cast.second_bot_id)}
    refusals = [
        await call(agent, WORKSPACE, "search_articles", {"query": "install", **named})
        for agent, named in ((narrow, other), (wide, {}), (wide, {"botId": str(cast.globex.bot_id)}))
    ]

    assert article["botId"] == str(cast.acme.bot_id)
    codes = [result["content"][0]["text"].split('"code": "')[1].split('"')[0] for result in refusals]
    assert codes == ["insufficient_scope", "bot_required", "insufficient_scope"]
    assert given(await call(wide, WORKSPACE, "search_articles", {"query": "install", **other}))


async def test_the_page_names_who_asks_for_what_and_where_the_answer_goes(
    app: FastAPI, api: Api, cast: Cast, owner: Tx
) -> None:
    person = await member(owner, cast.acme)
    evil = '\u202eeulC <script>alert(1)</script>\n"x'
    async with browser_of(app, owner, person) as browser, stranger(app) as client:
        away = Request(await register(client, "https://app.example/cb?x=1"), "https://app.example/cb?x=1")
        home = Request(await register(client, client_name=evil))
        pages = [await browser.get(request.path()) for request in (away, home)]
        answer = await decide(browser, away)

    assert [page.status_code for page in pages] == [200, 200]
    for word in ("Claude", "app.example", person.email, "Acme", "Acme second"):
        assert word in pages[0].text
    assert "own computer" in pages[1].text
    assert "own computer" not in pages[0].text
    assert "<script>" not in pages[1].text
    assert "\u202e" not in pages[1].text
    policy = pages[0].headers["Content-Security-Policy"]
    assert "form-action 'self' https://app.example;" in policy
    assert "frame-ancestors 'none'" in policy
    assert pages[0].headers["Cache-Control"] == "no-store"
    assert (answer["x"], answer["state"], answer["iss"]) == ("1", away.state, SITE)


async def test_a_person_who_says_no_is_obeyed(app: FastAPI, api: Api, cast: Cast, owner: Tx) -> None:
    person = await member(owner, cast.acme)
    async with browser_of(app, owner, person) as browser, stranger(app) as client:
        request = Request(await register(client), scope=BOTH)
        answer = await decide(browser, request, "deny")

    assert (answer["error"], answer["state"], answer["iss"]) == ("access_denied", request.state, SITE)
    assert "code" not in answer
    assert await owner.value("select count(*) from oauth_grants where person_id = %(id)s", id=person.id) == 0


async def test_the_person_decides_how_much_whatever_the_app_has_asked_for(
    app: FastAPI, api: Api, cast: Cast, owner: Tx
) -> None:
    person = await member(owner, cast.acme)
    async with browser_of(app, owner, person) as browser, stranger(app) as client:
        _, less = await connect(browser, client, BOTH, scope="content:read")
        _, more = await connect(browser, client, READ, scope="content:write")
        _, proposes = await connect(browser, client, BOTH, scope="content:propose")

    assert (less["scope"], more["scope"]) == (READ, BOTH)
    assert proposes["scope"] == "content:read content:propose"
    refused = await post(api(proposes["access_token"]), WORKSPACE, "tools/call", NEW_CALL)
    assert refused.status_code == 403


async def test_tokens_are_renewed_and_may_be_given_less(
    app: FastAPI, api: Api, cast: Cast, owner: Tx
) -> None:
    person = await member(owner, cast.acme)
    async with browser_of(app, owner, person) as browser, stranger(app) as client:
        client_id, first = await connect(browser, client, BOTH)
        second = body_of(await refresh(client, client_id, first["refresh_token"], scope=READ))
        third = body_of(await refresh(client, client_id, second["refresh_token"]))

    assert second["refresh_token"] != first["refresh_token"]
    assert (second["scope"], third["scope"]) == (READ, BOTH)
    for tokens in (first, second, third):
        answer = await post(api(tokens["access_token"]), WORKSPACE, "tools/list")
        assert answer.status_code == 200


async def test_an_app_on_the_persons_computer_may_listen_at_any_port(
    app: FastAPI, api: Api, cast: Cast, owner: Tx
) -> None:
    person = await member(owner, cast.acme)
    async with browser_of(app, owner, person) as browser, stranger(app) as client:
        other_port = HOME.replace("3000", "49152")
        request = Request(await register(client), other_port)
        answer = await redeem(client, request, (await decide(browser, request))["code"])
        swapped = await redeem(client, request, "isc_" + "a" * 43, redirect_uri=HOME)

    assert (answer.status_code, swapped.status_code) == (200, 400)


@pytest.mark.parametrize(("registered", "asked"), [("9999", "53123/"), ("9999/", "53123")])
async def test_an_address_of_a_computer_without_a_path_ends_with_or_without_a_slash(
    app: FastAPI, api: Api, cast: Cast, owner: Tx, registered: str, asked: str
) -> None:
    person = await member(owner, cast.acme)
    async with browser_of(app, owner, person) as browser, stranger(app) as client:
        client_id = await register(client, f"http://127.0.0.1:{registered}")
        request = Request(client_id, f"http://127.0.0.1:{asked}")
        answer = await redeem(client, request, (await decide(browser, request))["code"])

    assert answer.status_code == 200


CURSOR = {
    "client_name": "Cursor",
    "redirect_uris": [
        "cursor://anysphere.cursor-mcp/oauth/callback",
        "http://localhost:8787/callback",
        "https://www.cursor.com/agents/mcp/oauth/callback",
    ],
    "token_endpoint_auth_method": "none",
    "application_type": "web",
}


@pytest.mark.parametrize("uri", CURSOR["redirect_uris"])
async def test_an_app_with_a_scheme_of_its_own_is_connected(
    app: FastAPI, api: Api, cast: Cast, owner: Tx, uri: str
) -> None:
    person = await member(owner, cast.acme)
    async with browser_of(app, owner, person) as browser, stranger(app) as client:
        answer = body_of(await client.post("/oauth/register", json=CURSOR))
        request = Request(answer["client_id"], uri)
        page = await browser.get(request.path())
        redeemed = await redeem(client, request, (await decide(browser, request))["code"])

    assert answer["redirect_uris"] == CURSOR["redirect_uris"]
    assert redeemed.status_code == 200
    assert ("own computer" in page.text) is not uri.startswith("https://")
    if uri.startswith("cursor:"):
        assert uri in page.text
        assert "form-action 'self' cursor:;" in page.headers["Content-Security-Policy"]


@pytest.mark.parametrize(
    ("asked", "given_scope"),
    [
        ("content:read offline_access openid", READ),
        ("content:write offline_access", BOTH),
        ("openid profile", READ),
        ("", READ),
    ],
)
async def test_unknown_scopes_are_ignored(
    app: FastAPI, api: Api, cast: Cast, owner: Tx, asked: str, given_scope: str
) -> None:
    person = await member(owner, cast.acme)
    async with browser_of(app, owner, person) as browser, stranger(app) as client:
        request = Request(await register(client), scope=asked)
        page = await browser.get(request.path())
        client_id, tokens = await connect(browser, client, BOTH)
        renewed = await refresh(client, client_id, tokens["refresh_token"], scope=asked or "openid")

    assert ('value="content:write" checked' in page.text) is (given_scope == BOTH)
    assert body_of(renewed)["scope"] == (given_scope if "content" in asked else BOTH)


BROWSER_CLIENT = {"Origin": "https://inspector.example"}
ASKS_FIRST = BROWSER_CLIENT | {
    "Access-Control-Request-Method": "POST",
    "Access-Control-Request-Headers": "authorization,content-type,mcp-protocol-version",
}
OPEN = [
    *("/mcp/admin", "/oauth/token", "/oauth/register", "/oauth/revoke", "/.well-known/mcp.json"),
    "/.well-known/oauth-authorization-server",
    "/.well-known/oauth-protected-resource/mcp/admin",
]


@pytest.mark.parametrize("path", OPEN)
async def test_clients_in_browsers_may_ask_from_any_origin_without_cookies(
    visitor: Client, path: str
) -> None:
    preflight = await visitor.request("OPTIONS", path, headers=ASKS_FIRST)
    # Browsers can read errors too, even for another method.
    refusal = await visitor.request("PUT", path, headers=BROWSER_CLIENT)

    assert preflight.status_code == 200
    assert preflight.headers["Access-Control-Allow-Headers"] == ASKS_FIRST["Access-Control-Request-Headers"]
    assert "POST" in preflight.headers["Access-Control-Allow-Methods"]
    assert refusal.status_code == 405
    for answer in (preflight, refusal):
        assert answer.headers["Access-Control-Allow-Origin"] == "*"
        assert "access-control-allow-credentials" not in answer.headers


async def test_pages_that_read_cookies_are_open_to_no_other_origin(visitor: Client) -> None:
    for path in ("/oauth/authorize", "/sign-in", "/app", "/v1/bots"):
        answer = await visitor.request("OPTIONS", path, headers=ASKS_FIRST)
        assert "access-control-allow-origin" not in answer.headers


@pytest.mark.parametrize(
    "resource", ["HTTP://Help.Test/mcp/admin", "http://help.test:80/mcp/admin", f"{RESOURCE}/"]
)
async def test_other_spellings_of_the_resource_are_the_same(
    app: FastAPI, api: Api, cast: Cast, owner: Tx, resource: str
) -> None:
    person = await member(owner, cast.acme)
    async with browser_of(app, owner, person) as browser, stranger(app) as client:
        request = Request(await register(client))
        page = await browser.get(request.path(resource=resource))
        answer = await redeem(client, request, (await decide(browser, request))["code"], resource=resource)

    assert (page.status_code, answer.status_code) == (200, 200)


async def test_documents_are_found_with_a_slash_at_the_end(visitor: Client) -> None:
    for path in OPEN:
        if path.startswith("/.well-known/"):
            assert body_of(await visitor.get(f"{path}/")) == body_of(await visitor.get(path))


async def test_a_client_may_name_itself_by_basic_without_a_secret(
    app: FastAPI, api: Api, cast: Cast, owner: Tx
) -> None:
    person = await member(owner, cast.acme)
    async with browser_of(app, owner, person) as browser, stranger(app) as client:
        request = Request(await register(client))
        fields = request.redemption((await decide(browser, request))["code"])
        del fields["client_id"]

        async def ask(user: str, **but: str) -> Response:
            basic = base64.b64encode(user.encode()).decode()
            headers = {"Authorization": f"Basic {basic}"}
            return await client.post("/oauth/token", data=fields | but, headers=headers)

        refusals = [
            await ask(f"{request.client_id}:secret"),
            await ask("app_other:", client_id=request.client_id),
            await ask(request.client_id),
        ]
        answer = await ask(f"{request.client_id}:")

    assert [refusal.status_code for refusal in refusals] == [401, 401, 401]
    assert answer.status_code == 200


async def test_visitor_without_session_signs_in_and_returns_to_the_consent(
    app: FastAPI, api: Api, cast: Cast
) -> None:
    async with stranger(app) as client:
        request = Request(await register(client))
        answer = await client.get(request.path())
        form = await client.get(answer.headers["Location"])

    assert answer.status_code == 303
    assert answer.headers["Location"].startswith("/sign-in?next=/oauth/authorize")
    assert "code_challenge_method=S256" in form.text


@pytest.mark.parametrize("how", ["form", "basic"])
async def test_an_app_gets_no_secret_and_none_is_taken(app: FastAPI, api: Api, how: str) -> None:
    async with stranger(app) as client:
        metadata = {"redirect_uris": [HOME], "token_endpoint_auth_method": f"client_secret_{how}"}
        answer = body_of(await client.post("/oauth/register", json=metadata))

    assert answer["token_endpoint_auth_method"] == "none"
    assert "client_secret" not in answer
    assert answer["client_name"] == "127.0.0.1"

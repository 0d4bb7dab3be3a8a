"""Attacks on the authorization server, and mistakes of apps: all are refused, and no user is misled."""

import asyncio
import re
from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import timedelta
from html import unescape

import pytest
from fastapi import FastAPI

from instep.operations.ops import prune
from instep.platform.core import limits
from instep.platform.core.database import Database, Tx
from instep.platform.core.jobs import Job
from instep.platform.identity.schemas import Person
from tests.support.cast import Api, Cast, Client, Json
from tests.support.http import Response, at_once, body_of, stranger
from tests.support.mcp import WORKSPACE, post
from tests.support.oauth import (
    BOTH,
    HOME,
    READ,
    SITE,
    Request,
    browser_of,
    connect,
    decide,
    member,
    redeem,
    refresh,
    refusal,
    register,
    submit,
    told,
)
from tests.support.sign_in import HERE

AWAY = "https://app.example/callback"
OWN_SCHEME = "cursor://anysphere.cursor-mcp/oauth/callback"


@dataclass
class Scene:
    """A person of Acme in a browser, an app, and the app's request."""

    person: Person
    browser: Client
    app: Client
    request: Request

    async def code(self) -> str:
        return (await decide(self.browser, self.request))["code"]

    async def tokens(self) -> Json:
        answer = await redeem(self.app, self.request, await self.code())
        assert answer.status_code == 200, answer.text
        return body_of(answer)


@pytest.fixture
async def scene(app: FastAPI, api: Api, cast: Cast, owner: Tx) -> AsyncIterator[Scene]:
    person = await member(owner, cast.acme)
    async with browser_of(app, owner, person) as browser, stranger(app) as client:
        request = Request(await register(client, HOME, AWAY, OWN_SCHEME), scope=BOTH)
        yield Scene(person, browser, client, request)


async def opens(app: FastAPI, token: str) -> bool:
    async with stranger(app, token) as agent:
        answer = await post(agent, WORKSPACE, "tools/list")
    assert answer.status_code in (200, 401)
    return answer.status_code == 200


NEVER_SENT_BACK: dict[str, Json] = {
    "unknown app": {"client_id": "app_0000"},
    "no app": {"client_id": None},
    "no address": {"redirect_uri": None},
    "another host": {"redirect_uri": "https://evil.example/callback"},
    "a host that begins alike": {"redirect_uri": "https://app.example.evil.example/callback"},
    "a host below": {"redirect_uri": "https://x.app.example/callback"},
    "a user name": {"redirect_uri": "https://app.example@evil.example/callback"},
    "a longer path": {"redirect_uri": AWAY + "/more"},
    "steps in the path": {"redirect_uri": "https://app.example/x/../callback"},
    "a query more": {"redirect_uri": AWAY + "?next=https://evil.example"},
    "a fragment": {"redirect_uri": AWAY + "#x"},
    "another scheme": {"redirect_uri": "http://app.example/callback"},
    "another port": {"redirect_uri": "https://app.example:8443/callback"},
    "other capitals": {"redirect_uri": "https://app.example/Callback"},
    "an app's own scheme, another path": {"redirect_uri": f"{OWN_SCHEME}/more"},
    "an app's own scheme, other capitals": {"redirect_uri": OWN_SCHEME.replace("cursor:", "Cursor:")},
    "another app's scheme": {"redirect_uri": "vscode://callback"},
    "encoded otherwise": {"redirect_uri": "https://app.example/%63allback"},
    "a blank": {"redirect_uri": AWAY + " "},
    "a lookalike of this computer": {"redirect_uri": "http://127.0.0.1.evil.example:3000/callback"},
    "this computer by another name": {"redirect_uri": "http://localhost:3000/callback"},
    "this computer, another path": {"redirect_uri": "http://127.0.0.1:3000/other"},
    "this computer, another host behind": {"redirect_uri": "http://127.0.0.1:3000@evil.example/callback"},
    "a script": {"redirect_uri": "javascript:alert(1)//"},
    "an endless state": {"state": "x" * (limits.MAX_OAUTH_STATE_CHARACTERS + 1)},
}


async def test_a_request_without_a_trustworthy_redirect_is_refused_without_one(scene: Scene) -> None:
    honest = await scene.browser.get(scene.request.path())
    twice = [f"{scene.request.path()}&{name}=x" for name in scene.request.fields()]
    for path in [*(scene.request.path(**but) for but in NEVER_SENT_BACK.values()), *twice]:
        # The form of a valid request's page does not work for this request either.
        for answer in (
            await scene.browser.get(path),
            await submit(scene.browser, honest, path, decision="allow"),
        ):
            assert answer.status_code == 400, path
            assert "Location" not in answer.headers
            assert answer.headers["Content-Type"].startswith("text/html")


async def test_the_refusal_names_the_address_that_was_not_registered(scene: Scene) -> None:
    page = await scene.browser.get(scene.request.path(redirect_uri="https://evil.example/\u202e<b>"))

    assert "https://evil.example/ &lt;b&gt;" in page.text


SENT_BACK: dict[str, tuple[Json, str]] = {
    "the implicit way": ({"response_type": "token"}, "unsupported_response_type"),
    "no way": ({"response_type": None}, "unsupported_response_type"),
    "an answer in a fragment": ({"response_mode": "fragment"}, "invalid_request"),
    "without PKCE": ({"code_challenge": None, "code_challenge_method": None}, "invalid_request"),
    "plain PKCE": ({"code_challenge_method": "plain"}, "invalid_request"),
    "PKCE of no method": ({"code_challenge_method": None}, "invalid_request"),
    "no real challenge": ({"code_challenge": "short"}, "invalid_request"),
    "another server": ({"resource": "https://evil.example/mcp"}, "invalid_target"),
    "the other server": ({"resource": f"{SITE}/mcp"}, "invalid_target"),
}


async def test_an_app_that_was_never_connected_gets_its_error_by_a_click_alone(scene: Scene) -> None:
    for name, (but, error) in SENT_BACK.items():
        answer = await scene.browser.get(scene.request.path(**but))
        assert (answer.status_code, "Location" in answer.headers) == (400, False), name
        [back] = re.findall(r'href="([^"]*error=[^"]*)" rel="noreferrer"', answer.text)
        assert f"error={error}" in back, name
        assert unescape(back).startswith(f"{HOME}?"), name


async def test_a_connected_app_hears_what_is_wrong_with_its_request(scene: Scene) -> None:
    await scene.tokens()
    for name, (but, error) in SENT_BACK.items():
        answer = told(await scene.browser.get(scene.request.path(**but)))
        assert (answer["error"], answer["state"], answer["iss"]) == (error, scene.request.state, SITE), name
        assert "code" not in answer


@pytest.mark.parametrize(
    ("headers", "form"),
    [
        (HERE, {}),
        (HERE, {"form-token": "0" * 64}),
        ({"Sec-Fetch-Site": "cross-site"}, None),
        ({"Sec-Fetch-Site": "same-site"}, None),
        ({"Origin": "https://evil.example"}, None),
    ],
    ids=["no token", "forged token", "another site", "a neighbour", "another origin"],
)
async def test_consent_from_another_site_or_without_a_form_token_gets_403(
    scene: Scene, owner: Tx, headers: dict[str, str], form: dict[str, str] | None
) -> None:
    page = await scene.browser.get(scene.request.path())
    token = page.text.split('form-token" value="')[1].split('"')[0]
    body = {"decision": "allow", "scope": READ, **({"form-token": token} if form is None else form)}

    answer = await scene.browser.post(scene.request.path(), data=body, headers=headers)
    by_link = await scene.browser.get(scene.request.path(decision="allow"))

    assert (answer.status_code, by_link.status_code) == (403, 200)
    assert "Location" not in answer.headers
    assert (
        await owner.value(
            "select count(*) from oauth_grants where client_id = %(id)s", id=scene.request.client_id
        )
        == 0
    )


async def test_visitor_without_session_cant_consent(scene: Scene) -> None:
    answer = await scene.app.post(scene.request.path(), data={"decision": "allow"}, headers=HERE)

    assert (answer.status_code, answer.headers["Location"][:9]) == (303, "/sign-in?")


WRONG_REDEMPTIONS = [
    {"code_verifier": "a" * 43},
    {"code_verifier": "short"},
    {"redirect_uri": AWAY},
    {"redirect_uri": HOME.replace("3000", "3001")},
    {"code": "isc_" + "a" * 43},
    {"code": "x"},
]


async def test_code_works_only_for_the_app_that_asked_for_it(scene: Scene) -> None:
    code, another = await scene.code(), await register(scene.app)
    plain = {"code_verifier": scene.request.fields()["code_challenge"]}
    for but in (*WRONG_REDEMPTIONS, plain, {"client_id": another}):
        assert refusal(await redeem(scene.app, scene.request, code, **but)) == (400, "invalid_grant"), but


async def test_a_code_is_good_for_a_minute(scene: Scene, owner: Tx) -> None:
    code = await scene.code()
    sql = "update oauth_grants set expires_at = expires_at - %(age)s where person_id = %(id)s"
    await owner.execute(sql, age=limits.AUTHORIZATION_CODE_TTL, id=scene.person.id)

    assert limits.AUTHORIZATION_CODE_TTL.total_seconds() <= 60
    assert refusal(await redeem(scene.app, scene.request, code)) == (400, "invalid_grant")


async def test_a_code_that_comes_twice_ends_what_came_of_it(scene: Scene, app: FastAPI) -> None:
    code = await scene.code()
    first = body_of(await redeem(scene.app, scene.request, code))

    assert refusal(await redeem(scene.app, scene.request, code)) == (400, "invalid_grant")
    assert not await opens(app, first["access_token"])
    again = await refresh(scene.app, scene.request.client_id, first["refresh_token"])
    assert refusal(again) == (400, "invalid_grant")


async def age_uses(owner: Tx, person: Person, age: timedelta) -> None:
    """Move the times at which the person's refresh tokens were used back."""
    sql = """
        update oauth_tokens t set used_at = t.used_at - %(age)s
        from oauth_grants g where g.id = t.grant_id and g.person_id = %(id)s
    """
    await owner.execute(sql, age=age, id=person.id)


async def test_programs_that_share_a_refresh_token_get_the_same_answer(scene: Scene, app: FastAPI) -> None:
    client_id, first = scene.request.client_id, await scene.tokens()

    answers = await at_once(5, lambda _: refresh(scene.app, client_id, first["refresh_token"]))
    later = await refresh(scene.app, client_id, first["refresh_token"])

    assert [answer.status_code for answer in (*answers, later)] == [200] * 6
    [tokens] = [body_of(later)] + [body for body in map(body_of, answers) if body != body_of(later)]
    assert await opens(app, tokens["access_token"])
    assert (await refresh(scene.app, client_id, tokens["refresh_token"])).status_code == 200


async def test_a_refresh_token_that_comes_twice_late_ends_the_whole_connection(
    scene: Scene, app: FastAPI, owner: Tx
) -> None:
    client_id, first = scene.request.client_id, await scene.tokens()
    second = body_of(await refresh(scene.app, client_id, first["refresh_token"]))
    await age_uses(owner, scene.person, limits.REFRESH_TOKEN_REUSE_TTL)

    assert refusal(await refresh(scene.app, client_id, first["refresh_token"])) == (400, "invalid_grant")
    assert refusal(await refresh(scene.app, client_id, second["refresh_token"])) == (400, "invalid_grant")
    for tokens in (first, second):
        assert not await opens(app, tokens["access_token"])


async def test_a_second_answer_is_for_the_same_request_and_a_living_connection_alone(
    scene: Scene, app: FastAPI, owner: Tx
) -> None:
    client_id, first = scene.request.client_id, await scene.tokens()
    second = body_of(await refresh(scene.app, client_id, first["refresh_token"], scope=READ))

    # The first use narrowed the scope, so a second use can't widen it.
    assert refusal(await refresh(scene.app, client_id, first["refresh_token"])) == (400, "invalid_grant")
    assert not await opens(app, second["access_token"])
    same = await refresh(scene.app, client_id, first["refresh_token"], scope=READ)
    assert refusal(same) == (400, "invalid_grant")


async def test_answers_that_are_not_given_again_are_not_kept(
    scene: Scene, owner: Tx, database: Database
) -> None:
    kept = """
        select count(*) from oauth_tokens t join oauth_grants g on g.id = t.grant_id
        where g.person_id = %(id)s and t.answer is not null
    """
    first = await scene.tokens()
    await refresh(scene.app, scene.request.client_id, first["refresh_token"])
    assert await owner.value(kept, id=scene.person.id) == 1
    await age_uses(owner, scene.person, timedelta(minutes=2))

    await prune.prune(database, Job(1, prune.PRUNE, {}, 1))

    assert await owner.value(kept, id=scene.person.id) == 0


async def test_parallel_redemptions_of_a_code_issue_one_token_set_and_end_it(
    scene: Scene, app: FastAPI
) -> None:
    code = await scene.code()
    answers = await at_once(5, lambda _: redeem(scene.app, scene.request, code))

    token_sets = [body_of(answer) for answer in answers if answer.status_code == 200]
    assert len(token_sets) == 1
    assert not await opens(app, token_sets[0]["access_token"])


async def test_a_refresh_token_is_for_its_app_and_for_what_was_consented(scene: Scene, owner: Tx) -> None:
    client_id, tokens = await connect(scene.browser, scene.app, READ)
    foreign = await refresh(scene.app, scene.request.client_id, tokens["refresh_token"])
    wider = await refresh(scene.app, client_id, tokens["refresh_token"], scope=BOTH)
    elsewhere = await refresh(scene.app, client_id, tokens["refresh_token"], resource=f"{SITE}/v1")
    honest = await refresh(scene.app, client_id, tokens["refresh_token"])
    await owner.execute("update oauth_tokens set expires_at = now() where kind = 'refresh'")
    late = await refresh(scene.app, client_id, body_of(honest)["refresh_token"])

    assert [refusal(answer)[1] for answer in (foreign, wider, elsewhere, late)] == [
        *("invalid_grant", "invalid_scope", "invalid_target", "invalid_grant")
    ]


async def test_each_kind_of_token_is_good_for_one_thing(scene: Scene, app: FastAPI) -> None:
    code, tokens = await scene.code(), await scene.tokens()
    client_id, access, renewing = scene.request.client_id, tokens["access_token"], tokens["refresh_token"]

    assert await opens(app, access)
    for wrong in (code, renewing, access[:-1], access.upper(), "isa_" + "a" * 43):
        assert not await opens(app, wrong)
    for wrong in (code, access):
        assert refusal(await refresh(scene.app, client_id, wrong)) == (400, "invalid_grant")
    for wrong in (access, renewing):
        assert refusal(await redeem(scene.app, scene.request, wrong)) == (400, "invalid_grant")
    assert await opens(app, access)


async def test_a_token_opens_the_mcp_server_alone_and_only_in_its_header(
    scene: Scene, api: Api, app: FastAPI
) -> None:
    token = (await scene.tokens())["access_token"]

    async with stranger(app, token) as client:
        for path in ("/v1/bots", "/v1/articles", "/v1/webhooks"):
            assert (await client.get(path)).status_code == 401
    async with stranger(app) as client:
        for path in (f"{WORKSPACE}?access_token={token}", f"{WORKSPACE}?token={token}"):
            assert (await post(client, path, "tools/list")).status_code == 401
        assert (
            await client.get("/app/connected-apps", headers={"Authorization": f"Bearer {token}"})
        ).status_code == 303
    assert (await post(scene.browser, WORKSPACE, "tools/list")).status_code == 401


ENDS = {
    "disabled": "update memberships set disabled_at = now() where person_id = %(id)s",
    "removed": "delete from people where id = %(id)s",
    "revoked": "update oauth_grants set revoked_at = now() where person_id = %(id)s",
    "elsewhere": "update oauth_grants set resource = 'https://old.example/' where person_id = %(id)s",
}


@pytest.mark.parametrize("sql", ENDS.values(), ids=ENDS)
async def test_tokens_and_codes_end_with_their_connection(
    scene: Scene, app: FastAPI, owner: Tx, sql: str
) -> None:
    code, tokens = await scene.code(), await scene.tokens()
    assert await opens(app, tokens["access_token"])

    await owner.execute(sql, id=scene.person.id)

    assert not await opens(app, tokens["access_token"])
    if "resource" not in sql:
        renewed = await refresh(scene.app, scene.request.client_id, tokens["refresh_token"])
        assert refusal(renewed) == (400, "invalid_grant")
        assert refusal(await redeem(scene.app, scene.request, code)) == (400, "invalid_grant")


async def test_a_token_lasts_an_hour(scene: Scene, app: FastAPI, owner: Tx) -> None:
    tokens = await scene.tokens()
    assert tokens["expires_in"] == 3_600

    sql = """
        update oauth_tokens t set expires_at = t.expires_at - interval '1 hour'
        from oauth_grants g where g.id = t.grant_id and g.person_id = %(id)s
    """
    await owner.execute(sql, id=scene.person.id)

    assert not await opens(app, tokens["access_token"])
    renewed = await refresh(scene.app, scene.request.client_id, tokens["refresh_token"])
    assert await opens(app, body_of(renewed)["access_token"])


async def test_a_smaller_role_makes_every_connection_smaller_and_a_pause_holds_writes(
    scene: Scene, api: Api, cast: Cast, owner: Tx
) -> None:
    named = {"botId": str(cast.acme.bot_id)}
    call = {"name": "create_article", "arguments": {"title": "A", "contentMarkdown": "b", **named}}
    tokens = await scene.tokens()
    agent = api(tokens["access_token"])

    workspace = scene.person.workspace_id
    await owner.execute("update workspaces set paused_at = now() where id = %(id)s", id=workspace)
    paused = await post(agent, WORKSPACE, "tools/call", call)
    reads = await post(agent, WORKSPACE, "tools/list")
    await owner.execute("update memberships set role = 'viewer' where person_id = %(id)s", id=scene.person.id)
    demoted = await post(agent, WORKSPACE, "tools/call", call)

    assert "plan_inactive" in paused.text
    assert reads.status_code == 200
    assert (demoted.status_code, body_of(demoted)["code"]) == (403, "insufficient_scope")
    assert "WWW-Authenticate" not in demoted.headers
    renewed = body_of(await refresh(scene.app, scene.request.client_id, tokens["refresh_token"]))
    assert renewed["scope"] == READ


async def test_an_app_gives_back_its_own_connection_and_no_other(scene: Scene, app: FastAPI) -> None:
    tokens = await scene.tokens()
    other = await register(scene.app)

    async def give_back(client_id: str, token: str) -> Response:
        return await scene.app.post("/oauth/revoke", data={"client_id": client_id, "token": token})

    for client_id, token in ((other, tokens["access_token"]), (scene.request.client_id, "isr_" + "a" * 43)):
        assert (await give_back(client_id, token)).status_code == 200
    assert await opens(app, tokens["access_token"])
    assert (await give_back(scene.request.client_id, tokens["refresh_token"])).status_code == 200

    assert not await opens(app, tokens["access_token"])
    renewed = await refresh(scene.app, scene.request.client_id, tokens["refresh_token"])
    assert refusal(renewed) == (400, "invalid_grant")


BAD_CALLS: dict[str, tuple[Json, int, str]] = {
    "a password": (
        {"grant_type": "password", "username": "a", "password": "b"},
        400,
        "unsupported_grant_type",
    ),
    "an app of its own": ({"grant_type": "client_credentials"}, 400, "unsupported_grant_type"),
    "no kind": ({"grant_type": None}, 400, "invalid_request"),
    "no app": ({"client_id": None}, 401, "invalid_client"),
    "no code": ({"code": None}, 400, "invalid_request"),
    "no verifier": ({"code_verifier": None}, 400, "invalid_request"),
    "another server": ({"resource": "https://evil.example/"}, 400, "invalid_target"),
    "a NUL": ({"code": "isc_\0"}, 400, "invalid_request"),
}


async def test_calls_for_tokens_are_refused_in_oauths_words(scene: Scene) -> None:
    code = await scene.code()
    for name, (but, status, error) in BAD_CALLS.items():
        assert refusal(await redeem(scene.app, scene.request, code, **but)) == (status, error), name
    assert (await redeem(scene.app, scene.request, code)).status_code == 200


async def test_calls_of_another_form_are_refused(scene: Scene) -> None:
    fields = scene.request.redemption(await scene.code())
    secret = {"Authorization": "Basic YTpi"}
    answers = [
        await scene.app.post("/oauth/token", json=fields),
        await scene.app.post("/oauth/token", content="code=1&code=2", headers={"Content-Type": FORM}),
        await scene.app.post("/oauth/token", content=b"code=%ff", headers={"Content-Type": FORM}),
        await scene.app.post("/oauth/token", data=fields, headers=secret),
        await scene.app.post("/oauth/token", data=fields | {"x": "y" * limits.MAX_OAUTH_BODY_BYTES}),
        await scene.app.get("/oauth/token", params=fields),
        await scene.app.post("/oauth/revoke", data={"token": "x"}),
    ]

    assert [answer.status_code for answer in answers] == [400, 400, 400, 401, 400, 405, 401]
    for answer in answers:
        assert refusal(answer)[1] in ("invalid_request", "invalid_client")


FORM = "application/x-www-form-urlencoded"
BAD_REGISTRATIONS = [
    ({}, "invalid_redirect_uri"),
    ({"redirect_uris": []}, "invalid_redirect_uri"),
    ({"redirect_uris": "https://app.example/"}, "invalid_redirect_uri"),
    ({"redirect_uris": [HOME] * (limits.MAX_REDIRECT_URIS + 1)}, "invalid_redirect_uri"),
    ({"redirect_uris": [AWAY], "grant_types": ["client_credentials"]}, "invalid_client_metadata"),
    ({"redirect_uris": [AWAY], "response_types": ["token"]}, "invalid_client_metadata"),
    ({"redirect_uris": [AWAY], "client_name": "a\0b"}, "invalid_client_metadata"),
    ([], "invalid_client_metadata"),
    *(
        ({"redirect_uris": [AWAY, uri]}, "invalid_redirect_uri")
        for uri in (
            *(
                "http://app.example/",
                "javascript:alert(1)",
                "data:text/html,x",
                "app.example",
                "//app.example/",
            ),
            *("https://app.example/#x", "https://a@app.example/", "https://app.example\\@evil.example/"),
            *("https://app.example/\r\nX: y", "https://ex\u0430mple.com/", "http://127.0.0.1.evil.example/"),
            *(
                "file:///etc/passwd",
                "https://*.example/",
                "JavaScript://%0aalert(1)",
                "javascript:/alert(1)",
                "data://text/html,x",
                "vbscript:/x",
                "blob:https://app.example/1",
                "ms-msdt:/id",
                "intent://app.example/",
                "googlechromes://evil.example/",
                "microsoft-edge:/https://evil.example/",
                "cursor:callback",
                "cursor://a b",
                "cursor://app/callback#x",
                "https://" + "a" * 2_000 + ".example/",
            ),
        )
    ),
]


async def test_registrations_that_could_lead_elsewhere_are_refused(scene: Scene, app: FastAPI) -> None:
    for body, error in BAD_REGISTRATIONS:
        assert refusal(await scene.app.post("/oauth/register", json=body)) == (400, error), body
    for content in (b"{", b"\xff", b'{"a": NaN}', b"[" * 5_000):
        answer = await scene.app.post("/oauth/register", content=content)
        assert refusal(answer) == (400, "invalid_client_metadata")


async def test_registrations_and_calls_for_tokens_are_limited_by_address(scene: Scene) -> None:
    tried = [await scene.app.post("/oauth/register", json={"redirect_uris": [HOME]}) for _ in range(20)]
    assert [answer.status_code for answer in tried] == [201] * 19 + [429]
    assert 0 < int(tried[-1].headers["Retry-After"]) <= 3_600

    calls = await asyncio.gather(
        *(refresh(scene.app, "x", "isr_x") for _ in range(limits.TOKEN_CALLS_PER_MINUTE + 1))
    )
    assert sorted(answer.status_code for answer in calls) == [400] * limits.TOKEN_CALLS_PER_MINUTE + [429]


async def test_a_connection_has_a_limit_of_its_own(scene: Scene, api: Api, app: FastAPI, owner: Tx) -> None:
    first, second = await scene.tokens(), await scene.tokens()
    assert await opens(app, first["access_token"])
    sql = """
        update rate_windows set hits = 120 where policy = 'api' and subject in
          (select id from oauth_grants where person_id = %(id)s)
    """
    assert await owner.execute(sql, id=scene.person.id) == 1

    spent = await post(api(first["access_token"]), WORKSPACE, "tools/list")
    other = await post(api(second["access_token"]), WORKSPACE, "tools/list")

    assert (spent.status_code, body_of(spent)["code"]) == (429, "rate_limited")
    assert (spent.headers["RateLimit-Policy"], other.status_code) == ('"api";q=120;w=60', 200)


KINDS = ("access", "refresh")


async def test_nothing_that_opens_anything_is_stored(scene: Scene, owner: Tx) -> None:
    code, tokens = await scene.code(), await scene.tokens()
    renewed = body_of(await refresh(scene.app, scene.request.client_id, tokens["refresh_token"]))

    for table in ("oauth_grants", "oauth_tokens", "oauth_clients", "audit_entries"):
        rows = await owner.value(f"select coalesce(string_agg(t::text, ''), '') from {table} t")
        for secret in (code, *(each[f"{kind}_token"] for each in (tokens, renewed) for kind in KINDS)):
            assert secret not in rows
            assert secret.encode().hex() not in rows

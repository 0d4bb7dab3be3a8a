"""Access checks of the answer API: authentication, rate limits, and the order of refusals."""

import json
from typing import Any

import httpx2
import pytest
from fastapi import FastAPI

from instep.accounts.workspaces.actions import pause_workspace
from instep.app import create_app
from instep.operations.ops.routes import list_routes
from instep.platform.core.database import Database, Tx
from instep.platform.web.visitors.errors import TITLES_AND_HINTS
from tests.support.cast import Api, Cast, Json
from tests.support.http import Response, at_once, body_of, ok, stranger
from tests.support.visitors import (
    ANN,
    LEADS,
    begin,
    credentials,
    escalate,
    escalation,
    is_untouched,
    leave,
    named_fields,
    refusal,
    rows,
    spend,
)

POLICIES = '"widget-chat";q=30;w=60, "widget-address";q=120;w=60'
UNKNOWN_BOT = "0190163d-8694-439b-aea5-966c26f8ad91"
PATHS = sorted(
    row.path
    for row in list_routes(create_app()).results
    if (row.access, row.method) == ("bot key", "POST") and row.path.startswith(("/chat", "/leads"))
)

each_path = pytest.mark.parametrize("path", PATHS)


def lead(cast: Cast, **sent: Any) -> Json:
    return {**credentials(cast.acme), "email": ANN, **sent}


async def calling_from(app: FastAPI, address: str, body: Json, times: int = 1) -> Response:
    """Send this many calls from this network address; return the last response."""
    transport = httpx2.ASGITransport(app, client=(address, 1))
    async with httpx2.AsyncClient(transport=transport, base_url="http://help.test") as client:
        for _ in range(times - 1):
            await client.post(LEADS, json=body)
        return await client.post(LEADS, json=body)


def left(answer: Response) -> list[int]:
    """The number of remaining calls of each policy."""
    return [int(part.split(";r=")[1].split(";")[0]) for part in answer.headers["RateLimit"].split(", ")]


@each_path
async def test_an_unknown_bot_and_a_wrong_key_are_told_the_same(
    app: FastAPI, api: Api, cast: Cast, owner: Tx, path: str
) -> None:
    known, key = str(cast.acme.bot_id), cast.acme.bot_key
    wrong: list[Json] = [
        {"botId": UNKNOWN_BOT, "botKey": key},
        {"botId": "acme", "botKey": key},
        {"botId": "", "botKey": key},
        {"botId": "\0", "botKey": key},
        {"botId": known, "botKey": ""},
        {"botId": known, "botKey": key[:-1]},
        {"botId": known, "botKey": key + "x"},
        {"botId": known, "botKey": key.swapcase()},
        {"botId": known, "botKey": "\0"},
        {"botId": known, "botKey": "é" * 10_000},
        {"botId": known, "botKey": cast.globex.bot_key},
        {"botId": str(cast.second_bot_id), "botKey": key},
    ]
    async with stranger(app) as client:
        answers = [await client.post(path, json={**body, "email": ANN}) for body in wrong]

    assert {refusal(answer) for answer in answers} == {(401, "invalid_credentials")}
    assert len({answer.content for answer in answers}) == 1
    assert {answer.headers["RateLimit-Policy"] for answer in answers} == {'"anonymous";q=60;w=60'}
    assert await is_untouched(owner, cast)


@each_path
@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"[]",
        b"null",
        b'"botId"',
        b"\xff\xfe",
        b'{"botId": NaN}',
        b'{"botId": "\\ud800", "botKey": "x"}',
        b"[" * 60_000,
        b'{"botId": "' + b"x" * 65_536 + b'"}',
    ],
    ids=lambda content: ascii(content[:24]),
)
async def test_a_body_that_can_not_be_read_is_refused(
    app: FastAPI, api: Api, cast: Cast, owner: Tx, path: str, content: bytes
) -> None:
    async with stranger(app) as client:
        refused = await client.post(path, content=content, headers={"Content-Type": "application/json"})

    assert refusal(refused) == (400, "invalid_request")
    assert refused.headers["RateLimit-Policy"] == '"anonymous";q=60;w=60'
    assert await is_untouched(owner, cast)


@each_path
@pytest.mark.parametrize(
    ("body", "fields"),
    [
        ({}, ["botId", "botKey"]),
        ({"botKey": "pk_x"}, ["botId"]),
        ({"botId": UNKNOWN_BOT}, ["botKey"]),
        ({"botId": 1, "botKey": None}, ["botId", "botKey"]),
        ({"bot_id": UNKNOWN_BOT, "botKey": ["pk_x"]}, ["botId", "botKey"]),
    ],
    ids=str,
)
async def test_bot_and_key_must_be_named(
    app: FastAPI, api: Api, cast: Cast, path: str, body: Json, fields: list[str]
) -> None:
    async with stranger(app) as client:
        assert named_fields(await client.post(path, json=body)) == fields


@pytest.mark.parametrize(
    "kind", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""]
)
async def test_another_kind_of_body_is_refused(api: Api, cast: Cast, owner: Tx, kind: str) -> None:
    """A request that another site may send without a preflight has no effect."""
    content = json.dumps(lead(cast))

    refused = await api(None).post(LEADS, content=content, headers={"Content-Type": kind})

    assert refusal(refused) == (400, "invalid_request")
    assert await is_untouched(owner, cast)


async def test_credentials_are_taken_from_the_body_alone(api: Api, cast: Cast, owner: Tx) -> None:
    named = credentials(cast.acme)

    refused = await api(None).post(LEADS, json={"email": ANN}, params=named, headers=named)

    assert named_fields(refused) == ["botId", "botKey"]
    assert await is_untouched(owner, cast)


async def test_the_31st_call_in_a_minute_is_refused(
    app: FastAPI, api: Api, cast: Cast, database: Database, owner: Tx
) -> None:
    """All calls of the answer API share one limit."""
    conversation = await begin(database, cast.acme)
    async with stranger(app) as client:
        answers = [await escalate(client, cast.acme, conversation) for _ in range(20)]
        answers += [await client.post(LEADS, json=lead(cast)) for _ in range(12)]

    assert [answer.status_code for answer in answers] == [200] * 20 + [201] * 10 + [429] * 2
    assert [left(answer)[0] for answer in answers] == [*range(29, -1, -1), 0, 0]
    assert [left(answer)[1] for answer in answers] == list(range(119, 87, -1))
    assert {answer.headers["RateLimit-Policy"] for answer in answers} == {POLICIES}
    refused = answers[-1]
    assert refusal(refused) == (429, "rate_limited")
    assert 1 <= int(refused.headers["Retry-After"]) <= 60
    assert f'"widget-chat";r=0;t={refused.headers["Retry-After"]}' in refused.headers["RateLimit"]
    assert len(await rows(owner, "leads", cast.acme)) == 10


async def test_the_wider_limit_is_of_the_address(app: FastAPI, api: Api, cast: Cast, owner: Tx) -> None:
    await spend(owner, "widget-address", f"{cast.acme.bot_id} 192.0.2.7", 119)

    last, refused = [await calling_from(app, "192.0.2.7", lead(cast)) for _ in range(2)]

    assert last.status_code == 201
    assert refusal(refused) == (429, "rate_limited")
    assert left(refused) == [28, 0]
    assert (await calling_from(app, "192.0.2.8", lead(cast))).status_code == 201


async def test_each_bot_counts_for_itself(app: FastAPI, api: Api, cast: Cast) -> None:
    spent = await calling_from(app, "192.0.2.9", lead(cast), times=31)

    other = await calling_from(app, "192.0.2.9", {**credentials(cast.globex), "email": ANN})

    assert spent.status_code == 429
    assert left(other) == [29, 119]


@pytest.mark.parametrize(
    ("first", "second", "is_one"),
    [
        ("2001:db8:1:2::1", "2001:db8:1:2:ffff::9", True),
        ("2001:db8:1:2::1", "2001:db8:1:3::1", False),
        ("::ffff:192.0.2.10", "192.0.2.10", True),
        ("::ffff:192.0.2.10", "::ffff:192.0.2.11", False),
    ],
)
async def test_addresses_of_one_customer_count_together(
    app: FastAPI, api: Api, cast: Cast, first: str, second: str, is_one: bool
) -> None:
    await calling_from(app, first, lead(cast))

    answer = await calling_from(app, second, lead(cast))

    assert left(answer)[1] == (118 if is_one else 119)


async def test_the_window_ends(app: FastAPI, api: Api, cast: Cast, owner: Tx) -> None:
    await calling_from(app, "192.0.2.12", lead(cast), times=31)
    await owner.execute(
        "update rate_windows set started_at = started_at - interval '61 seconds' where subject = %(subject)s",
        subject=f"{cast.acme.bot_id} 192.0.2.12",
    )

    assert left(await calling_from(app, "192.0.2.12", lead(cast))) == [29, 119]


async def test_guessing_of_keys_is_limited_by_address(app: FastAPI, api: Api, cast: Cast) -> None:
    wrong = lead(cast, botKey="pk_guessed")
    async with stranger(app) as client:
        answers = [await client.post(LEADS, json=wrong) for _ in range(61)]
        malformed = await client.post(LEADS, content=b"{")
        right = await client.post(LEADS, json=lead(cast))

    assert [refusal(answer)[0] for answer in answers] == [401] * 60 + [429]
    assert refusal(malformed) == (429, "rate_limited")
    assert right.status_code == 201


async def test_the_refusals_come_in_order(
    app: FastAPI, api: Api, cast: Cast, database: Database, owner: Tx
) -> None:
    """Each call has all faults from its position in the order on; the first one is reported."""
    await pause_workspace(owner, cast.paused.workspace_id)
    paused = credentials(cast.paused)
    foreign = {"Origin": "https://evil.example"}
    bad: Json = {"email": 1}
    path = escalation("conv_nothing")

    async with stranger(app) as client:
        states = [
            refusal(await client.post(path, json={"botKey": "wrong", **bad}, headers=foreign)),
            refusal(await client.post(path, json={**paused, "botKey": "wrong", **bad}, headers=foreign)),
            refusal(await client.post(path, json={**paused, **bad}, headers=foreign)),
            refusal(await client.post(path, json={**paused, **bad})),
            refusal(await client.post(path, json={**credentials(cast.acme), **bad})),
            refusal(await client.post(path, json=credentials(cast.acme))),
        ]
    await spend(owner, "widget-chat", f"{cast.paused.bot_id} 192.0.2.13", 1_000)
    spent = await calling_from(app, "192.0.2.13", {**paused, **bad})

    assert states == [
        (400, "invalid_request"),
        (401, "invalid_credentials"),
        (403, "origin_not_allowed"),
        (402, "plan_inactive"),
        (400, "invalid_request"),
        (404, "not_found"),
    ]
    assert refusal(spent) == (429, "rate_limited")


@pytest.mark.parametrize(
    "path", ["/chat/x", "/chat/x/y/z", "/leads/", "/widget/x", "/chat/x/escalate/", "/chat/"]
)
async def test_unknown_addresses_below_it_are_told_as_json(api: Api, cast: Cast, path: str) -> None:
    for method in ("GET", "POST"):
        assert refusal(await api(None).request(method, path)) == (404, "not_found")


@each_path
async def test_other_methods_are_refused_as_json(api: Api, cast: Cast, path: str) -> None:
    for method in ("GET", "PUT", "PATCH", "DELETE"):
        refused = await api(None).request(method, path)
        assert refusal(refused) == (405, "method_not_allowed")
        assert refused.headers["Allow"] == "OPTIONS, POST"


async def test_an_unforeseen_error_is_told_without_its_words(
    api: Api, cast: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError("the words of the error")

    monkeypatch.setattr("instep.visitors.answers.actions.filled", fail)

    refused = await api(None).post(LEADS, json=lead(cast))

    assert refusal(refused) == (500, "internal_error")
    assert refused.headers["RateLimit-Policy"] == POLICIES
    assert "words" not in refused.text


async def test_calls_that_come_at_once_are_each_counted(app: FastAPI, api: Api, cast: Cast) -> None:
    async with stranger(app) as client:
        answers = await at_once(40, lambda _: client.post(LEADS, json=lead(cast)))

    assert sorted(answer.status_code for answer in answers) == [201] * 30 + [429] * 10
    assert sorted(left(answer)[1] for answer in answers) == list(range(80, 120))


async def test_reused_connection_shows_nothing_of_another_company(
    api: Api, cast: Cast, database: Database, owner: Tx
) -> None:
    """One bot's call leaves its connection for the next bot's call."""
    await leave(api(None), cast.acme)
    conversation = await begin(database, cast.globex)

    ok(await escalate(api(None), cast.globex, conversation))

    assert len(await rows(owner, "leads", cast.acme)) == 1
    assert await rows(owner, "leads", cast.globex) == []
    assert (await api(cast.globex.read_key).get("/v1/articles")).json()["results"] == []


def test_every_refusal_has_a_title_and_advice() -> None:
    assert TITLES_AND_HINTS.keys() >= {
        *("invalid_request", "invalid_credentials", "origin_not_allowed", "not_found", "plan_inactive"),
        *("rate_limited", "internal_error"),
    }
    assert all(
        title and not title.endswith(".") and hint.endswith(".") for title, hint in TITLES_AND_HINTS.values()
    )


async def test_a_pause_of_one_workspace_is_none_of_another(api: Api, cast: Cast, owner: Tx) -> None:
    await pause_workspace(owner, cast.paused.workspace_id)

    assert body_of(await api(None).post(LEADS, json=lead(cast)))["id"]

"""Rules for every operation of the management API, including future ones: who may call it, and how."""

import re

import httpx2
import pytest
from fastapi import FastAPI

from instep.accounts.workspaces.actions import create_key, pause_workspace, revoke_key
from instep.app import create_app
from instep.operations.ops.routes import list_routes
from instep.platform.core.database import Tx
from instep.platform.identity.keys import new_key
from instep.platform.identity.scopes import Scope
from tests.support.cast import Api, Cast, Client
from tests.support.http import Response, error, stranger

Operation = tuple[str, str]
OPERATIONS = [
    (route.method, re.sub(r"{\w+}", "nothing", route.path))
    for route in list_routes(create_app()).results
    if route.path.startswith("/v1/") and route.access != "public"
]
READS = [operation for operation in OPERATIONS if operation[0] == "GET"]
WRITES = [operation for operation in OPERATIONS if operation[0] != "GET"]
WITHOUT_BOT = {("GET", "/v1/bots"), ("GET", "/v1/tasks/nothing")}
OF_ONE_BOT = [
    operation
    for operation in OPERATIONS
    # Webhook endpoints may serve several bots.
    if operation not in WITHOUT_BOT and not operation[1].startswith("/v1/webhooks")
]

each = pytest.mark.parametrize("operation", OPERATIONS, ids=" ".join)


async def ask(
    client: Client,
    operation: Operation,
    params: dict[str, str] | None = None,
    headers: dict[str, str] | None = None,
) -> Response:
    """Send a request with a malformed body, if any: these refusals must come before the body is parsed."""
    method, path = operation
    content = b"{" if method != "GET" else None
    return await client.request(method, path, content=content, params=params, headers=headers)


def test_the_operations_are_found() -> None:
    assert len(READS) > 10
    assert len(WRITES) > 10


async def test_requests_without_a_key_get_401(app: FastAPI, api: Api) -> None:
    for operation in OPERATIONS:
        async with stranger(app) as client:
            refusal = await ask(client, operation)

        assert error(refusal) == (401, "unauthorized"), operation
        assert refusal.headers["WWW-Authenticate"] == "Bearer"
        assert refusal.headers["RateLimit-Policy"] == '"anonymous";q=60;w=60'
        assert refusal.headers["Request-Id"]


async def test_a_revoked_key_is_dead(app: FastAPI, api: Api, cast: Cast, owner: Tx) -> None:
    await revoke_key(owner, cast.acme.workspace_id, cast.acme.write_key_id)

    for operation in OPERATIONS:
        async with stranger(app, cast.acme.write_key) as client:
            refusal = await ask(client, operation)

        assert error(refusal) == (401, "unauthorized"), operation
        assert refusal.headers["WWW-Authenticate"] == "Bearer"


async def test_a_read_key_may_not_write(reader: Client) -> None:
    for operation in WRITES:
        assert error(await ask(reader, operation)) == (403, "insufficient_scope"), operation


async def test_a_key_that_may_propose_does_nothing_else(api: Api, cast: Cast, owner: Tx) -> None:
    key = await create_key(owner, cast.acme.workspace_id, "ci", Scope.PROPOSE, [cast.acme.bot_id])
    client = api(key.key)
    proposals = (
        ("POST", "/v1/tasks"),
        ("POST", "/v1/articles/nothing/drafts"),
        ("PATCH", "/v1/drafts/nothing"),
        ("POST", "/v1/drift/checks"),
        ("POST", "/v1/articles/translate"),
    )

    for operation in WRITES:
        is_about_one = operation[1].startswith(("/v1/places/", "/v1/comments"))
        expected = (400, "invalid_request") if operation in proposals else (403, "insufficient_scope")
        # Operations without a body look up the place or comment.
        accepted = [(400, "invalid_request"), (404, "not_found")] if is_about_one else [expected]
        assert error(await ask(client, operation)) in accepted, operation


async def test_a_paused_workspace_takes_no_writes(api: Api, cast: Cast, owner: Tx) -> None:
    await pause(owner, cast)
    writer, reader = api(cast.paused.write_key), api(cast.paused.read_key)

    for operation in WRITES:
        assert error(await ask(writer, operation)) == (402, "plan_inactive"), operation
        assert error(await ask(reader, operation)) == (403, "insufficient_scope"), operation


async def test_a_key_of_several_bots_must_name_one(wide: Client) -> None:
    for operation in OF_ONE_BOT:
        assert error(await ask(wide, operation)) == (400, "bot_required"), operation


@each
async def test_a_key_serves_no_bot_that_it_does_not_cover(
    client: Client, cast: Cast, operation: Operation
) -> None:
    answers = [
        await ask(client, operation, params={"bot_id": str(bot)})
        for bot in (cast.second_bot_id, cast.globex.bot_id, "0190163d-8694-439b-aea5-966c26f8ad91")
    ]
    answers.append(await ask(client, operation, headers={"Service-Bot": str(cast.globex.bot_id)}))

    assert {error(answer) for answer in answers} == {(403, "insufficient_scope")}
    assert len({answer.content for answer in answers}) == 1


async def test_rate_headers_and_an_id_are_on_every_answer(client: Client) -> None:
    for operation in OPERATIONS:
        answer = await ask(client, operation)

        assert answer.headers["RateLimit-Policy"].startswith('"api";q=120;w=60'), operation
        assert re.match(r'"api";r=\d+;t=\d+\b', answer.headers["RateLimit"])
        assert answer.headers["Request-Id"]
        assert answer.headers["Content-Type"] == "application/json"


async def test_a_key_that_was_never_given_out_counts_for_the_address(app: FastAPI, api: Api) -> None:
    for operation in OPERATIONS:
        async with stranger(app, new_key()) as client:
            counts_left = [remaining(await ask(client, operation)) for _ in range(2)]

        assert counts_left == [59, 58], operation


async def pause(owner: Tx, cast: Cast) -> None:
    await pause_workspace(owner, cast.paused.workspace_id)


def remaining(answer: httpx2.Response) -> int:
    parsed = re.search(r"r=(\d+)", answer.headers["RateLimit"])
    assert parsed
    return int(parsed[1])

"""Clients that start a request and stall are disconnected in time, while all others are served."""

import asyncio
import json
import time
from collections.abc import AsyncIterator

import pytest
from fastapi import FastAPI

from instep.platform.core.database import Database, Tx
from instep.platform.web.protocol import StrictHttp
from tests.support.cast import Api, Cast, Client
from tests.support.http import create_article
from tests.support.limits import SetLimit
from tests.support.slow_clients import (
    CONNECTIONS,
    IMPATIENCE,
    ImpatientHttp,
    SlowClient,
    connected,
    is_healthy,
    until,
)
from tests.support.wire import serving

HALF_HEAD = b"GET /healthz HTTP/1.1\r\nHost: help.test\r\nX-Half: "
HEALTH = b"GET /healthz HTTP/1.1\r\nHost: help.test\r\n\r\n"
LARGE_BYTES = 12_000_000


@pytest.fixture
async def port(app: FastAPI, database: Database) -> AsyncIterator[int]:
    async with serving(app, database, ImpatientHttp) as listening:
        yield listening


def post(path: str, length: int, key: str | None = None) -> bytes:
    """The head of a request that announces a body."""
    authorization = f"Authorization: Bearer {key}\r\n" if key else ""
    return (
        f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n{authorization}"
        f"Content-Length: {length}\r\n\r\n"
    ).encode()


def status_and_code(answer: bytes) -> tuple[int, str]:
    head, _, body = answer.partition(b"\r\n\r\n")
    return int(head.split()[1]), json.loads(body)["code"]


async def test_half_heads_are_ended_while_others_are_served(port: int) -> None:
    async with connected(port, 70) as some, connected(port, 70, "127.0.0.3") as others:
        for client in (*some, *others):
            await client.send(HALF_HEAD)
        assert await is_healthy(port)

        answers = await asyncio.gather(*(client.end() for client in (*some, *others)))

    assert {status_and_code(each) for each in answers} == {(408, "request_timeout")}
    assert all(b"connection: close" in each for each in answers)


async def test_a_head_that_drips_is_ended_too(port: int) -> None:
    async with connected(port, 1) as (client,):
        await client.send(HALF_HEAD)
        ending = asyncio.create_task(client.end())
        while not ending.done():
            await client.send(b"x")
            assert await is_healthy(port)

    assert status_and_code(await ending) == (408, "request_timeout")


async def test_a_connection_without_a_request_is_closed(port: int) -> None:
    async with connected(port, 1) as (client,):
        assert await client.end() == b""


@pytest.mark.parametrize("behind", [b"", b"\r\n"], ids=["nothing", "a blank line"])
async def test_a_connection_is_closed_some_time_after_its_last_request(port: int, behind: bytes) -> None:
    async with connected(port, 1) as (client,):
        began = time.monotonic()
        await client.send(HEALTH + behind)

        answer = await client.end()

    assert answer.count(b"HTTP/1.1") == answer.count(b"HTTP/1.1 200") == 1
    assert time.monotonic() - began >= IMPATIENCE.idle - IMPATIENCE.check


async def test_a_body_that_stops_is_refused_and_changes_nothing(
    port: int, reader: Client, cast: Cast
) -> None:
    async with connected(port, 2) as clients:
        for client in clients:
            await client.send(post("/v1/articles", 1_000, cast.acme.write_key) + b'{"title": "Half"')

        answers = await asyncio.gather(*(client.end() for client in clients))

    assert {status_and_code(each) for each in answers} == {(408, "request_timeout")}
    assert (await reader.get("/v1/articles")).json()["results"] == []


async def test_a_body_that_comes_slowly_but_steadily_is_taken(port: int, cast: Cast) -> None:
    body = json.dumps({"title": "Slow", "contentMarkdown": "x" * 4_000}).encode()
    async with connected(port, 1) as (client,):
        began = time.monotonic()
        await client.send(post("/v1/articles", len(body), cast.acme.write_key) + body[:-1])
        await until(port, lambda: time.monotonic() - began > 2 * IMPATIENCE.body_grace)
        await client.send(body[-1:])

        answer = await client.end()

    assert answer.startswith(b"HTTP/1.1 201")


@pytest.mark.parametrize("path", ["/v1/tasks", "/v1/articles", "/mcp/admin"])
async def test_nothing_of_a_large_body_is_waited_for_without_a_key(port: int, cast: Cast, path: str) -> None:
    async with connected(port, 1) as (client,):
        await client.send(post(path, LARGE_BYTES))

        answer = await client.end()

    assert answer.startswith(b"HTTP/1.1 401")
    assert b"\r\nratelimit:" in answer.lower()


async def test_a_large_body_without_a_key_is_counted_and_then_refused_as_too_much(
    port: int, cast: Cast
) -> None:
    async def spent() -> bytes:
        async with connected(port, 1, "127.0.0.9") as (client,):
            await client.send(post("/v1/tasks", LARGE_BYTES))
            return await client.end()

    answers = [await spent() for _ in range(2)]

    remaining = [int(each.lower().partition(b'"anonymous";r=')[2].partition(b";")[0]) for each in answers]
    assert remaining[0] - remaining[1] == 1


async def test_a_large_body_counts_once_and_is_taken(port: int, cast: Cast) -> None:
    body = json.dumps({"title": "Large", "contentMarkdown": "x" * 500_000}).encode()
    async with connected(port, 1) as (client,):
        await client.send(post("/v1/articles", len(body), cast.acme.write_key) + body)

        answer = await client.end()

    assert answer.startswith(b"HTTP/1.1 201")
    assert b'"api";r=119;' in answer


async def test_a_key_that_is_revoked_while_a_large_body_comes_in_opens_nothing(
    port: int, reader: Client, cast: Cast, owner: Tx
) -> None:
    body = json.dumps({"title": "Late", "contentMarkdown": "x" * 100_000}).encode()
    async with connected(port, 1) as (client,):
        await client.send(post("/v1/articles", len(body), cast.acme.write_key) + body[:-1])
        used = "select last_used_at is not null from api_keys where key_hash = sha256(%(key)s::bytea)"
        while not await owner.value(used, key=cast.acme.write_key):
            assert await is_healthy(port)
        await owner.execute(
            "update api_keys set revoked_at = now() where key_hash = sha256(%(key)s::bytea)",
            key=cast.acme.write_key,
        )
        await client.send(body[-1:])

        answer = await client.end()

    assert answer.startswith(b"HTTP/1.1 401")
    assert (await reader.get("/v1/articles")).json()["results"] == []


async def ask_for_much(client: SlowClient, cast: Cast) -> None:
    key = cast.acme.read_key
    await client.send(
        f"GET /v1/articles HTTP/1.1\r\nHost: help.test\r\nAuthorization: Bearer {key}\r\n\r\n".encode()
    )


@pytest.fixture
async def much(api: Api, cast: Cast) -> None:
    """A list of articles too large for any kernel buffer."""
    for _ in range(2):
        await create_article(api(cast.acme.write_key), contentMarkdown="x " * 450_000)


async def test_client_that_reads_nothing_is_disconnected(port: int, cast: Cast, much: None) -> None:
    async with connected(port, 5) as clients:
        for client in clients:
            await ask_for_much(client, cast)

        await until(port, lambda: not CONNECTIONS.by_address["127.0.0.2"])

        answers = await asyncio.gather(*(client.end() for client in clients))
    assert max(map(len, answers)) < 1_800_000


async def test_client_that_reads_gets_the_whole_response(port: int, cast: Cast, much: None) -> None:
    async with connected(port, 1) as (client,):
        await ask_for_much(client, cast)
        answer = await client.end()

    head, _, body = answer.partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 200")
    assert len(json.loads(body)["results"]) == 2


async def test_clients_idle_for_longest_are_disconnected_if_too_much_waits(
    port: int, cast: Cast, much: None, set_limit: SetLimit, monkeypatch: pytest.MonkeyPatch
) -> None:
    set_limit("MAX_WAITING_BYTES", 4_000_000)
    monkeypatch.setattr(ImpatientHttp, "timeouts", StrictHttp.timeouts)
    async with connected(port, 6) as clients:
        for client in clients:
            await ask_for_much(client, cast)

        await until(port, lambda: CONNECTIONS.by_address["127.0.0.2"] <= 2)

        assert CONNECTIONS.by_address["127.0.0.2"] >= 1

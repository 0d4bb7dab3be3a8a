"""Data that is not HTTP is refused on a real socket: once, in JSON, and the connection ends."""

import asyncio
import json
from collections.abc import AsyncIterator

import pytest
from fastapi import FastAPI

from instep.platform.core.database import Database
from tests.support.cast import Cast
from tests.support.wire import SECONDS, send, serving

GET = b"GET /v1/bots HTTP/1.1\r\n"
POST = b"POST /v1/articles HTTP/1.1\r\nHost: help.test\r\nContent-Type: application/json\r\n"

ENDLESS_BYTES = 50_000_000


@pytest.fixture
async def port(app: FastAPI, database: Database) -> AsyncIterator[int]:
    async with serving(app, database) as listening:
        yield listening


@pytest.mark.parametrize(
    "request_bytes",
    [
        b"nonsense\r\n\r\n",
        b"FETCH /v1/bots HTTP/1.1\r\nHost: help.test\r\n\r\n",
        b"GET /v1/bots HTTP/9.9\r\nHost: help.test\r\n\r\n",
        b"GET /v1/\xff\xfe HTTP/1.1\r\nHost: help.test\r\n\r\n",
        GET + b"\r\n",
        GET + b"Host: one.test\r\nHost: two.test\r\n\r\n",
        GET + b"Host: help.test\r\nBad Name: x\r\n\r\n",
        GET + b"Host: help.test\r\nX: a\x00b\r\n\r\n",
        POST + b"Content-Length: 5\r\nContent-Length: 6\r\n\r\n{}   ",
        POST + b"Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        POST + b"Content-Length: -1\r\n\r\n",
        POST + b"Content-Length: two\r\n\r\n{}",
        GET + b"Host: help.test\r\nX: " + b"x" * 100_000 + b"\r\n\r\n",
        GET + b"Host: help.test\r\n" + b"X: y\r\n" * 20_000 + b"\r\n",
        b"GET /v1/bots?" + b"q" * 100_000 + b" HTTP/1.1\r\nHost: help.test\r\n\r\n",
    ],
    ids=[
        "nonsense",
        "unknown method",
        "unknown version",
        "bytes in the path",
        "no host",
        "two hosts",
        "header name",
        "header value",
        "two lengths",
        "length and chunks",
        "negative length",
        "length in words",
        "long header",
        "many headers",
        "long address",
    ],
)
async def test_malformed_requests_are_refused_as_json(port: int, cast: Cast, request_bytes: bytes) -> None:
    answers = await send(port, request_bytes)

    assert [(answer.status, answer.code) for answer in answers] == [(400, "invalid_request")]
    assert answers[0].headers["connection"] == "close"
    assert answers[0].headers["request-id"]


async def sent_until_refused(port: int, beginning: bytes, part: bytes) -> int:
    """The number of bytes that the server accepts of an endless input, up to `ENDLESS_BYTES`."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(beginning)
    sent_bytes = 0
    async with asyncio.timeout(SECONDS):
        while not reader.at_eof() and not writer.is_closing() and sent_bytes < ENDLESS_BYTES:
            writer.write(part)
            sent_bytes += len(part)
            try:
                await writer.drain()
            except ConnectionError:
                break
    writer.close()
    return sent_bytes


async def test_a_head_that_never_ends_is_refused_before_it_fills_the_memory(port: int, cast: Cast) -> None:
    assert await sent_until_refused(port, GET + b"Host: help.test\r\nX: ", b"x" * 65_536) < ENDLESS_BYTES


async def test_broken_chunks_end_the_connection_and_change_nothing(port: int, cast: Cast) -> None:
    key = f"Authorization: Bearer {cast.acme.write_key}\r\n".encode()
    body = b'{"title": "Half", "contentMarkdown": "x"}'
    chunk = b"%x\r\n%s\r\n" % (len(body), body)

    answers = await send(port, POST + key + b"Transfer-Encoding: chunked\r\n\r\n" + chunk, b"zz\r\n")
    listed = await send(
        port, GET.replace(b"bots", b"articles") + key + b"Host: x\r\nConnection: close\r\n\r\n"
    )

    assert [(answer.status, answer.code) for answer in answers] == [(400, "invalid_request")]
    assert json.loads(listed[0].body)["results"] == []


async def test_a_caller_who_leaves_in_the_middle_changes_nothing(port: int, cast: Cast) -> None:
    key = f"Authorization: Bearer {cast.acme.write_key}\r\n".encode()
    _, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(POST + key + b'Content-Length: 1000\r\n\r\n{"title": "Half"')
    await writer.drain()
    writer.close()

    listed = await send(
        port, GET.replace(b"bots", b"articles") + key + b"Host: x\r\nConnection: close\r\n\r\n"
    )

    assert json.loads(listed[0].body)["results"] == []


async def test_requests_behind_one_another_are_answered_in_their_order(port: int, cast: Cast) -> None:
    key = f"Authorization: Bearer {cast.acme.read_key}\r\nHost: help.test\r\n".encode()
    missing = GET.replace(b"bots", b"nothing")

    answers = await send(port, GET + key + b"\r\n" + missing + key + b"Connection: close\r\n\r\n")

    assert [answer.status for answer in answers] == [200, 404]


@pytest.mark.parametrize(
    "malformed",
    [
        b"nonsense\r\n\r\n",
        GET + b"\r\n",
        POST + b"Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\nzz\r\n",
    ],
    ids=["nonsense", "no host", "broken chunks"],
)
@pytest.mark.parametrize("before", [1, 3])
async def test_a_malformed_request_is_refused_in_its_turn(
    port: int, cast: Cast, malformed: bytes, before: int
) -> None:
    key = f"Authorization: Bearer {cast.acme.read_key}\r\nHost: help.test\r\n".encode()

    answers = await send(port, (GET + key + b"\r\n") * before + malformed)

    assert [answer.status for answer in answers] == [200] * before + [400]
    assert answers[-1].headers["connection"] == "close"


async def test_trailers_that_never_end_are_refused(port: int, cast: Cast) -> None:
    beginning = POST + b"Transfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n"

    assert await sent_until_refused(port, beginning, b"a:b\r\n" * 10_000) < ENDLESS_BYTES


async def test_trailers_are_no_headers(port: int, cast: Cast) -> None:
    key = f"Authorization: Bearer {cast.acme.write_key}\r\n".encode()
    body = b'{"title": "Whole", "contentMarkdown": "x"}'
    chunks = b"%x\r\n%s\r\n0\r\n" % (len(body), body)

    # A second line of this header would be refused.
    answers = await send(
        port,
        POST + key + b"Connection: close\r\nTransfer-Encoding: chunked\r\n\r\n" + chunks,
        b"Authorization: Bearer another\r\nHost: elsewhere.test\r\n\r\n",
    )

    assert [answer.status for answer in answers] == [201]

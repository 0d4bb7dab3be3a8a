"""The requests that are sent, the responses that count, and how much of them is read."""

import asyncio
import gzip

import pytest

from instep.platform.core import limits
from instep.platform.core.outbound.client import INCOMPLETE, NOT_HTTP, TOO_LARGE, OutboundClient, Response
from instep.platform.core.outbound.requests import RawResponse
from tests.platform.outbound.clients import BODY, MEGABYTE, PROMPT, timed
from tests.support.receivers import (
    OK,
    Handler,
    answering,
    closing_at_once,
    dripping,
    flooding,
    read_request,
    receiving,
)

BOMB = gzip.compress(bytes(20 * MEGABYTE))


async def test_the_request_arrives_as_it_was_meant_and_the_answer_comes_back(client: OutboundClient) -> None:
    requests = list[tuple[bytes, bytes]]()

    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        requests.append(await read_request(reader))
        writer.write(OK)

    async with receiving(handle) as receiver:
        url = f"http://Plain.example:{receiver.port}/hooks/%7Bid%7D?key=a&b"
        answer = await client.post(url, BODY, {"service-event": "article.published"})
        await client.post(f"http://127.0.0.1:{receiver.port}?only=query", b"", {})

    assert answer == Response(200, b"there")
    head = (
        "POST /hooks/%7Bid%7D?key=a&b HTTP/1.1\r\n"
        f"Host: plain.example:{receiver.port}\r\n"
        f"Content-Length: {len(BODY)}\r\n"
        "Accept-Encoding: identity\r\n"
        "Connection: close\r\n"
        "service-event: article.published\r\n\r\n"
    )
    assert requests[0] == (head.encode(), BODY)
    assert requests[1][0].startswith(b"POST /?only=query HTTP/1.1\r\n")


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"HTTP/1.1 204 No Content\r\n\r\n", Response(204, b"")),
        (b"HTTP/1.1 500 No\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nno\r\n0\r\n\r\n", Response(500, b"no")),
        (b"HTTP/1.0 200 OK\r\n\r\nuntil the end", Response(200, b"until the end")),
        (b"HTTP/1.1 103 Early Hints\r\n\r\n" + OK, Response(200, b"there")),
        (b"HTTP/1.1 410 Gone\r\nContent-Length: 2000\r\n\r\n" + b"x" * 2000, Response(410, b"x" * 1000)),
    ],
    ids=["without body", "chunked", "without length", "after a hint", "longer than what is kept"],
)
async def test_an_answer_is_read_whatever_its_status_and_framing(
    client: OutboundClient, content: bytes, expected: Response
) -> None:
    async with receiving(answering(content)) as receiver:
        assert await client.post(receiver.url, BODY, {}) == expected


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
async def test_no_redirect_is_followed(client: OutboundClient, status: int) -> None:
    async with receiving(answering(OK)) as target:
        head = f"HTTP/1.1 {status} Elsewhere\r\nLocation: {target.url}\r\nContent-Length: 0\r\n\r\n"
        async with receiving(answering(head.encode())) as receiver:
            assert await client.post(receiver.url, BODY, {}) == Response(status, b"")
        assert target.connections == 0


@pytest.mark.parametrize(
    ("handle", "message"),
    {
        "closes at once": (closing_at_once, INCOMPLETE),
        "closes after the request": (answering(), INCOMPLETE),
        "closes within the headers": (answering(b"HTTP/1.1 200 OK\r\nContent-"), INCOMPLETE),
        "closes within the body": (answering(OK[:-1]), INCOMPLETE),
        "closes within a chunk": (
            answering(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n9\r\nhalf"),
            INCOMPLETE,
        ),
        "is no web server": (answering(b"SSH-2.0-OpenSSH_9.9\r\n\r\n"), NOT_HTTP),
        "speaks HTTP/2": (answering(b"HTTP/2 200 OK\r\n\r\n"), NOT_HTTP),
        "is garbage": (answering(bytes(range(256)) * 8 + b"\r\n\r\n"), NOT_HTTP),
        "has two lengths": (
            answering(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nthere"),
            NOT_HTTP,
        ),
        "has a bad chunk": (
            answering(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nthere"),
            NOT_HTTP,
        ),
        "switches protocols": (answering(b"HTTP/1.1 101 Other\r\nUpgrade: other\r\n\r\n"), NOT_HTTP),
        "has a header of 10 MB": (
            answering(b"HTTP/1.1 200 OK\r\nX-Long: ", *[b"x" * MEGABYTE] * 10, b"\r\n\r\n"),
            TOO_LARGE,
        ),
        "has 10 MB of headers": (
            answering(b"HTTP/1.1 200 OK\r\n", *[b"X-Other: x\r\n" * 80_000] * 10, b"\r\n"),
            TOO_LARGE,
        ),
        "hints 2,000 times": (answering(b"HTTP/1.1 103 Early Hints\r\n\r\n" * 2_000 + OK), TOO_LARGE),
    }.values(),
)
async def test_an_incomplete_answer_is_reported_at_once(
    client: OutboundClient, handle: Handler, message: str
) -> None:
    async with receiving(handle) as receiver:
        result, seconds = await timed(client.post(receiver.url, BODY, {}))
    assert result == message
    assert seconds < PROMPT


async def test_a_huge_body_is_cut_and_a_compressed_one_left_as_it_is(client: OutboundClient) -> None:
    sent_sizes = list[int]()
    huge = b"HTTP/1.1 200 OK\r\nContent-Length: 1073741824\r\n\r\n"
    async with receiving(flooding(huge, b"x" * 16_384, sent_sizes)) as receiver:
        result, seconds = await timed(client.post(receiver.url, BODY, {}))
    assert (result, seconds < PROMPT) == (Response(200, b"x" * 1000), True)
    # The system had accepted this much for sending before it noticed that reading had stopped.
    assert sum(sent_sizes) < 16 * MEGABYTE

    head = f"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: {len(BOMB)}\r\n\r\n"
    async with receiving(answering(head.encode(), BOMB)) as receiver:
        assert await client.post(receiver.url, BODY, {}) == Response(200, BOMB[:1000])


async def test_a_body_is_read_up_to_its_limit_and_not_waited_for(client: OutboundClient) -> None:
    head = b"HTTP/1.1 200 OK\r\nContent-Length: 20000\r\n\r\n"
    async with receiving(dripping(head + b"x" * limits.MAX_RESPONSE_BYTES, b"", every=60)) as receiver:
        result, seconds = await timed(client.post(receiver.url, BODY, {}))
    assert (result, seconds < PROMPT) == (Response(200, b"x" * 1000), True)


async def test_framing_that_is_larger_than_the_body_ends_the_reading_too(client: OutboundClient) -> None:
    chunked = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
    async with receiving(flooding(chunked, b"1;ext=0123456789abcdef\r\nx\r\n" * 100, [])) as receiver:
        result, seconds = await timed(client.post(receiver.url, BODY, {}))
    assert (result, seconds < PROMPT) == (Response(200, b"x" * 1000), True)


async def test_an_early_refusal_of_a_large_body_is_an_answer(client: OutboundClient) -> None:
    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 413 Too Large\r\nContent-Length: 0\r\n\r\n")
        await writer.drain()
        await reader.read()

    async with receiving(handle) as receiver:
        assert await client.post(receiver.url, b"x" * 10 * MEGABYTE, {}) == Response(413, b"")


@pytest.mark.parametrize(
    ("header", "seconds"),
    [("7", 7.0), ("", None), ("soon", None), ("Fri, 31 Dec 9999999999 23:59:59 GMT", None)],
)
def test_the_wait_that_a_server_asks_for_is_a_number_of_seconds(header: str, seconds: float | None) -> None:
    assert RawResponse(429, {"retry-after": header}, b"").retry_after == seconds

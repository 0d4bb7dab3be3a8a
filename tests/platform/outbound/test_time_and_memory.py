"""No call exceeds its time limit, and none leaks anything."""

import asyncio
import gzip
import os
import time
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from instep.platform.core.outbound.allowed import read_allow_list
from instep.platform.core.outbound.client import NO_RESPONSE, OutboundClient, Response
from instep.platform.core.outbound.networks import Address
from tests.platform.outbound.clients import ALLOWED, BODY, MEGABYTE, PROMPT, leading_to, outcome, timed
from tests.support.certificates import NAME, Authority
from tests.support.limits import SetLimit
from tests.support.receivers import (
    OK,
    Handler,
    answering,
    dripping,
    flooding,
    full_backlog,
    read_request,
    receiving,
    silent,
)

# The time limit of a call here, and what a busy machine may need on top.
CALL_SECONDS = 4
BUSY_SECONDS = 30
MANY = 200
BOMB = gzip.compress(bytes(20 * MEGABYTE))


async def test_every_slow_receiver_is_left_when_the_time_is_over(
    client: OutboundClient, set_limit: SetLimit
) -> None:
    """All calls run at once, in real time: each ends by itself, and those within the limit are answered."""
    set_limit("OUTBOUND_SECONDS", CALL_SECONDS)
    began = 0.0

    def answering_at(seconds: float) -> Handler:
        async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await read_request(reader)
            await asyncio.sleep(began + seconds - time.monotonic())
            writer.write(OK)

        return handle

    head = b"HTTP/1.1 200 OK\r\n"
    zoo: dict[str, tuple[Handler, Response | str]] = {
        "answers in time": (answering_at(0.25 * CALL_SECONDS), Response(200, b"there")),
        "answers too late": (answering_at(CALL_SECONDS + 1), NO_RESPONSE),
        "says nothing": (silent, NO_RESPONSE),
        "drips headers": (dripping(head + b"X-Slow: ", b"x"), NO_RESPONSE),
        "drips hints": (dripping(b"", b"HTTP/1.1 103 Early Hints\r\n\r\n"), NO_RESPONSE),
        "drips a body": (
            dripping(head + b"Content-Length: 5000\r\n\r\nx", b"y", every=0.4 * CALL_SECONDS),
            Response(200, b"xyyy"),
        ),
        "drips a refusal": (
            dripping(b"HTTP/1.1 503 No\r\nContent-Length: 5000\r\n\r\nno", b"!", every=0.4 * CALL_SECONDS),
            Response(503, b"no!!!"),
        ),
    }
    async with AsyncExitStack() as stack:
        expected = [answer for _, answer in zoo.values()]
        calls = [
            client.post((await stack.enter_async_context(receiving(handle))).url, BODY, {})
            for handle, _ in zoo.values()
        ]
        never_read = await stack.enter_async_context(receiving(silent))
        calls.append(client.post(never_read.url, b"x" * 5 * MEGABYTE, {}))
        no_handshake = await stack.enter_async_context(receiving(silent))
        calls.append(client.post(f"https://{NAME}:{no_handshake.port}", BODY, {}))
        full = stack.enter_context(full_backlog())
        calls.append(client.post(f"http://127.0.0.1:{full}", BODY, {}))
        calls.append(OutboundClient(ALLOWED, hanging).post("https://unknown.example", BODY, {}))
        began = time.monotonic()
        results = await asyncio.gather(*map(timed, calls))

    assert [answer for answer, _ in results] == [
        *expected,
        NO_RESPONSE,
        NO_RESPONSE,
        NO_RESPONSE,
        NO_RESPONSE,
    ]
    assert max(seconds for _, seconds in results) < CALL_SECONDS + BUSY_SECONDS


async def hanging(host: str) -> list[Address]:
    await asyncio.Event().wait()
    return []


async def test_an_address_that_stays_silent_holds_up_the_others_for_a_moment_only(
    client: OutboundClient,
) -> None:
    async with receiving(answering(OK), host="127.0.0.2") as receiver:
        client.lookup = leading_to("::1 127.0.0.2")
        client.allow = read_allow_list("127.0.0.0/8,::1/128,plain.example")
        assert (await timed(client.post(f"http://plain.example:{receiver.port}", BODY, {})))[1] < PROMPT

    with full_backlog() as port:
        async with receiving(answering(OK), host="127.0.0.2", port=port) as receiver:
            client.lookup = leading_to("127.0.0.1 127.0.0.2")
            result, seconds = await timed(client.post(f"http://plain.example:{port}", BODY, {}))
    assert (result, seconds < PROMPT) == (Response(200, b"there"), True)


async def test_a_call_that_is_given_up_leaves_nothing_open(
    client: OutboundClient, authority: Authority
) -> None:
    before = open_files()
    async with receiving(silent) as receiver, receiving(silent, tls=authority.serving()) as encrypted:
        with full_backlog() as full:
            urls = [receiver.url, f"https://{NAME}:{encrypted.port}", f"https://{NAME}:{receiver.port}"]
            for url in (*urls, f"http://127.0.0.1:{full}"):
                with pytest.raises(TimeoutError):
                    await asyncio.wait_for(client.post(url, BODY, {}), timeout=0.1)
    assert await files_left(before) <= before


async def test_many_huge_answers_leave_no_memory_and_no_file_behind(client: OutboundClient) -> None:
    huge = b"HTTP/1.1 200 OK\r\nContent-Length: 1073741824\r\n\r\n"
    bomb = f"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: {len(BOMB)}\r\n\r\n".encode()
    header = b"HTTP/1.1 200 OK\r\nX-Long: "
    async with AsyncExitStack() as stack:
        floods = [flooding(head, b"x" * 16_384, []) for head in (huge, header)]
        receivers = [
            await stack.enter_async_context(receiving(handle)) for handle in (*floods, answering(bomb, BOMB))
        ]

        async def call_all(times: int) -> None:
            for _ in range(times):
                await asyncio.gather(*(outcome(client.post(each.url, BODY, {})) for each in receivers))

        await call_all(20)
        memory, files = resident_bytes(), open_files()
        await call_all(MANY)
        assert resident_bytes() - memory < 20 * MEGABYTE
        assert await files_left(files) <= files


async def files_left(most: int) -> int:
    """The number of open files once the loop has closed what it was told to."""
    for _ in range(MANY):
        if open_files() <= most:
            break
        await asyncio.sleep(0)
    return open_files()


def open_files() -> int:
    return len(os.listdir("/proc/self/fd"))


def resident_bytes() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")

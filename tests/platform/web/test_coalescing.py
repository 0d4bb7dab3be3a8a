"""The head of a response and the first part of its body go out in one write, and no byte out of order."""

import asyncio

from instep.platform.web.coalescing import CoalescingTransport

HEAD = b"HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\n"


class RecordingTransport(asyncio.Transport):
    """Keeps what is written."""

    def __init__(self) -> None:
        super().__init__()
        self.writes: list[bytes] = []
        self.is_closed = False

    def write(self, data: bytes | bytearray | memoryview) -> None:
        self.writes.append(bytes(data))

    def close(self) -> None:
        self.is_closed = True

    def abort(self) -> None:
        self.is_closed = True

    def is_closing(self) -> bool:
        return self.is_closed


def coalescing() -> tuple[CoalescingTransport, RecordingTransport]:
    transport = RecordingTransport()
    return CoalescingTransport(transport, asyncio.get_running_loop()), transport


async def test_head_and_body_are_one_write() -> None:
    client, transport = coalescing()

    client.write(HEAD)
    client.write(b"body")
    client.write(b"more")
    await asyncio.sleep(0)

    assert transport.writes == [HEAD + b"body", b"more"]


async def test_a_head_without_a_body_goes_out_in_the_next_turn() -> None:
    """So a stream begins although its first event comes later."""
    client, transport = coalescing()

    client.write(HEAD)
    await asyncio.sleep(0)

    assert transport.writes == [HEAD]
    client.write(b"body")
    assert transport.writes == [HEAD, b"body"]


async def test_a_head_that_asks_for_the_body_does_not_wait() -> None:
    client, transport = coalescing()

    client.write(b"HTTP/1.1 100 Continue\r\n\r\n")

    assert transport.writes == [b"HTTP/1.1 100 Continue\r\n\r\n"]


async def test_what_looks_like_a_head_keeps_its_place() -> None:
    client, transport = coalescing()

    for part in (HEAD, HEAD, HEAD, b"end"):
        client.write(part)
    await asyncio.sleep(0)

    assert b"".join(transport.writes) == HEAD * 3 + b"end"


async def test_closing_sends_the_head_first() -> None:
    client, transport = coalescing()

    client.write(HEAD)
    client.close()

    assert (transport.writes, transport.is_closed) == ([HEAD], True)


async def test_nothing_is_sent_on_a_connection_that_was_given_up() -> None:
    client, transport = coalescing()

    client.write(HEAD)
    client.abort()
    await asyncio.sleep(0)

    assert transport.writes == []

"""The way out of a program: one connection, to one place, for who knows the password."""

import asyncio
from base64 import b64encode
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from urllib.parse import urlsplit

import pytest

from instep.platform.core import limits
from instep.platform.core.outbound.allowed import AllowList
from instep.platform.core.outbound.client import NO_RESPONSE, UNREACHABLE
from instep.platform.core.outbound.proxy import TOO_LARGE, tunnel
from instep.platform.core.outbound.urls import parse_url
from tests.notifications.alerts.chat import OPEN, Nearby
from tests.support.limits import SetLimit

TARGET = parse_url("https://chat.example.com/hooks/x")
CONNECT = "CONNECT chat.example.com:443 HTTP/1.1"


@dataclass
class Echo:
    """A server that says what it hears, until it is told to go on by itself."""

    port: int = 0
    connections: int = 0
    flood: bytes = b""

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        while data := await reader.read(1024):
            writer.write(self.flood or data)
        writer.close()


@pytest.fixture
async def echo() -> AsyncIterator[Echo]:
    echo_server = Echo()
    server = await asyncio.start_server(echo_server.serve, "127.0.0.1", 0)
    echo_server.port = server.sockets[0].getsockname()[1]
    yield echo_server
    server.close()


Wire = tuple[asyncio.StreamReader, asyncio.StreamWriter]


@asynccontextmanager
async def knocking(proxy: str, *lines: str) -> AsyncIterator[tuple[str, Wire]]:
    """Send these lines to the proxy; the status that it answers, and the connection."""
    reader, writer = await asyncio.open_connection("127.0.0.1", urlsplit(proxy).port)
    writer.write("\r\n".join((*lines, "", "")).encode())
    try:
        answer = await reader.read(1024)
        yield answer.decode().partition(" ")[2][:3], (reader, writer)
    finally:
        writer.close()


def password(proxy: str) -> str:
    parts = urlsplit(proxy)
    return f"Proxy-Authorization: Basic {b64encode(f'{parts.username}:{parts.password}'.encode()).decode()}"


async def test_it_carries_bytes_both_ways(echo: Echo) -> None:
    async with (
        tunnel(Nearby(echo.port), TARGET) as (way, proxy),
        knocking(proxy, CONNECT, password(proxy)) as (status, (reader, writer)),
    ):
        assert status == "200"
        for line in (b"one", b"two"):
            writer.write(line)
            assert await reader.read(3) == line

    assert (way.failure, echo.connections) == (None, 1)


@pytest.mark.parametrize(
    ("lines", "status"),
    [
        ((CONNECT,), "407"),
        ((CONNECT, "Proxy-Authorization: Basic aW5zdGVwOg=="), "407"),
        ((CONNECT, "Proxy-Authorization: Basic =="), "407"),
        ((CONNECT, "Proxy-Authorization: Bearer x"), "407"),
        (("CONNECT chat.example.com:22 HTTP/1.1", "right"), "403"),
        (("CONNECT chat.example.com:4430 HTTP/1.1", "right"), "403"),
        (("CONNECT other.example.com:443 HTTP/1.1", "right"), "403"),
        (("CONNECT chatXexample.com:443 HTTP/1.1", "right"), "403"),
        (("CONNECT 127.0.0.1:443 HTTP/1.1", "right"), "403"),
        (("GET http://chat.example.com/ HTTP/1.1", "right"), "403"),
        (("GET / HTTP/1.1", f"X: {CONNECT}", "right"), "403"),
    ],
)
async def test_nobody_else_gets_in_nor_anywhere_else(echo: Echo, lines: tuple[str, ...], status: str) -> None:
    async with tunnel(Nearby(echo.port), TARGET) as (_, proxy):
        request_lines = [password(proxy) if line == "right" else line for line in lines]
        async with knocking(proxy, *request_lines) as (answer, _):
            assert answer == status

    assert echo.connections == 0


async def test_it_is_for_one_connection(echo: Echo) -> None:
    async with tunnel(Nearby(echo.port), TARGET) as (_, proxy):
        async with knocking(proxy, CONNECT, password(proxy)) as (status, _):
            assert status == "200"
        async with knocking(proxy, CONNECT, password(proxy)) as (status, _):
            assert status == "403"

    assert echo.connections == 1


async def test_who_does_not_know_the_password_uses_up_nothing(echo: Echo) -> None:
    async with tunnel(Nearby(echo.port), TARGET) as (_, proxy):
        async with knocking(proxy, CONNECT) as (status, _):
            assert status == "407"
        async with knocking(proxy, CONNECT, password(proxy)) as (status, _):
            assert status == "200"


async def test_what_may_not_be_called_is_not(echo: Echo) -> None:
    async with (
        tunnel(Nearby(echo.port, AllowList()), TARGET) as (way, proxy),
        knocking(proxy, CONNECT, password(proxy)) as (status, _),
    ):
        assert status == "502"

    assert (way.failure, echo.connections) == (UNREACHABLE, 0)


async def test_more_than_an_answer_does_not_come_through(echo: Echo) -> None:
    echo.flood = b"x" * (limits.MAX_RESPONSE_WIRE_BYTES + 1)
    async with (
        tunnel(Nearby(echo.port), TARGET) as (way, proxy),
        knocking(proxy, CONNECT, password(proxy)) as (_, (reader, writer)),
    ):
        writer.write(b"go")
        assert len(await reader.read(-1)) <= limits.MAX_RESPONSE_WIRE_BYTES

    assert way.failure == TOO_LARGE


async def test_it_ends_in_time(echo: Echo, set_limit: SetLimit) -> None:
    set_limit("OUTBOUND_SECONDS", 0.2)
    async with (
        tunnel(Nearby(echo.port), TARGET) as (way, proxy),
        knocking(proxy, CONNECT, password(proxy)) as (_, (reader, _)),
    ):
        assert await reader.read(-1) == b""

    assert way.failure == NO_RESPONSE


async def test_afterwards_there_is_no_port_and_no_connection(echo: Echo) -> None:
    async with tunnel(Nearby(echo.port, OPEN), TARGET) as (_, proxy):
        reader, writer = await asyncio.open_connection("127.0.0.1", urlsplit(proxy).port)
        writer.write(f"{CONNECT}\r\n{password(proxy)}\r\n\r\n".encode())
        assert (await reader.read(1024)).startswith(b"HTTP/1.1 200")

    assert await reader.read(-1) == b""
    writer.close()
    with pytest.raises(OSError, match=r"refused|failed"):
        await asyncio.open_connection("127.0.0.1", urlsplit(proxy).port)

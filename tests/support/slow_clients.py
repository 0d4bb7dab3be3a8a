"""Slow clients on plain sockets, and a server with short timeouts."""

import asyncio
import socket
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass

import httpx2

from instep.platform.web.protocol import Connections, StrictHttp, Timeouts

SECONDS = 20
RECEIVE_BUFFER_BYTES = 4_096
CONNECTIONS = Connections(max_total=150, max_per_address=100)
IMPATIENCE = Timeouts(head=0.4, idle=0.4, body_grace=0.4, write=0.4, stop_idle=0.2, check=0.05)


class ImpatientHttp(StrictHttp):
    """The server's protocol, with timeouts short enough for tests."""

    timeouts = IMPATIENCE

    @property
    def process_connections(self) -> Connections:
        return CONNECTIONS


@dataclass(frozen=True, slots=True)
class SlowClient:
    """One connection, from which nothing is read until `end` is called."""

    socket: socket.socket

    async def send(self, data: bytes) -> None:
        """Send as much as the server reads before it closes the connection."""
        with suppress(ConnectionError):
            await asyncio.get_running_loop().sock_sendall(self.socket, data)

    async def end(self) -> bytes:
        """Everything the server sent until it closed the connection."""
        answer = bytearray()
        async with asyncio.timeout(SECONDS):
            with suppress(ConnectionError):
                while data := await asyncio.get_running_loop().sock_recv(self.socket, 65_536):
                    answer += data
        return bytes(answer)


@asynccontextmanager
async def connected(port: int, count: int, address: str = "127.0.0.2") -> AsyncIterator[list[SlowClient]]:
    """Open this many connections from one address, and close all of them in the end."""
    clients = [SlowClient(socket.socket()) for _ in range(count)]
    try:
        for client in clients:
            client.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, RECEIVE_BUFFER_BYTES)
            client.socket.bind((address, 0))
            client.socket.setblocking(False)
            await asyncio.get_running_loop().sock_connect(client.socket, ("127.0.0.1", port))
        yield clients
    finally:
        for client in clients:
            client.socket.close()


async def is_healthy(port: int) -> bool:
    """True if the server answers a client at another address."""
    async with httpx2.AsyncClient(base_url=f"http://127.0.0.1:{port}", timeout=SECONDS) as client:
        return (await client.get("/healthz")).status_code == 200


async def until(port: int, is_true: Callable[[], bool]) -> None:
    """Wait until the condition is true, and check that the server stays healthy."""
    began = time.monotonic()
    while not is_true():
        assert time.monotonic() - began < SECONDS
        assert await is_healthy(port)

"""Clients that begin and do not go on, on plain sockets, from addresses of their own."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass

SECONDS = 20


@dataclass(frozen=True, slots=True)
class SlowClient:
    """One connection of somebody who is in no hurry."""

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter

    async def send(self, *parts: bytes) -> None:
        """Send as much as the server takes."""
        with suppress(ConnectionError):
            for part in parts:
                self.writer.write(part)
                await self.writer.drain()

    async def end(self) -> bytes:
        """What the server has said by the time that it ends the connection."""
        said = bytearray()
        async with asyncio.timeout(SECONDS):
            with suppress(ConnectionError):
                while data := await self.reader.read(65_536):
                    said += data
        return bytes(said)


@asynccontextmanager
async def connected(port: int, count: int, address: str = "127.0.0.2") -> AsyncIterator[list[SlowClient]]:
    """So many connections from one address, all closed in the end."""
    clients: list[SlowClient] = []
    try:
        for _ in range(count):
            pair = await asyncio.open_connection("127.0.0.1", port, local_addr=(address, 0))
            clients.append(SlowClient(*pair))
        yield clients
    finally:
        for client in clients:
            client.writer.transport.abort()

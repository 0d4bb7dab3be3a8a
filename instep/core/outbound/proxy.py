"""A way out for a program that speaks HTTP by itself: one tunnel, to one host, through the guard."""

import asyncio
import hmac
import re
import secrets
from asyncio import IncompleteReadError, LimitOverrunError, StreamReader, StreamWriter
from base64 import b64encode
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

from instep.core import limits
from instep.core.outbound.client import LATE, OutboundClient, RequestFailed
from instep.core.outbound.urls import Url

USER = "instep"
HEAD_BYTES = 8 * 1024
CHUNK_BYTES = 16 * 1024
TOO_LARGE = "The answer is too large."
CREDENTIALS = re.compile(rb"\r\nproxy-authorization: *basic +([0-9A-Za-z+/=]+) *\r\n", re.IGNORECASE)


class Tunnel:
    """A proxy that takes one `CONNECT`, for one host and port, from whoever knows its password.

    It carries bytes only, so that encryption stays between the program and the host. `failure` says, in a
    sentence for a log, why nothing came through.
    """

    def __init__(self, client: OutboundClient, target: Url) -> None:
        self.failure: str | None = None
        self._client = client
        self._target = target
        self._password = secrets.token_urlsafe(32)
        self._is_taken = False
        self._tasks = set[asyncio.Task[None]]()

    def url(self, port: int) -> str:
        return f"http://{USER}:{self._password}@127.0.0.1:{port}"

    def accept(self, reader: StreamReader, writer: StreamWriter) -> None:
        task = asyncio.create_task(self._serve(reader, writer))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def aclose(self) -> None:
        for task in self._tasks:
            task.cancel()
        if self._tasks:
            await asyncio.wait(self._tasks)

    async def _serve(self, reader: StreamReader, writer: StreamWriter) -> None:
        try:
            async with asyncio.timeout(limits.OUTBOUND_SECONDS):
                await self._answer(reader, writer)
        except TimeoutError:
            self.failure = LATE
        except (OSError, IncompleteReadError, LimitOverrunError):
            pass
        finally:
            writer.close()

    async def _answer(self, reader: StreamReader, writer: StreamWriter) -> None:
        refusal = self._refusal(await reader.readuntil(b"\r\n\r\n"))
        if refusal is not None:
            return reply(writer, refusal)
        self._is_taken = True
        try:
            far = await self._client.connect(self._target)
        except RequestFailed as failure:
            self.failure = failure.message
            return reply(writer, "502 Bad Gateway")
        reply(writer, "200 Connection established")
        return await self._join((reader, writer), far)

    def _refusal(self, head: bytes) -> str | None:
        given = CREDENTIALS.search(head)
        if given is None or not hmac.compare_digest(given[1], self._credentials()):
            return "407 Proxy Authentication Required"
        line = rf"CONNECT {re.escape(self._target.host)}:{self._target.port} HTTP/1\.[01]\r\n".encode()
        if self._is_taken or not re.match(line, head):
            return "403 Forbidden"
        return None

    def _credentials(self) -> bytes:
        return b64encode(f"{USER}:{self._password}".encode())

    async def _join(
        self, client: tuple[StreamReader, StreamWriter], far: tuple[StreamReader, StreamWriter]
    ) -> None:
        """Carry both ways until one of the two ends it, or the host has sent too much."""
        ways = {
            asyncio.create_task(carry(client[0], far[1], None)),
            asyncio.create_task(carry(far[0], client[1], limits.MAX_RESPONSE_WIRE_BYTES)),
        }
        try:
            done, _ = await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
            if any(way.result() for way in done):
                self.failure = TOO_LARGE
        finally:
            for way in ways:
                way.cancel()
            far[1].transport.abort()


@asynccontextmanager
async def tunnel(client: OutboundClient, target: Url) -> AsyncIterator[tuple[Tunnel, str]]:
    """A tunnel to the target, and the address of the proxy that leads into it, for as long as this lasts."""
    local_tunnel = Tunnel(client, target)
    server = await asyncio.start_server(local_tunnel.accept, "127.0.0.1", 0, limit=HEAD_BYTES)
    try:
        yield local_tunnel, local_tunnel.url(server.sockets[0].getsockname()[1])
    finally:
        server.close()
        await local_tunnel.aclose()


def reply(writer: StreamWriter, status: str) -> None:
    writer.write(f"HTTP/1.1 {status}\r\n\r\n".encode())


async def carry(reader: StreamReader, writer: StreamWriter, most: int | None) -> bool:
    """Pass on what comes until it ends; whether there was more than may come."""
    count = 0
    with suppress(OSError):
        while data := await reader.read(CHUNK_BYTES):
            count += len(data)
            if most is not None and count > most:
                return True
            writer.write(data)
            await writer.drain()
    return False

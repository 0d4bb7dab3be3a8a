"""A local proxy for programs with their own HTTP client: it opens one tunnel to one vetted host."""

import asyncio
import hmac
import re
import secrets
from asyncio import IncompleteReadError, LimitOverrunError, StreamReader, StreamWriter
from base64 import b64encode
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

from instep.platform.core import limits
from instep.platform.core.outbound.client import NO_RESPONSE, OutboundClient, RequestFailed
from instep.platform.core.outbound.urls import Url

USER = "instep"
HEAD_BYTES = 8 * 1024
CHUNK_BYTES = 16 * 1024
TOO_LARGE = "The answer is too large."
CREDENTIALS = re.compile(rb"\r\nproxy-authorization: *basic +([0-9A-Za-z+/=]+) *\r\n", re.IGNORECASE)


class Tunnel:
    """A proxy that accepts one `CONNECT`, to one host and port, with its random password.

    It forwards bytes, so that TLS stays between the program and the host. `failure` is a sentence for a log
    about why the tunnel failed.
    """

    def __init__(self, client: OutboundClient, target: Url) -> None:
        self.failure: str | None = None
        self._client = client
        self._target = target
        self._password = secrets.token_urlsafe(32)
        self._is_used = False
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
            self.failure = NO_RESPONSE
        except (OSError, IncompleteReadError, LimitOverrunError):
            pass
        finally:
            writer.close()

    async def _answer(self, reader: StreamReader, writer: StreamWriter) -> None:
        refusal = self._refusal(await reader.readuntil(b"\r\n\r\n"))
        if refusal is not None:
            return reply(writer, refusal)
        self._is_used = True
        try:
            server = await self._client.connect(self._target)
        except RequestFailed as failure:
            self.failure = failure.message
            return reply(writer, "502 Bad Gateway")
        reply(writer, "200 Connection established")
        return await self._forward((reader, writer), server)

    def _refusal(self, head: bytes) -> str | None:
        credentials = CREDENTIALS.search(head)
        if credentials is None or not hmac.compare_digest(credentials[1], self._credentials()):
            return "407 Proxy Authentication Required"
        line = rf"CONNECT {re.escape(self._target.host)}:{self._target.port} HTTP/1\.[01]\r\n".encode()
        if self._is_used or not re.match(line, head):
            return "403 Forbidden"
        return None

    def _credentials(self) -> bytes:
        return b64encode(f"{USER}:{self._password}".encode())

    async def _forward(
        self, client: tuple[StreamReader, StreamWriter], server: tuple[StreamReader, StreamWriter]
    ) -> None:
        """Forward bytes in both directions until one side ends, or the host has sent too much."""
        directions = {
            asyncio.create_task(forward(client[0], server[1], None)),
            asyncio.create_task(forward(server[0], client[1], limits.MAX_RESPONSE_WIRE_BYTES)),
        }
        try:
            done, _ = await asyncio.wait(directions, return_when=asyncio.FIRST_COMPLETED)
            if any(direction.result() for direction in done):
                self.failure = TOO_LARGE
        finally:
            for direction in directions:
                direction.cancel()
            server[1].transport.abort()


@asynccontextmanager
async def tunnel(client: OutboundClient, target: Url) -> AsyncIterator[tuple[Tunnel, str]]:
    """Run a proxy for the target; the tunnel, and the proxy's URL."""
    local_tunnel = Tunnel(client, target)
    server = await asyncio.start_server(local_tunnel.accept, "127.0.0.1", 0, limit=HEAD_BYTES)
    try:
        yield local_tunnel, local_tunnel.url(server.sockets[0].getsockname()[1])
    finally:
        server.close()
        await local_tunnel.aclose()


def reply(writer: StreamWriter, status: str) -> None:
    writer.write(f"HTTP/1.1 {status}\r\n\r\n".encode())


async def forward(reader: StreamReader, writer: StreamWriter, max_bytes: int | None) -> bool:
    """Forward bytes until the end; True if there were more than `max_bytes`."""
    count = 0
    with suppress(OSError):
        while data := await reader.read(CHUNK_BYTES):
            count += len(data)
            if max_bytes is not None and count > max_bytes:
                return True
            writer.write(data)
            await writer.drain()
    return False

"""Webhook receivers on real sockets, both well-behaved and misbehaving."""

import asyncio
import socket
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import ExitStack, asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass, field

Handler = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]

BACKLOG_ENOUGH = 20

OK = b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nthere"


@dataclass
class Receiver:
    port: int
    connections: int = 0
    tasks: set[asyncio.Task[None]] = field(default_factory=set)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/hooks"


@asynccontextmanager
async def receiving(
    handle: Handler, *, host: str = "127.0.0.1", port: int = 0, tls: ssl.SSLContext | None = None
) -> AsyncIterator[Receiver]:
    """Run a server that handles and closes each connection; the end cancels handlers that still run."""

    def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        receiver.connections += 1
        task = asyncio.create_task(run(handle, reader, writer))
        receiver.tasks.add(task)
        task.add_done_callback(receiver.tasks.discard)

    server = await asyncio.start_server(serve, host, port, ssl=tls)
    receiver = Receiver(server.sockets[0].getsockname()[1])
    try:
        yield receiver
    finally:
        server.close()
        for task in receiver.tasks:
            task.cancel()
        await asyncio.gather(*receiver.tasks, return_exceptions=True)


async def run(handle: Handler, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        with suppress(ConnectionError, asyncio.IncompleteReadError):
            await handle(reader, writer)
            await writer.drain()
            writer.close()
    finally:
        if not writer.is_closing():
            writer.transport.abort()


async def read_request(reader: asyncio.StreamReader) -> tuple[bytes, bytes]:
    head = await reader.readuntil(b"\r\n\r\n")
    length = next(line for line in head.split(b"\r\n") if line.startswith(b"Content-Length: "))
    return head, await reader.readexactly(int(length.removeprefix(b"Content-Length: ")))


def answering(*parts: bytes) -> Handler:
    """Read the request, then send the parts."""

    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await read_request(reader)
        for part in parts:
            writer.write(part)
            await writer.drain()

    return handle


def dripping(head: bytes, drop: bytes, every: float = 0.2) -> Handler:
    """Send the head at once, then a small chunk at intervals, forever."""

    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await read_request(reader)
        writer.write(head)
        while True:
            writer.write(drop)
            await writer.drain()
            await asyncio.sleep(every)

    return handle


def flooding(head: bytes, flood: bytes, sent_sizes: list[int]) -> Handler:
    """Send without pause until the connection breaks, and record the sizes."""

    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await read_request(reader)
        writer.write(head)
        while True:
            writer.write(flood)
            await writer.drain()
            sent_sizes.append(len(flood))

    return handle


async def silent(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    await asyncio.Event().wait()


async def closing_at_once(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    pass


@contextmanager
def full_backlog(host: str = "127.0.0.1") -> Iterator[int]:
    """A listening port that never accepts and whose backlog is full."""
    with socket.socket() as listener, ExitStack() as waiting:
        listener.bind((host, 0))
        listener.listen(0)
        port: int = listener.getsockname()[1]
        for _ in range(BACKLOG_ENOUGH):
            caller = waiting.enter_context(socket.socket())
            caller.setblocking(False)
            caller.connect_ex((host, port))
        yield port

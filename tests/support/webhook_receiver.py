"""A webhook receiver on a real socket that records requests and answers as configured."""

import asyncio
import json
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime

from tests.support.cast import Json

HOST = "127.0.0.1"


@dataclass(frozen=True, slots=True)
class Received:
    """A request, with lowercase header names and the time at which it was complete."""

    at: datetime
    path: str
    headers: dict[str, str]
    body: bytes

    @property
    def delivery(self) -> str:
        return self.headers["service-delivery"]

    @property
    def attempt(self) -> int:
        return int(self.headers["service-attempt"])

    @property
    def event(self) -> Json:
        event: Json = json.loads(self.body)
        return event

    @property
    def signed_at(self) -> int:
        moment, _ = self.headers["service-signature"].split(",", 1)
        return int(moment.removeprefix("t="))


class Receiver:
    """Each path is its own endpoint; `most` is the highest number of concurrent requests to one.

    While the receiver is held, it answers nothing. If `text` is None, it closes the connection without a
    response.
    """

    def __init__(self) -> None:
        self.received: list[Received] = []
        self.status: int | Callable[[Received], int] = 200
        self.text: bytes | None = b"ok"
        self.takes_seconds = 0.0
        self.under_way = Counter[str]()
        self.most = Counter[str]()
        self.most_in_all = 0
        self.port = 0
        self._gate = asyncio.Event()
        self._gate.set()
        self._arrival = asyncio.Condition()
        self._handlers = set[asyncio.Task[None]]()
        self._server: asyncio.Server | None = None

    @property
    def url(self) -> str:
        return f"http://{HOST}:{self.port}"

    def hold(self) -> None:
        self._gate.clear()

    def release(self) -> None:
        self._gate.set()

    async def until(self, is_true: Callable[[], bool], seconds: float = 30) -> None:
        """Wait until the condition is true; it is checked at each request."""
        async with asyncio.timeout(seconds), self._arrival:
            await self._arrival.wait_for(is_true)

    async def until_received(self, number: int, seconds: float = 30) -> None:
        await self.until(lambda: len(self.received) >= number, seconds)

    async def listen(self) -> None:
        """Listen on the previous port, if any."""
        self._server = await asyncio.start_server(self._serve, HOST, self.port, backlog=1_000)
        self.port = self._server.sockets[0].getsockname()[1]

    async def close(self) -> None:
        """Refuse new connections and break the open ones."""
        if self._server:
            self._server.close()
        for handler in self._handlers:
            handler.cancel()
        if self._handlers:
            await asyncio.wait(self._handlers)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        handler = asyncio.current_task()
        assert handler, "the server runs it as a task"
        self._handlers.add(handler)
        handler.add_done_callback(self._handlers.discard)
        try:
            with suppress(asyncio.CancelledError, asyncio.IncompleteReadError, OSError):
                await self._answer(await read_request(reader), reader, writer)
        finally:
            writer.close()

    async def _answer(
        self, request: Received, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        self.under_way[request.path] += 1
        self.most[request.path] = max(self.most[request.path], self.under_way[request.path])
        self.most_in_all = max(self.most_in_all, self.under_way.total())
        try:
            async with self._arrival:
                self.received.append(request)
                self._arrival.notify_all()
            await asyncio.sleep(self.takes_seconds)
            await self._held(reader)
        finally:
            self.under_way[request.path] -= 1
        if self.text is not None:
            status = self.status if isinstance(self.status, int) else self.status(request)
            writer.write(
                b"HTTP/1.1 %d X\r\nContent-Length: %d\r\n\r\n" % (status, len(self.text)) + self.text
            )
            await writer.drain()

    async def _held(self, reader: asyncio.StreamReader) -> None:
        """Wait until the receiver is released or the sender gives up."""
        if self._gate.is_set():
            return
        waiting = {asyncio.create_task(self._gate.wait()), asyncio.create_task(reader.read(1))}
        try:
            await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in waiting:
                task.cancel()
            await asyncio.gather(*waiting, return_exceptions=True)


async def read_request(reader: asyncio.StreamReader) -> Received:
    head = (await reader.readuntil(b"\r\n\r\n")).decode("ascii")
    first, *lines = head.rstrip("\r\n").split("\r\n")
    headers = {name.lower(): value for name, value in (line.split(": ", 1) for line in lines)}
    body = await reader.readexactly(int(headers["content-length"]))
    return Received(datetime.now(UTC), first.split(" ")[1], headers, body)


@asynccontextmanager
async def receiving() -> AsyncIterator[Receiver]:
    receiver = Receiver()
    await receiver.listen()
    try:
        yield receiver
    finally:
        await receiver.close()

"""The event loop of server processes: a stopping server still accepts connections in its backlog."""

import asyncio
import os
import socket
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, cast

from instep.platform.web.protocol import StrictHttp

if sys.platform == "win32":
    BaseLoop = asyncio.ProactorEventLoop
else:
    from uvloop import Loop as BaseLoop


class Loop(BaseLoop):
    """A loop whose listeners drain their backlog when they close.

    The kernel completes connections by itself, and resets those that were not accepted when the listener
    closes, along with the requests that they have sent.
    """

    # The type of uvloop's own method lists every argument; only the first one matters here.
    async def create_server(  # type: ignore[override]
        self, protocol_factory: Callable[[], asyncio.Protocol], *args: Any, **kwargs: Any
    ) -> "Listener":
        server = await super().create_server(protocol_factory, *args, **kwargs)
        return Listener(self, cast(asyncio.Server, server), protocol_factory)


class Listener:
    """The part of `asyncio.Server` that the web server uses."""

    def __init__(
        self, loop: Loop, server: asyncio.Server, protocol_factory: Callable[[], asyncio.Protocol]
    ) -> None:
        self.loop = loop
        self.server = server
        self.protocol_factory = protocol_factory
        self.accepting: set[asyncio.Task[Any]] = set()

    @property
    def sockets(self) -> Sequence[Any]:
        return self.server.sockets

    def close(self) -> None:
        for listener in self.server.sockets:
            with socket.socket(fileno=os.dup(listener.fileno())) as copy:
                self.drain(copy)
        self.server.close()

    def drain(self, listener: socket.socket) -> None:
        listener.setblocking(False)
        with suppress(BlockingIOError, ConnectionError):
            while True:
                connection, _ = listener.accept()
                connection.setblocking(False)
                task = self.loop.create_task(
                    self.loop.connect_accepted_socket(self.stopping_protocol, connection)
                )
                self.accepting.add(task)
                task.add_done_callback(self.accepting.discard)

    def stopping_protocol(self) -> asyncio.Protocol:
        """A protocol that knows that its server stops; the server itself only notifies existing ones."""
        protocol = self.protocol_factory()
        if isinstance(protocol, StrictHttp):
            protocol.shutdown()
        return protocol

    async def wait_closed(self) -> None:
        await self.server.wait_closed()

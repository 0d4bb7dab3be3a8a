"""A transport that sends the head of a response with the first part of its body, in one system call."""

import asyncio
from typing import Any

# The beginning of a head that answers a request; an interim one, such as 100, may not wait.
FINAL_HEADS = (b"HTTP/1.1 2", b"HTTP/1.1 3", b"HTTP/1.1 4", b"HTTP/1.1 5")


class CoalescingTransport:
    """Keeps a head until the next write, or else until the next turn of the event loop.

    The order of all bytes stays, so nothing is lost if a part of a body looks like a head.
    """

    __slots__ = ("head", "loop", "timer", "transport")

    def __init__(self, transport: asyncio.Transport, loop: asyncio.AbstractEventLoop) -> None:
        self.transport = transport
        self.loop = loop
        self.head = b""
        self.timer: asyncio.Handle | None = None

    def __getattr__(self, name: str) -> Any:
        return getattr(self.transport, name)

    def write(self, data: bytes) -> None:
        if self.head:
            self.transport.writelines((self.take_head(), data))
        elif data.startswith(FINAL_HEADS):
            self.head = data
            self.timer = self.loop.call_soon(self.flush)
        else:
            self.transport.write(data)

    def take_head(self) -> bytes:
        if self.timer is not None:
            self.timer.cancel()
            self.timer = None
        head, self.head = self.head, b""
        return head

    def flush(self) -> None:
        """Send a head that waits for a body, unless the connection was given up in the meantime."""
        head = self.take_head()
        if head and not self.transport.is_closing():
            self.transport.write(head)

    def close(self) -> None:
        self.flush()
        self.transport.close()

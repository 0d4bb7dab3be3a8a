"""A connection from which a bounded number of bytes is read."""

import asyncio

from httpcore2 import AsyncNetworkStream, ReadError, WriteError


class ReadLimitExceeded(Exception):
    """The other side sends more than may be read."""


class CappedStream(AsyncNetworkStream):
    """A network stream for the HTTP library; `max_bytes` bounds all received bytes, headers included.

    The caller limits the time of the whole exchange, so single reads have no limit.
    """

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, max_bytes: int) -> None:
        self.reader = reader
        self.writer = writer
        self.bytes_left = max_bytes
        self.is_at_end = False

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        if not self.bytes_left:
            raise ReadLimitExceeded
        try:
            data = await self.reader.read(min(max_bytes, self.bytes_left))
        except OSError as error:
            raise ReadError from error
        self.bytes_left -= len(data)
        self.is_at_end = not data
        return data

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:
        try:
            self.writer.write(buffer)
            await self.writer.drain()
        except OSError as error:
            raise WriteError from error

    async def aclose(self) -> None:
        # This waits neither for unsent bytes nor for the close_notify of TLS.
        self.writer.transport.abort()

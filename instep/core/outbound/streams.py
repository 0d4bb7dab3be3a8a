"""A connection of which a limited part is read."""

import asyncio

from httpcore2 import AsyncNetworkStream, ReadError, WriteError


class TooMuch(Exception):
    """More was sent than is read."""


class CappedStream(AsyncNetworkStream):
    """As the HTTP library wants it; `read_most` counts all that the other side sends, headers included.

    Time limits are the caller's: one for the whole exchange, none for a single read.
    """

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, read_most: int) -> None:
        self.reader = reader
        self.writer = writer
        self.left = read_most
        self.is_at_end = False

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        if not self.left:
            raise TooMuch
        try:
            data = await self.reader.read(min(max_bytes, self.left))
        except OSError as error:
            raise ReadError from error
        self.left -= len(data)
        self.is_at_end = not data
        return data

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:
        try:
            self.writer.write(buffer)
            await self.writer.drain()
        except OSError as error:
            raise WriteError from error

    async def aclose(self) -> None:
        # Neither what is unsent nor a farewell of TLS is waited for.
        self.writer.transport.abort()

"""Compression of responses, but of none that is served in byte ranges."""

from starlette.middleware.gzip import GZipMiddleware
from starlette.types import Receive, Scope, Send

# A range counts the bytes of the file itself, so the whole must not be another sequence of bytes.
UNCOMPRESSED = "/files/"


class Compression(GZipMiddleware):
    """Compresses what is worth it."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope["path"].startswith(UNCOMPRESSED):
            await self.app(scope, receive, send)
        else:
            await super().__call__(scope, receive, send)

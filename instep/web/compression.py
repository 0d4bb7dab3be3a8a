"""Compression of responses as they are made; what is built was compressed once, and better."""

from starlette.middleware.gzip import GZipMiddleware
from starlette.types import ASGIApp, Receive, Scope, Send

from instep.web.assets import PATH

COMPRESSED_FROM_BYTES = 1_000
# The highest level blocks the event loop for seconds on a large repetitive text.
COMPRESSION_LEVEL = 4


class Compression(GZipMiddleware):
    """Compresses responses on their way, other than built files."""

    def __init__(self, app: ASGIApp) -> None:
        super().__init__(app, minimum_size=COMPRESSED_FROM_BYTES, compresslevel=COMPRESSION_LEVEL)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope["path"].startswith(PATH):
            await self.app(scope, receive, send)
        else:
            await super().__call__(scope, receive, send)

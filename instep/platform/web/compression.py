"""Compression of responses as they are made, other than built files, which are compressed once and better."""

from starlette.middleware.gzip import GZipMiddleware
from starlette.types import ASGIApp, Receive, Scope, Send

from instep.platform.web.assets import PATH as ASSETS_PATH

COMPRESSED_FROM_BYTES = 1_000
# The highest level blocks the event loop for seconds on a large repetitive text.
COMPRESSION_LEVEL = 4
# A range counts the bytes of the file itself, so the whole must not be another sequence of bytes.
FILES_PATH = "/files/"
# A zip is compressed already, and its digest is that of the bytes as they are.
THIN_CLIENT_PATH = "/ci/"


class Compression(GZipMiddleware):
    """Compresses responses, other than built files and files that are served as they are."""

    def __init__(self, app: ASGIApp) -> None:
        super().__init__(app, minimum_size=COMPRESSED_FROM_BYTES, compresslevel=COMPRESSION_LEVEL)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope["path"].startswith((ASSETS_PATH, FILES_PATH, THIN_CLIENT_PATH)):
            await self.app(scope, receive, send)
        else:
            await super().__call__(scope, receive, send)

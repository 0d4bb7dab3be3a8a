"""Compresses responses on the fly, except built files, which are compressed once and better."""

from starlette.middleware.gzip import GZipMiddleware
from starlette.types import ASGIApp, Receive, Scope, Send

from instep.platform.web.assets import PATH as ASSETS_PATH

COMPRESSED_FROM_BYTES = 1_000
# The highest level blocks the event loop for seconds on a large repetitive text.
COMPRESSION_LEVEL = 4
# A range counts the bytes of the file itself, so a compressed whole would not fit it.
FILES_PATH = "/files/"
# A ZIP file is already compressed, and its digest is that of the raw bytes.
THIN_CLIENT_PATH = "/ci/"


class Compression(GZipMiddleware):
    """Compresses responses, except built files and raw files."""

    def __init__(self, app: ASGIApp) -> None:
        super().__init__(app, minimum_size=COMPRESSED_FROM_BYTES, compresslevel=COMPRESSION_LEVEL)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope["path"].startswith((ASSETS_PATH, FILES_PATH, THIN_CLIENT_PATH)):
            await self.app(scope, receive, send)
        else:
            await super().__call__(scope, receive, send)

"""CORS for endpoints that browser clients of all origins may call: OAuth, the workspace's MCP, discovery.

They read no cookie. Access depends on the token, key or code that the caller sends, so a page of a foreign
origin can do no more with them than any program can.
"""

import re

from starlette.middleware.cors import CORSMiddleware
from starlette.types import ASGIApp, Receive, Scope, Send

from instep.platform.core import limits
from instep.platform.web.visitors.cors import EXPOSED_MCP_HEADERS

OPEN = re.compile(
    r"/mcp/admin/|/oauth/(?:token|register|revoke)/|(?:/help/[^/]+)?/(?:\.well-known|mcp/server-card)/"
)
# Paths for programs, which also work with a trailing slash.
MACHINE = re.compile(r"/oauth/|(?:/help/[^/]+)?/(?:\.well-known|mcp)/")


class OpenCors:
    """Answers the preflight requests of open paths, and adds the headers to all their responses."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app
        self.cors = CORSMiddleware(
            app,
            allow_origins=["*"],
            allow_methods=["GET", "POST", "DELETE"],
            allow_headers=["*"],
            expose_headers=[EXPOSED_MCP_HEADERS],
            max_age=limits.PREFLIGHT_CACHE_SECONDS,
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        is_open = scope["type"] == "http" and OPEN.match(f"{scope['path']}/")
        await (self.cors if is_open else self.app)(scope, receive, send)


class MachineAddresses:
    """Routes a program's path with a trailing slash to the path without it.

    With a redirect, some clients would lose the body or the credential.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and MACHINE.match(scope["path"]):
            scope["path"] = scope["path"].rstrip("/")
        await self.app(scope, receive, send)

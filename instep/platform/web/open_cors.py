"""CORS for what browser clients of all origins may call: OAuth's endpoints, the workspace's MCP, discovery.

These read no cookie. A caller opens them with the token, key or code that it sends, so a page of a foreign
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
# Addresses of machines, which are the same with a slash at their end.
MACHINE = re.compile(r"/oauth/|(?:/help/[^/]+)?/(?:\.well-known|mcp)/")


class OpenCors:
    """Answers the preflight requests of open addresses, and adds the fields to all their responses."""

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
    """Leads an address of machines with a slash at its end to the address without it.

    A redirect would lose the body or the credential in some clients.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and MACHINE.match(scope["path"]):
            scope["path"] = scope["path"].rstrip("/")
        await self.app(scope, receive, send)

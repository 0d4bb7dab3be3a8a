"""CORS for what browser clients of all origins may call: OAuth's endpoints, the workspace's MCP, discovery.

These read no cookie. A caller opens them with the token, key or code that it sends, so a page of a foreign
origin can do no more with them than any program can.
"""

from starlette.middleware.cors import CORSMiddleware
from starlette.types import ASGIApp, Receive, Scope, Send

from instep.core import limits
from instep.web.visitors.cors import EXPOSED_MCP_HEADERS

OPEN = (
    "/.well-known/",
    "/mcp/admin/",
    "/mcp/server-card/",
    "/oauth/token/",
    "/oauth/register/",
    "/oauth/revoke/",
)
# Addresses of machines, which are the same with a slash at their end.
MACHINE = ("/.well-known/", "/mcp/", "/oauth/")


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
        is_open = scope["type"] == "http" and f"{scope['path']}/".startswith(OPEN)
        await (self.cors if is_open else self.app)(scope, receive, send)


class MachineAddresses:
    """Leads an address of machines with a slash at its end to the address without it.

    A redirect would lose the body or the credential in some clients.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope["path"].startswith(MACHINE):
            scope["path"] = scope["path"].rstrip("/")
        await self.app(scope, receive, send)

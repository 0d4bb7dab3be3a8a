"""The generous rate limit by client address for requests that are not counted in the database."""

from starlette.requests import Request
from starlette.types import ASGIApp, Receive, Scope, Send

from instep.platform.core.errors import RateLimited
from instep.platform.web.client_addresses import client_address

# Requests below these paths are counted in the database, by key, visitor or address.
COUNTED_ELSEWHERE = ("/v1/", "/chat/", "/feedback/", "/leads/", "/widget/", "/mcp/admin/")
# A refused page still needs its style and its icon; browsers cache both.
STATIC = "/static/"
# Monitoring often requests the first two.
UNCOUNTED = {"/healthz", "/readyz", "/favicon.ico"}
UNCOUNTED_BELOW = (*COUNTED_ELSEWHERE, STATIC)


class PublicLimit:
    """Refuses addresses with too many requests, before routing."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and is_counted(scope["path"]):
            refuse_too_many(Request(scope))
        await self.app(scope, receive, send)


def refuse_too_many(request: Request) -> None:
    """Count a request of its address; raises `RateLimited` (429)."""
    seconds = request.app.state.public_buckets.take(client_address(request))
    if seconds:
        raise RateLimited(headers={"Retry-After": str(seconds)})


def is_counted(path: str) -> bool:
    return path not in UNCOUNTED and not f"{path}/".startswith(UNCOUNTED_BELOW)

"""The wide limit by address of all that is not counted in the database: pages, documents, protocol calls."""

from starlette.requests import Request
from starlette.types import ASGIApp, Receive, Scope, Send

from instep.core.errors import RateLimited
from instep.web.addresses import client_address

# Below these each call is counted in the database, by its key, its visitor or its address.
COUNTED_ELSEWHERE = ("/v1/", "/chat/", "/leads/", "/widget/", "/mcp/admin/")
# Those who watch over the installation ask often, and learn nothing else.
HEALTH = {"/healthz", "/readyz"}


class PublicLimit:
    """Refuses an address that asks too often, before any route is looked for."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and is_counted(scope["path"]):
            request = Request(scope)
            seconds = request.app.state.public_buckets.take(client_address(request))
            if seconds:
                raise RateLimited(headers={"Retry-After": str(seconds)})
        await self.app(scope, receive, send)


def is_counted(path: str) -> bool:
    return path not in HEALTH and not f"{path}/".startswith(COUNTED_ELSEWHERE)

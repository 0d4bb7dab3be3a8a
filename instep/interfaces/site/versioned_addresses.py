"""Addresses of a help center in one of its product versions: `/help/{bot}/versions/{version}/…`."""

import re
from collections.abc import Sequence

from starlette.requests import Request
from starlette.routing import BaseRoute, Match
from starlette.types import ASGIApp, Receive, Scope, Send

from instep.platform.web.custom_domains import custom_domain

# The scope key of the version in the requested address.
KEY = "instep.product_version"
# Feeds, lists for programs and files have no addresses below a version.
VERSIONED = re.compile(
    r"(/help/[^/]+)/versions/([^/]+)"
    r"(/(?!(?:[^/]+/)?cards/|(?:sso|sign-out|suggestions|mcp)$|.*\.(?:atom|json|txt|xml)$).*)?"
)


def is_in_each_version(path: str, routes: Sequence[BaseRoute]) -> bool:
    """True if a path below a help center, without a version, leads to a page that each version has."""
    address = {"type": "http", "method": "GET", "path": f"/help/-/{path}", "headers": []}
    return bool(VERSIONED.fullmatch(f"/help/-/versions/-/{path}")) and any(
        route.matches(address)[0] is Match.FULL for route in routes
    )


class VersionedAddresses:
    """Moves the version in an address to the scope, so that the same routes serve all versions."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and (match := VERSIONED.fullmatch(scope["path"])):
            home, scope[KEY], rest = match.groups()
            scope["path"] = home + (rest or "")
        await self.app(scope, receive, send)


def requested_version(request: Request) -> str | None:
    """The slug of the version in the requested address."""
    slug: str | None = request.scope.get(KEY)
    return slug


def version_path(request: Request) -> str:
    """The prefix of the requested address below its help center: empty without a version."""
    slug = requested_version(request)
    return f"/versions/{slug}" if slug else ""


def path_with_version(request: Request, path: str) -> str:
    """A path of the routes, `/help/{bot}…`, as an address of the requested host and version."""
    home, name, *rest = path.removeprefix("/").split("/", 2)
    below = version_path(request) + "".join(f"/{part}" for part in rest)
    return below if custom_domain(request) == name else f"/{home}/{name}{below}"

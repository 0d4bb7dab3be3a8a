"""Routes by the first segments of a path: of hundreds of routes only the few that may match are tried."""

from functools import lru_cache
from itertools import zip_longest

from fastapi import APIRouter
from starlette.routing import BaseRoute, Mount, Route
from starlette.types import Receive, Scope, Send

# The number of path segments that the index reads.
DEPTH = 4
MAX_KEPT_ROUTERS = 2_000
# A segment that no route names, such as an id. None means no segment.
ANY = "{}"
Key = tuple[str | None, ...]


class RouteIndex:
    """Passes each request to a router with the routes that have the same beginning as its path, in order.

    Requests that no route matches, or whose path matches but not the method, get the full router's answer.
    """

    def __init__(self, router: APIRouter) -> None:
        self.router = router
        self.routes = [(key_of_route(route), route) for route in router.routes]
        self.segments = [{key[place] for key, _ in self.routes} for place in range(DEPTH)]
        self.router_for = lru_cache(MAX_KEPT_ROUTERS)(self.make_router)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        is_lifespan = scope["type"] == "lifespan"
        router = self.router if is_lifespan else self.router_for(self.key_of_path(scope["path"]))
        await router.app(scope, receive, send)

    def key_of_path(self, path: str) -> Key:
        places = zip_longest(segments_of(path), self.segments)
        return tuple(segment if segment in literals else ANY for segment, literals in places)

    def make_router(self, path_key: Key) -> APIRouter:
        routes = [route for key, route in self.routes if may_match(key, path_key)]
        return APIRouter(routes=routes, redirect_slashes=False, default=self.router.default)


def key_of_route(route: BaseRoute) -> Key:
    assert isinstance(route, Route | Mount), "every route has a path"
    segments = [ANY if "{" in segment else segment for segment in segments_of(route.path)]
    rest = ANY if isinstance(route, Mount) else None
    return (*segments, *[rest] * (DEPTH - len(segments)))


def segments_of(path: str) -> list[str]:
    return path.split("/", DEPTH + 1)[1 : DEPTH + 1]


def may_match(key: Key, path_key: Key) -> bool:
    return all(segment in (ANY, other) for segment, other in zip(key, path_key, strict=True))

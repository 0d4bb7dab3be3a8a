"""The template of the route that a request has reached, such as `/v1/articles/{id}`."""

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from starlette.routing import BaseRoute, Mount, Route
from starlette.types import Scope

# The name for requests that no route matches, or that are refused before routing.
UNMATCHED = "none"


class RouteTemplates:
    """Finds templates by the endpoint, which the router notes for every kind of route."""

    def __init__(self, routes: Sequence[BaseRoute]) -> None:
        self.routes: dict[Any, list[Route | Mount]] = defaultdict(list)
        for route in routes:
            if isinstance(route, Route | Mount):
                self.routes[endpoint_of(route)].append(route)

    def template_of(self, scope: Scope) -> str:
        routes = self.routes.get(scope.get("endpoint"), ())
        # One endpoint may serve several routes; a mount has taken its own part off the rest of the path.
        paths = [route.path for route in routes if route.path_regex.match(scope["path"])]
        return paths[0] if paths else UNMATCHED


def endpoint_of(route: Route | Mount) -> Any:
    return route.app if isinstance(route, Mount) else route.endpoint

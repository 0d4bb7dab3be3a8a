"""The template of the route that a request has reached, such as `/v1/articles/{id}`."""

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from starlette.routing import BaseRoute, Mount, Route
from starlette.types import Scope

# The name for requests that no route matches, or that are refused before routing.
UNMATCHED = "none"
TOKEN = "{token}"


class RouteTemplates:
    """Finds templates by the endpoint, which the router records for every kind of route."""

    def __init__(self, routes: Sequence[BaseRoute]) -> None:
        self.routes: dict[Any, list[Route | Mount]] = defaultdict(list)
        for route in routes:
            if isinstance(route, Route | Mount):
                self.routes[endpoint_of(route)].append(route)
        paths = [route.path for group in self.routes.values() for route in group]
        self.folders_of_tokens = {path.partition(TOKEN)[0] for path in paths if TOKEN in path}

    def template_of(self, scope: Scope) -> str:
        routes = self.routes.get(scope.get("endpoint"), ())
        # One endpoint may serve several routes; a mount has removed its own part from the rest of the path.
        paths = [route.path for route in routes if route.path_regex.match(scope["path"])]
        return paths[0] if paths else UNMATCHED

    def path_without_token(self, path: str) -> str:
        """The path with `…` for a token that opens a page to anyone who knows it.

        It is hidden even if there is no page: the token may be right and the rest of the path wrong.
        """
        for folder in self.folders_of_tokens:
            if path.startswith(folder):
                token, slash, rest = path.removeprefix(folder).partition("/")
                return f"{folder}…{slash}{rest}" if token else path
        return path


def endpoint_of(route: Route | Mount) -> Any:
    return route.app if isinstance(route, Mount) else route.endpoint

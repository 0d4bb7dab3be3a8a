"""Requests are led to routes by the first segments of their paths: to the same ones as without that."""

import re

import pytest
from fastapi import APIRouter
from starlette.routing import BaseRoute, Match
from starlette.types import Scope

from instep.app import create_app
from instep.platform.web.route_index import DEPTH, RouteIndex
from tests.support.cast import Api

ROUTES = create_app().routes
# In place of a parameter: a name, one that is also a literal of other routes, nothing, and what routes write.
NAMES = ("install", "articles", "", "{id}")


def first_match(routes: list[BaseRoute], scope: Scope) -> tuple[Match, BaseRoute | None]:
    """What a router would choose: a route of the path and the method, else the first one of the path."""
    matches = [(route.matches(scope)[0], route) for route in routes]
    for kind in (Match.FULL, Match.PARTIAL):
        for match, route in matches:
            if match is kind:
                return match, route
    return Match.NONE, None


@pytest.mark.parametrize("name", NAMES)
def test_every_address_leads_where_it_would_without_the_index(name: str) -> None:
    index = RouteIndex(APIRouter(routes=ROUTES, redirect_slashes=False))
    paths = {re.sub(r"{\w+}", name, getattr(route, "path", "")) for route in ROUTES}
    for path in {*paths, *(f"{path}/more" for path in paths), "", "/", "//", "/help", "/v1/nothing/at/all"}:
        for method in ("GET", "POST", "PATCH", "DELETE", "PUT"):
            scope: Scope = {"type": "http", "method": method, "path": path, "headers": [], "root_path": ""}
            few = index.router_for(index.key_of_path(path)).routes

            assert first_match(few, scope) == first_match(ROUTES, scope), f"{method} {path}"


def test_few_routes_are_tried() -> None:
    index = RouteIndex(APIRouter(routes=ROUTES, redirect_slashes=False))

    for path in ("/v1/articles/install", "/help/acme/articles/install", "/app/acme/review", "/healthz"):
        assert len(index.router_for(index.key_of_path(path)).routes) < len(ROUTES) / 20


def test_paths_that_no_route_has_are_kept_as_one() -> None:
    index = RouteIndex(APIRouter(routes=ROUTES, redirect_slashes=False))

    keys = {index.key_of_path(f"/{number}/{number}/{number}" + "/more" * DEPTH) for number in range(100)}

    assert len(keys) == 1


async def test_a_wrong_method_is_told_the_right_ones(api: Api) -> None:
    answer = await api(None).post("/healthz")

    assert (answer.status_code, answer.headers["Allow"]) == (405, "GET, HEAD")

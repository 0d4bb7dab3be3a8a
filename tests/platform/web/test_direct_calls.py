"""Calls without a body bypass FastAPI's dependency resolution and get the same response."""

from collections.abc import Callable
from typing import Annotated, Any

import pytest
from fastapi import Query, Request
from fastapi.responses import Response
from fastapi.routing import APIRoute

from instep.app import create_app
from instep.platform.web.authenticated_route import AuthenticatedRoute
from instep.platform.web.call import CurrentCall
from instep.platform.web.direct_calls import direct_handler

# Handlers that need the server's language models; only `instep drift` calls this one.
LEFT_TO_THE_FRAMEWORK = {"list_statements"}
API_GETS = [
    route
    for route in create_app(logs_requests=False).routes
    if isinstance(route, AuthenticatedRoute) and "GET" in (route.methods or ())
    if route.name not in LEFT_TO_THE_FRAMEWORK
]


@pytest.mark.parametrize("route", API_GETS, ids=lambda route: route.name)
def test_a_get_of_the_api_is_answered_directly(route: AuthenticatedRoute) -> None:
    assert direct_handler(route) is not None


async def takes_a_request(call: CurrentCall, request: Request) -> Response:
    return Response()


async def takes_a_list(call: CurrentCall, tags: Annotated[list[str], Query()] = []) -> Response:  # noqa: B006
    return Response()


async def takes_no_call(page: int = 1) -> Response:
    return Response()


@pytest.mark.parametrize("endpoint", [takes_a_request, takes_a_list, takes_no_call])
def test_a_handler_that_takes_more_is_left_to_the_framework(endpoint: Callable[..., Any]) -> None:
    assert direct_handler(APIRoute("/things", endpoint)) is None

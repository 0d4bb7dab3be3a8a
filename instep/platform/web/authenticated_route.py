"""The route of the management API: checks in the contract's order, renders errors, reports rate limits."""

import json
from collections.abc import Callable
from typing import Any, cast

from fastapi.responses import Response
from fastapi.routing import APIRoute
from starlette.requests import ClientDisconnect, Request
from starlette.routing import Match
from starlette.types import Scope

from instep.platform.core import limits
from instep.platform.core.errors import AppError
from instep.platform.core.outages import DatabaseFull
from instep.platform.core.restarts import restartable
from instep.platform.web.admission import ANY_KEY, Admission, OtherResult, authenticate_request
from instep.platform.web.call import Access, Call, Window
from instep.platform.web.direct_calls import Handler, direct_app, direct_handler
from instep.platform.web.errors import as_app_error, render_error
from instep.platform.web.strict_request import StrictRequest

# The paths of the API without parameters.
literal_paths: set[str] = set()


class AuthenticatedRoute(APIRoute):
    """A route with declared access; the order of checks is the contract's (section 3)."""

    def __init__(self, path: str, endpoint: Callable[..., Any], **options: Any) -> None:
        super().__init__(path, endpoint, **options)
        if self.methods and "GET" in self.methods:
            # The server sends no body (RFC 9110, section 9.3.2).
            self.methods.add("HEAD")
        if direct_handler(self) is not None:
            self.app = direct_app(self.get_route_handler())

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        # A literal path is never matched as a parameter, whatever the method (OpenAPI 3.1, Paths Object).
        if self.param_convertors and scope["path"] in literal_paths:
            return Match.NONE, {}
        return super().matches(scope)

    def get_route_handler(self) -> Handler:
        handle = direct_handler(self) or super().get_route_handler()
        access = cast(Access, self.endpoint.__dict__["access"])
        has_body = self.body_field is not None

        async def enter(request: Request) -> Response:
            windows: list[Window] = []
            try:
                response = await respond(request, windows)
            except ClientDisconnect:
                raise
            except Exception as error:
                response = render_error(as_app_error(error))
            add_rate_headers(response, windows)
            return response

        async def respond(request: Request, windows: list[Window]) -> Response:
            inner = StrictRequest(request.scope, request.receive)
            state = request.app.state
            admission = Admission(inner, access, windows, access.body_bytes)

            async def attempt() -> Response:
                async with admission.enter() as (auth, tx):
                    inner.refuse_too_large(access.body_bytes)
                    if has_body:
                        inner.refuse_other_than_json()
                    names_bot = bool(admission.bot_names)
                    call = Call(
                        *(auth, tx, access, state.settings, state.cursor_key, names_bot, windows),
                        replica=state.replica,
                    )
                    inner.state.call = call
                    response = await handle(inner)
                    add_warnings(response, call.warnings)
                    return response

            try:
                return await restartable(attempt)
            except (OtherResult, DatabaseFull) as reason:
                admission.begin_again(reason)
                return await restartable(attempt)

        return enter


def route_metadata(action: Callable[..., Any]) -> dict[str, Any]:
    """The operation id and the description of a route: its action's name and docstring."""
    lines = (action.__doc__ or "").strip().splitlines()
    return {
        "operation_id": action.__name__,
        "name": action.__name__,
        "summary": action.__name__.replace("_", " ").capitalize(),
        "description": "\n".join(line.strip() for line in lines),
    }


def add_rate_headers(response: Response, windows: list[Window]) -> None:
    if windows:
        response.headers["RateLimit-Policy"] = ", ".join(window.policy_field for window in windows)
        response.headers["RateLimit"] = ", ".join(window.limit_field for window in windows)


def add_warnings(response: Response, warnings: list[str]) -> None:
    """Add the action's warnings as a header: a JSON list of sentences in ASCII."""
    if warnings:
        response.headers["Instep-Warnings"] = json.dumps(warnings[: limits.MAX_WARNINGS])


async def refuse_address(request: Request, refusal: AppError) -> Response:
    """The error for a path without an operation: it is counted, and the key is checked first."""
    windows: list[Window] = []
    state = request.app.state
    try:
        async with authenticate_request(request, state.database, ANY_KEY, windows, state.settings):
            raise refusal
    except Exception as error:
        response = render_error(as_app_error(error))
    add_rate_headers(response, windows)
    return response


def allowed_methods(request: Request) -> list[str]:
    """Every method that some route accepts at this path (RFC 9110 section 15.5.6)."""
    methods: set[str] = set()
    for route in request.app.routes:
        if route.matches(request.scope)[0] is not Match.NONE:
            methods |= getattr(route, "methods", None) or set()
    return sorted(methods)

"""The id, the route template and the log line of every request."""

import time
from collections import defaultdict
from collections.abc import Awaitable, Callable, Sequence
from functools import cache
from typing import Any

import structlog
from opentelemetry.trace import Span, SpanKind, StatusCode
from starlette.datastructures import Headers
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from structlog.contextvars import bind_contextvars, reset_contextvars

from instep.platform.core.ids import REQUEST_ID_FIELD, request_id_from
from instep.platform.core.metrics import count_request
from instep.platform.core.tracing import span

# The name for requests that no route matches, or that are refused before routing.
UNMATCHED = "none"
TOKEN = "{token}"
OnError = Callable[[Request, Exception], Awaitable[Response]]

log = structlog.get_logger("instep.request")
# The status that nginx logs when the client closes the connection before the response.
CLIENT_GONE = 499


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


class RequestLog:
    """Gives each request an id, which its response and every log line about it carry.

    Only one middleware is outside it, so that unexpected errors are answered and logged with the id too.
    """

    def __init__(self, app: ASGIApp, on_error: OnError, *, is_silent: bool = False) -> None:
        self.app = app
        self.on_error = on_error
        # For commands that print something else on the terminal: then only errors are logged.
        self.is_silent = is_silent
        # The routes do not change once the application serves.
        self.templates = cache(lambda app: RouteTemplates(app.routes))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        request_id = request_id_from(Headers(scope=scope).get("x-request-id"))
        began = time.perf_counter()
        status: int | None = None

        async def send_with_id(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                # The response may be shared with others, so its own header list must not change.
                message["headers"] = [*message["headers"], (b"request-id", request_id.encode())]
            await send(message)

        tokens = bind_contextvars(**{REQUEST_ID_FIELD: request_id})
        with span(scope["method"], SpanKind.SERVER) as request_span:
            try:
                await self.app(scope, receive, send_with_id)
            except ClientDisconnect:
                # The client has disconnected, so there is no response.
                status = status or CLIENT_GONE
            except Exception as error:
                if status is not None:
                    raise
                response = await self.on_error(Request(scope, receive), error)
                await response(scope, receive, send_with_id)
            finally:
                self.record(scope, status or CLIENT_GONE, time.perf_counter() - began, request_span)
                reset_contextvars(**tokens)

    def record(self, scope: Scope, status: int, seconds: float, request_span: Span | None) -> None:
        """Count, trace and log a request that has ended."""
        templates = self.templates(scope["app"])
        route = templates.template_of(scope)
        count_request(scope["method"], route, status, seconds)
        if request_span:
            describe_request(request_span, scope["method"], route, status)
        if not self.is_silent:
            log.info(
                "request",
                method=scope["method"],
                path=templates.path_without_token(scope["path"]),
                status=status,
                ms=round(seconds * 1000, 1),
            )


def describe_request(span: Span, method: str, route: str, status: int) -> None:
    """Name a span by OpenTelemetry's conventions for HTTP servers: by the route, never by the path."""
    span.update_name(f"{method} {route}")
    span.set_attributes(
        {
            "http.request.method": method,
            "http.route": route,
            "http.response.status_code": status,
        }
    )
    if status >= 500:
        span.set_status(StatusCode.ERROR)

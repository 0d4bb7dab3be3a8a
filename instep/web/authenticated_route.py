"""The route of the management API: checks in the contract's order, renders errors, reports rate limits."""

import json
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from typing import Any, cast
from uuid import UUID

from fastapi.responses import Response
from fastapi.routing import APIRoute
from pydantic_core import from_json
from starlette.requests import ClientDisconnect, Request
from starlette.routing import Match
from starlette.types import Receive, Scope

from instep.core import limits
from instep.core.config import Settings
from instep.core.database import Database, Tx
from instep.core.errors import (
    AppError,
    InsufficientScope,
    InvalidRequest,
    InvalidValue,
    PlanInactive,
    RateLimited,
    Unauthorized,
)
from instep.core.ids import as_uuid
from instep.core.restarts import restartable
from instep.identity.access import refuse_read_only
from instep.identity.bots import refuse_without_bot
from instep.identity.keys import authenticate_key
from instep.identity.queries import is_in_force
from instep.identity.schemas import KeyAuth
from instep.identity.scopes import Scope as KeyScope
from instep.web.call import Access, Call, Window
from instep.web.client_addresses import client_address
from instep.web.errors import as_app_error, render_error

# A text that is not a UUID names a bot that no credential covers.
NO_BOT = UUID(int=0)
Handler = Callable[[Request], Coroutine[Any, Any, Response]]
AuthContext = AbstractAsyncContextManager[tuple[KeyAuth, Tx]]
Authenticate = Callable[[Database, str | None, UUID | None, str], AuthContext]


ANY_KEY = Access(is_write=False, needs_bot=False, needs_scope=False, body_bytes=limits.MAX_BODY_BYTES)


# The paths of the API without parameters.
literal_paths: set[str] = set()


class AuthenticatedRoute(APIRoute):
    """A route with declared access; the order of checks is the contract's (section 3)."""

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        # A literal path is never matched as a parameter, whatever the method (OpenAPI 3.1, Paths Object).
        if self.param_convertors and scope["path"] in literal_paths:
            return Match.NONE, {}
        return super().matches(scope)

    def get_route_handler(self) -> Handler:
        handle = super().get_route_handler()
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
                    names_bot = bool(named_bots(request))
                    call = Call(auth, tx, access, state.settings, state.cursor_key, names_bot, windows)
                    inner.state.call = call
                    response = await handle(inner)
                    add_warnings(response, call.warnings)
                    return response

            return await restartable(attempt)

        return enter


@dataclass(slots=True)
class Admission:
    """The authentication of one request, done and counted once, even if its transaction restarts."""

    request: "StrictRequest"
    access: Access
    windows: list[Window]
    max_body_bytes: int
    authenticate: Authenticate = authenticate_key
    auth: KeyAuth | None = None

    @asynccontextmanager
    async def enter(self) -> AsyncIterator[tuple[KeyAuth, Tx]]:
        """What the credential opens, and a connection in its workspace."""
        if self.auth is None:
            state = self.request.app.state
            rules = (self.access, self.windows, state.settings, self.authenticate)
            context = authenticate_request(self.request, state.database, *rules)
            async with with_body(self.request, self.max_body_bytes, state.database, context) as (
                auth,
                tx,
            ):
                self.auth = auth
                yield auth, tx
            return
        # The previous attempt may have added windows after that of requests.
        del self.windows[1:]
        workspace = self.auth.workspace_id or ""
        async with self.request.app.state.database.enter_workspace(workspace) as tx:
            yield self.auth, tx


@asynccontextmanager
async def authenticate_request(
    request: Request,
    database: Database,
    access: Access,
    windows: list[Window],
    settings: Settings,
    authenticate: Authenticate = authenticate_key,
) -> AsyncIterator[tuple[KeyAuth, Tx]]:
    bot_names = named_bots(request)
    bot = (as_uuid(bot_names[0]) or NO_BOT) if bot_names else None
    async with authenticate(database, bearer_token(request), bot, client_address(request)) as (auth, tx):
        windows.append(window_of(auth, settings))
        refuse_unknown_key(auth, windows[0])
        refuse_bot(auth, bot_names)
        if access.needs_bot:
            await refuse_without_bot(tx, auth, "`bot_id` or the header `Service-Bot`")
        if access.is_write:
            refuse_read_only(auth.scope == KeyScope.WRITE)
            if auth.is_paused:
                raise PlanInactive
        yield auth, tx


@asynccontextmanager
async def with_body(
    request: "StrictRequest", limit: int, database: Database, context: AuthContext
) -> AsyncIterator[tuple[KeyAuth, Tx]]:
    """Read the body of an authenticated request, without holding a connection while its bytes arrive.

    A small body is read first, so that one statement begins the request. The rest of a larger one is read
    after the caller is authenticated and counted; the connection is returned to the pool for that time, and
    the credential is checked again. A body longer than `limit` is refused by `refuse_too_large`.
    """
    if request.announced_bytes <= limits.MAX_UNAUTHENTICATED_BODY_BYTES:
        await request.read(limits.MAX_UNAUTHENTICATED_BODY_BYTES)
    async with context as (auth, tx):
        if request.is_whole:
            yield auth, tx
            return
    await request.read(limit)
    async with database.enter_workspace(auth.workspace_id or "") as tx:
        if not await is_in_force(tx, auth.key_id or ""):
            raise Unauthorized
        yield auth, tx


def window_of(auth: KeyAuth, settings: Settings) -> Window:
    has_key = auth.key_id is not None
    policy, quota = (
        ("api", settings.requests_per_minute)
        if has_key
        else ("anonymous", settings.anonymous_requests_per_minute)
    )
    return Window(policy, quota, limits.REQUEST_WINDOW_SECONDS, auth.hits, auth.seconds_left)


def refuse_unknown_key(auth: KeyAuth, window: Window) -> None:
    if window.is_over:
        raise RateLimited(headers={"Retry-After": str(window.seconds_left)})
    if auth.key_id is None:
        raise Unauthorized


def refuse_bot(auth: KeyAuth, bot_names: list[str]) -> None:
    if len({as_uuid(name) or name for name in bot_names}) > 1:
        raise InvalidValue("bot_id", "the request names different bots: send `bot_id` or `Service-Bot`, once")
    if bot_names and auth.bot_id is None:
        raise InsufficientScope("This API key does not cover the bot that the request names.")


def named_bots(request: Request) -> list[str]:
    return [*request.query_params.getlist("bot_id"), *request.headers.getlist("service-bot")]


def bearer_token(request: Request) -> str | None:
    values = request.headers.getlist("authorization")
    scheme, _, token = values[0].partition(" ") if len(values) == 1 else ("", "", "")
    return token.strip() if scheme.lower() == "bearer" else None


def route_metadata(action: Callable[..., Any]) -> dict[str, Any]:
    """The operation id and the text of a route: its action's name and docstring."""
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


class StrictRequest(Request):
    """A request whose body is bounded and whose JSON is strict: no NaN, no lone surrogates, not too deep."""

    def __init__(self, scope: Scope, receive: Receive) -> None:
        super().__init__(scope, receive)
        self.chunks = self.stream()
        self.received = bytearray()
        self.is_whole = False

    @property
    def announced_bytes(self) -> int:
        """The value of `Content-Length`; 0 for a chunked body."""
        length = self.headers.get("content-length", "")
        return int(length) if length.isascii() and length.isdigit() else 0

    async def read(self, limit: int) -> None:
        """Read the body up to a little more than `limit`; may be called again with a larger limit."""
        while not self.is_whole and len(self.received) <= limit:
            chunk = await anext(self.chunks, None)
            self.is_whole = chunk is None
            self.received += chunk or b""
        self._body = bytes(self.received)

    def refuse_too_large(self, limit: int) -> None:
        if len(self._body) > limit:
            raise InvalidRequest(f"The body is larger than {limit} bytes.")

    def refuse_other_than_json(self) -> None:
        kind = self.headers.get("content-type", "").partition(";")[0].strip().lower()
        if self._body and kind != "application/json":
            raise InvalidRequest("Send the body as JSON, with `Content-Type: application/json`.")

    async def json(self) -> Any:
        try:
            return from_json(self._body, allow_inf_nan=False)
        except ValueError as error:
            raise json.JSONDecodeError(str(error), "", 0) from None


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
    """Every method that some route takes at this address (RFC 9110 section 15.5.6)."""
    methods: set[str] = set()
    for route in request.app.routes:
        if route.matches(request.scope)[0] is not Match.NONE:
            methods |= getattr(route, "methods", None) or set()
    return sorted(methods)

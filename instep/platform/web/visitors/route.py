"""The route of the visitor API: calls with a bot key, from widgets on customers' pages and from servers."""

import hashlib
import json
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import Annotated, Any, cast
from uuid import UUID

from fastapi import APIRouter, Depends
from fastapi.responses import Response
from fastapi.routing import APIRoute
from starlette.requests import ClientDisconnect, Request

from instep.platform.core import limits
from instep.platform.core.clock import utc_now
from instep.platform.core.database import Database, Tx
from instep.platform.core.errors import AppError, InvalidRequest, InvalidValue, PlanInactive, RateLimited
from instep.platform.core.ids import as_uuid
from instep.platform.core.settings import Settings
from instep.platform.identity.access import scope_of
from instep.platform.identity.keys import authenticate_bot_key
from instep.platform.identity.schemas import Actor, Bot, BotKeyAuth, Ctx, ReadVersion
from instep.platform.identity.scopes import Scope
from instep.platform.web.authenticated_route import add_rate_headers, route_metadata
from instep.platform.web.call import BotKeyAccess, Window
from instep.platform.web.client_addresses import client_address
from instep.platform.web.direct_calls import Handler
from instep.platform.web.errors import as_app_error
from instep.platform.web.strict_request import StrictRequest
from instep.platform.web.visitors.cors import (
    answer_preflight,
    cors_headers,
    is_open_to,
    note_refused_origin,
    sent_origin,
)
from instep.platform.web.visitors.errors import InvalidCredentials, OriginNotAllowed, render_visitor_error

VISITOR = Actor("visitor", "Visitor", can_write=False)
CREDENTIALS = ("botId", "botKey")


@dataclass(frozen=True, slots=True)
class Credentials:
    """The bot, the key and the visitor that a call names, or the error if they can't be read."""

    bot: UUID | None
    key: str
    error: AppError | None
    # A hash, because it becomes part of a stored counter; None if no visitor is named.
    visitor: str | None = None
    # The id or slug of the product version to read.
    version: str | None = None


@dataclass(slots=True)
class ResponseHeaders:
    """Headers of the response, whether the call succeeds or fails."""

    windows: list[Window] = field(default_factory=list)
    cors: dict[str, str] = field(default_factory=dict)

    def add_to(self, response: Response) -> None:
        add_rate_headers(response, self.windows)
        response.headers.update(self.cors)
        response.headers.add_vary_header("Origin")


@dataclass(frozen=True, slots=True)
class VisitorCall:
    """One authenticated call of the visitor API; `tx` is None if the route has returned its connection."""

    bot: Bot
    is_paused: bool
    database: Database
    tx: Tx | None

    @asynccontextmanager
    async def begin(self) -> AsyncIterator[Ctx]:
        """The context of an action, in a transaction that ends with the block."""
        async with self.connection() as tx, tx.transaction():
            yield Ctx(tx, self.bot, VISITOR, utc_now())

    @asynccontextmanager
    async def connection(self) -> AsyncIterator[Tx]:
        if self.tx is not None:
            yield self.tx
            return
        async with self.database.enter_workspace(self.bot.workspace_id) as tx:
            yield tx


async def current_visitor_call(request: Request) -> VisitorCall:
    return cast(VisitorCall, request.state.call)


CurrentVisitorCall = Annotated[VisitorCall, Depends(current_visitor_call)]


class VisitorRouter(APIRouter):
    """Routes of the visitor API, each tied to the action that it exposes."""

    def __init__(self) -> None:
        super().__init__(route_class=VisitorRoute, redirect_slashes=False)

    def operation(
        self,
        method_and_path: str,
        action: Callable[..., Any],
        answer: Any,
        *,
        status: int = 200,
        takes_long: bool = False,
    ) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
        """Register a handler under the action's name; the route itself answers preflight requests.

        A handler with `takes_long` holds no connection while it runs: it takes one for each transaction.
        """
        method, path = method_and_path.split(" ")

        def register(handler: Callable[..., Any]) -> Callable[..., Any]:
            handler.__dict__["access"] = BotKeyAccess(
                scope_of(action) != Scope.READ, takes_long, method == "GET"
            )
            self.add_api_route(
                path,
                handler,
                methods=[method, "OPTIONS"],
                status_code=status,
                response_model=answer,
                **route_metadata(action),
            )
            return handler

        return register


class VisitorRoute(APIRoute):
    """A route of the visitor API. Errors in order: 429, 400 (no credentials), 401, 403, 402, 400, 404."""

    def get_route_handler(self) -> Handler:
        handle = super().get_route_handler()
        access = cast(BotKeyAccess, self.endpoint.__dict__["access"])

        async def enter(request: Request) -> Response:
            headers = ResponseHeaders()
            try:
                if request.method == "OPTIONS":
                    response = await answer_preflight(request, self.methods or set())
                else:
                    response = await respond(request, headers)
            except ClientDisconnect:
                raise
            except Exception as error:
                response = render_visitor_error(as_app_error(error))
            headers.add_to(response)
            return response

        async def respond(request: Request, headers: ResponseHeaders) -> Response:
            inner = StrictRequest(request.scope, request.receive)
            await inner.read(limits.MAX_VISITOR_BODY_BYTES)
            credentials = await read_credentials(inner)
            async with authenticate_visitor(inner, credentials, headers, access) as call:
                inner.state.call = call
                if not access.takes_long:
                    return await handle(inner)
            inner.state.call = replace(call, tx=None)
            return await handle(inner)

        return enter


async def read_credentials(request: StrictRequest) -> Credentials:
    """Read `botId`, `botKey` and `visitor` from the body; the route's model validates the rest.

    Calls without a body name the bot in the path and the key in the query.
    """
    if request.method == "GET":
        keys = request.query_params.getlist("botKey")
        error = None if len(keys) == 1 else InvalidRequest(details=[("botKey", "it is required, once")])
        bot, version = as_uuid(request.path_params["botId"]), request.query_params.get("version")
        return Credentials(bot, keys[0] if keys else "", error, version=version_ref(version))
    try:
        request.refuse_too_large(limits.MAX_VISITOR_BODY_BYTES)
        request.refuse_other_than_json()
        return credentials_in(await request.json())
    except json.JSONDecodeError as error:
        return Credentials(None, "", InvalidRequest(f"The body is not valid JSON: {error.msg}."))
    except AppError as refusal:
        return Credentials(None, "", refusal)


def credentials_in(body: Any) -> Credentials:
    if not isinstance(body, dict):
        raise InvalidRequest("The body must be a JSON object.")
    details = [
        (name, "it must be a string" if name in body else "it is required")
        for name in CREDENTIALS
        if not isinstance(body.get(name), str)
    ]
    if details:
        raise InvalidRequest(details=details)
    visitor, version = visitor_subject(body.get("visitor")), version_ref(body.get("version"))
    return Credentials(as_uuid(body["botId"]), body["botKey"], None, visitor, version)


def version_ref(version: Any) -> str | None:
    return version.replace("\0", "") if isinstance(version, str) else None


def visitor_subject(visitor: Any) -> str | None:
    if not isinstance(visitor, str) or not visitor:
        return None
    return hashlib.sha256(visitor.encode("utf-8", "replace")).hexdigest()


@asynccontextmanager
async def authenticate_visitor(
    request: Request, credentials: Credentials, headers: ResponseHeaders, access: BotKeyAccess
) -> AsyncIterator[VisitorCall]:
    state, address = request.app.state, client_address(request)
    if access.only_reads:
        address = f"reads {address}"
    # Calls without a visitor count as one visitor per address.
    visitor = credentials.visitor or address
    context = authenticate_bot_key(
        state.database, credentials.bot, credentials.key, visitor, address, credentials.version
    )
    async with context as (auth, tx):
        headers.windows += windows_of(auth, state.settings, access)
        is_open = is_open_to(request, auth.origins or (), state.settings)
        if auth.bot is not None and is_open:
            headers.cors |= cors_headers(request)
        refuse_spent(headers.windows)
        if credentials.error is not None:
            raise credentials.error
        if auth.bot is None:
            raise InvalidCredentials
        if not is_open:
            if origin := sent_origin(request):
                await note_refused_origin(tx, auth.bot, origin)
            raise OriginNotAllowed
        if access.is_write and auth.is_paused:
            raise PlanInactive
        bot = await bot_in_version(tx, auth.bot, auth.version, credentials.version)
        yield VisitorCall(bot, bool(auth.is_paused), state.database, tx)


async def bot_in_version(tx: Tx, bot: Bot, version: dict[str, Any] | None, ref: str | None) -> Bot:
    """The bot in the version that was found; without one for `ref`, the error names its versions."""
    if version is not None:
        return bot.in_version(ReadVersion(**version))
    if ref is None:
        return bot
    slugs: str | None = await tx.value(
        """
        select string_agg(slug, ', ' order by position) from product_versions
        where bot_id = %(bot)s and workspace_id = %(workspace)s
        """,
        bot=bot.id,
        workspace=bot.workspace_id,
    )
    raise InvalidValue(
        "version", f"it must be one of {slugs}" if slugs else "this help center has no versions"
    )


def windows_of(auth: BotKeyAuth, settings: Settings, access: BotKeyAccess) -> list[Window]:
    seconds = limits.REQUEST_WINDOW_SECONDS
    if auth.address_hits is None or auth.address_seconds_left is None:
        quota = settings.anonymous_requests_per_minute
        return [Window("anonymous", quota, seconds, auth.hits, auth.seconds_left)]
    if access.only_reads:
        quota = limits.WIDGET_READS_PER_MINUTE
        return [Window("widget-reads", quota, seconds, auth.address_hits, auth.address_seconds_left)]
    address_quota = limits.VISITOR_ADDRESS_CALLS_PER_MINUTE
    return [
        Window("widget-chat", limits.VISITOR_CALLS_PER_MINUTE, seconds, auth.hits, auth.seconds_left),
        Window("widget-address", address_quota, seconds, auth.address_hits, auth.address_seconds_left),
    ]


def refuse_spent(windows: Sequence[Window]) -> None:
    waits = [window.seconds_left for window in windows if window.is_over]
    if waits:
        raise RateLimited(headers={"Retry-After": str(max(waits))})

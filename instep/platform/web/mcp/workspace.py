"""The endpoint of the workspace's MCP server: it authenticates requests by API key or access token."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from functools import partial
from typing import Any
from uuid import UUID

from fastapi.responses import Response
from starlette.requests import ClientDisconnect, Request
from starlette.types import Receive, Scope, Send

from instep.platform.core import limits
from instep.platform.core.database import Database
from instep.platform.core.errors import AppError, InsufficientScope, InvalidValue, RateLimited, Unauthorized
from instep.platform.core.ids import as_uuid
from instep.platform.core.restarts import restartable
from instep.platform.identity import access_tokens
from instep.platform.identity.access_tokens import ACCESS
from instep.platform.identity.bots import credential_of, refuse_without_bot
from instep.platform.identity.keys import authenticate_key
from instep.platform.identity.queries import list_covered_bots
from instep.platform.identity.schemas import KeyAuth, TokenAuth
from instep.platform.identity.scopes import VERBS
from instep.platform.identity.scopes import Scope as KeyScope
from instep.platform.web.admission import ANY_KEY, Admission, AuthContext, named_bots
from instep.platform.web.authenticated_route import add_rate_headers
from instep.platform.web.call import Call, ToolsAccess, Window
from instep.platform.web.errors import as_app_error, render_error
from instep.platform.web.mcp import endpoint
from instep.platform.web.mcp.endpoint import NotAMessage
from instep.platform.web.mcp.server import McpServer
from instep.platform.web.mcp.tools import Tool
from instep.platform.web.strict_request import StrictRequest

UNAUTHENTICATED = (
    "No valid credential was sent: sign in as described in the header `WWW-Authenticate`, or send an API key."
)


@dataclass(frozen=True, slots=True)
class WorkspaceCaller:
    """The caller of the workspace's tools: an API key or a connected app, on this request's connection."""

    call: Call

    @property
    def credential(self) -> str:
        return credential_of(self.call.auth)

    def may_use(self, tool: Tool) -> bool:
        return KeyScope(self.call.auth.scope or KeyScope.READ).covers(tool.access.scope)

    async def call_of(self, tool: Tool, arguments: dict[str, Any]) -> Call:
        bot_id = arguments.pop("botId", None)
        auth = self.call.auth if bot_id is None else await self.auth_for_bot(bot_id)
        if tool.access.needs_bot:
            await refuse_without_bot(self.call.tx, auth, "`botId`")
        names_bot = self.call.names_bot or bot_id is not None
        return replace(self.call, auth=auth, access=tool.access, names_bot=names_bot)

    async def auth_for_bot(self, reference: object) -> KeyAuth:
        """The result of authentication for the bot that the arguments name."""
        if not isinstance(reference, str):
            raise InvalidValue("botId", "it must be a string")
        auth, bot_id = self.call.auth, as_uuid(reference)
        if auth.bot_id is not None and auth.bot_id == bot_id:
            return auth
        if self.call.names_bot:
            raise InvalidValue("botId", "the address or the header `Service-Bot` names another bot")
        bots = await list_covered_bots(self.call.tx, auth.key_id or "")
        bot = next((bot for bot in bots if bot.id == bot_id), None)
        if bot is None:
            raise InsufficientScope(f"This {self.credential} covers no bot with the ID in `botId`.")
        return replace(
            auth,
            bot_id=bot.id,
            bot_slug=bot.slug,
            bot_name=bot.name,
            bot_locale=bot.locale,
            bot_domain=bot.domain,
        )


class WorkspaceEndpoint:
    """`POST /mcp/admin`. Errors in order: 429, 401, bot (400, 403), host 421, origin 403, 400, scope 403."""

    access = ToolsAccess("API key or connected app")

    def __init__(self, server: McpServer) -> None:
        self.server = server

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = StrictRequest(scope, receive)
        windows: list[Window] = []
        try:
            response = await self.answer(request, windows)
        except ClientDisconnect:
            raise
        except NotAMessage as refusal:
            response = refusal.response()
        except Exception as error:
            response = render_error(as_app_error(error))
        add_rate_headers(response, windows)
        await response(scope, receive, send)

    async def answer(self, request: StrictRequest, windows: list[Window]) -> Response:
        admission = admission_of(request, windows)

        async def attempt() -> Response:
            async with authenticate_caller(admission) as caller:
                endpoint.refuse_foreign_host(request)
                endpoint.refuse_unnamed_origin(request)
                tool_call = endpoint.tool_and_arguments(
                    await endpoint.message_of(request, limits.MAX_TASK_BODY_BYTES)
                )
                tool = self.server.tools.get(tool_call[0]) if tool_call else None
                if tool is not None and not caller.may_use(tool):
                    raise refusal_of(tool, caller, request)
                return await endpoint.answer_of(self.server, request, caller)

        return await restartable(attempt)


def refusal_of(tool: Tool, caller: WorkspaceCaller, request: Request) -> InsufficientScope:
    """The HTTP error for a tool beyond the credential's scope, so that a client can ask for more scope.

    A client can't get more scope than the person's role allows.
    """
    auth = caller.call.auth
    if isinstance(auth, TokenAuth) and auth.person and not auth.person.permissions.can_write:
        return InsufficientScope(
            f"Your role in this workspace is read-only, and `{tool.name}` makes changes."
        )
    needed = tool.access.scope
    # The scope that a client must request to call the tool (RFC 6750 section 3.1).
    step_up = f'error="insufficient_scope", scope="{KeyScope.READ} {needed}"'
    return InsufficientScope(
        f"This {caller.credential} may only {VERBS[KeyScope(auth.scope or KeyScope.READ)]}:"
        f" `{tool.name}` needs one with the scope `{needed}`.",
        headers={"WWW-Authenticate": challenge(request, step_up)},
    )


def challenge(request: Request, *parameters: str) -> str:
    """The value of `WWW-Authenticate`, which names the resource metadata (RFC 9728 section 5.1)."""
    metadata = f'resource_metadata="{access_tokens.metadata_address(request.app.state.settings)}"'
    return "Bearer " + ", ".join([*parameters, metadata])


def admission_of(request: StrictRequest, windows: list[Window]) -> Admission:
    resource = access_tokens.resource_of(request.app.state.settings)
    return Admission(
        request, ANY_KEY, windows, limits.MAX_TASK_BODY_BYTES, partial(authenticate_credential, resource)
    )


@asynccontextmanager
async def authenticate_caller(admission: Admission) -> AsyncIterator[WorkspaceCaller]:
    """Authenticate a request to the workspace's MCP server."""
    request, state = admission.request, admission.request.app.state
    try:
        async with admission.enter() as (auth, tx):
            names_bot = bool(named_bots(request))
            windows = admission.windows
            key = state.cursor_key
            call = Call(auth, tx, ANY_KEY, state.settings, key, names_bot, windows, "mcp", state=state)
            yield WorkspaceCaller(call)
    except Unauthorized as refusal:
        refusal.message = UNAUTHENTICATED
        token_error = ['error="invalid_token"'] if "authorization" in request.headers else []
        refusal.headers["WWW-Authenticate"] = challenge(request, *token_error, f'scope="{KeyScope.READ}"')
        raise


def authenticate_credential(
    resource: str, database: Database, credential: str | None, bot: UUID | None, address: str
) -> AuthContext:
    """Authenticate an access token or an API key, distinguished by their form."""
    if credential is not None and access_tokens.is_token(credential, ACCESS):
        return access_tokens.authenticate_token(database, credential, resource, bot, address)
    return authenticate_key(database, credential, bot, address)


async def refuse_address_of_tools(request: Request, refusal: AppError) -> Response:
    """Answer an unsupported method or address; it counts as a request and needs no valid credential."""
    windows: list[Window] = []
    try:
        async with authenticate_caller(admission_of(StrictRequest(request.scope, request.receive), windows)):
            pass
    except RateLimited as rate_limited:
        refusal = rate_limited
    except AppError:
        pass
    response = render_error(refusal)
    add_rate_headers(response, windows)
    return response

"""The endpoint of the public MCP server: tools take a bot's id and its public key as arguments."""

import hashlib
from dataclasses import dataclass, replace
from typing import Annotated, Any

from fastapi.responses import Response
from pydantic import Field
from starlette.requests import ClientDisconnect, Request
from starlette.types import Receive, Scope, Send

from instep.platform.core import limits
from instep.platform.core.errors import AppError, RateLimited
from instep.platform.core.paging import PageRequest
from instep.platform.identity.keys import find_public_bot
from instep.platform.identity.schemas import PublicBot
from instep.platform.web.call import BotKeyAccess, ToolsAccess
from instep.platform.web.client_addresses import client_address
from instep.platform.web.custom_domains import custom_domain
from instep.platform.web.errors import as_app_error
from instep.platform.web.mcp import endpoint
from instep.platform.web.mcp.endpoint import NotAMessage
from instep.platform.web.mcp.server import McpServer
from instep.platform.web.mcp.tools import Tool
from instep.platform.web.shapes import Body
from instep.platform.web.strict_request import StrictRequest
from instep.platform.web.visitors import cors, route
from instep.platform.web.visitors.cors import EXPOSED_MCP_HEADERS, MCP_HEADERS
from instep.platform.web.visitors.errors import OriginNotAllowed, render_visitor_error
from instep.platform.web.visitors.route import Credentials, ResponseHeaders, VisitorCall

METHODS = {"POST", "OPTIONS"}
READS = BotKeyAccess(is_write=False, takes_long=True)


class BotKeyNamed(Body):
    """Arguments that every tool of the public server accepts."""

    bot_id: Annotated[str, Field(description="The bot (help center); its operator provides the ID.")]
    bot_key: Annotated[str, Field(description="The bot's public key: `pk_…`.")]


@dataclass(frozen=True, slots=True)
class VisitorToolCall:
    """One tool call with a bot key; it holds no connection, because an answer may take long."""

    visit: VisitorCall
    state: Any
    # The visitor for agents without one: a hash of their address.
    visitor: str
    # Tools for visitors change nothing, so there is nothing to warn about.
    warnings: tuple[str, ...] = ()

    def page(self, size: int, cursor: str | None) -> PageRequest:
        return PageRequest(self.state.cursor_key, size, cursor)


@dataclass(frozen=True, slots=True)
class VisitorCaller:
    """The sender of a message to the public server; only a tool call names a bot."""

    call: VisitorToolCall | None
    error: AppError | None

    def may_use(self, tool: Tool) -> bool:
        return True

    async def call_of(self, tool: Tool, arguments: dict[str, Any]) -> VisitorToolCall:
        if self.error is not None:
            raise self.error
        assert self.call is not None, "a tool call is authenticated first"
        for field in tool.arguments.common.model_fields.values():
            arguments.pop(field.alias or "")
        return self.call


class VisitorEndpoint:
    """`POST /mcp`. Errors in order: host 421, origin 403, 400; for tool calls 429, then the others."""

    access = ToolsAccess("bot key")

    def __init__(self, server: McpServer) -> None:
        self.server = server

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        request, headers = StrictRequest(scope, receive), ResponseHeaders()
        try:
            if request.method == "OPTIONS":
                response = await cors.answer_preflight(request, METHODS, MCP_HEADERS)
            else:
                response = await self.answer(request, headers)
        except ClientDisconnect:
            raise
        except NotAMessage as refusal:
            response = refusal.response()
        except Exception as error:
            response = render_visitor_error(as_app_error(error))
        if headers.cors:
            headers.cors["Access-Control-Expose-Headers"] = EXPOSED_MCP_HEADERS
        headers.add_to(response)
        await response(scope, receive, send)

    async def answer(self, request: StrictRequest, headers: ResponseHeaders) -> Response:
        endpoint.refuse_foreign_host(request)
        if "origin" in request.headers:
            await cors.refuse_foreign(request)
            headers.cors |= cors.cors_headers(request)
        await request.read(limits.MAX_VISITOR_BODY_BYTES)
        tool_call = endpoint.tool_and_arguments(
            await endpoint.message_of(request, limits.MAX_VISITOR_BODY_BYTES)
        )
        is_known = tool_call is not None and tool_call[0] in self.server.tools
        caller = VisitorCaller(None, None)
        if tool_call and is_known:
            caller = await self.admit(request, tool_call[1], headers)
        return await endpoint.answer_of(self.server, request, caller)

    async def admit(
        self, request: Request, arguments: dict[str, Any], headers: ResponseHeaders
    ) -> VisitorCaller:
        """Authenticate and count the call; errors about its arguments are left to the tool's result."""
        credentials = self.credentials_of(request, arguments)
        try:
            async with route.authenticate_visitor(request, credentials, headers, READS) as visit:
                call = VisitorToolCall(replace(visit, tx=None), request.app.state, hashed_address(request))
                return VisitorCaller(call, None)
        except (RateLimited, OriginNotAllowed):
            raise
        except AppError as refusal:
            return VisitorCaller(None, refusal)

    def credentials_of(self, request: Request, arguments: dict[str, Any]) -> Credentials:
        try:
            return route.credentials_in(arguments)
        except AppError as refusal:
            return Credentials(None, "", refusal)


class HelpCenterEndpoint(VisitorEndpoint):
    """`POST {help center}/mcp`: the URL names the bot, so its tools need neither its id nor its key."""

    async def answer(self, request: StrictRequest, headers: ResponseHeaders) -> Response:
        request.state.public_bot = await find_public_bot(
            request.app.state.database, request.path_params["bot"], custom_domain(request)
        )
        return await super().answer(request, headers)

    def credentials_of(self, request: Request, arguments: dict[str, Any]) -> Credentials:
        public_bot: PublicBot = request.state.public_bot
        visitor, version = (
            route.visitor_subject(arguments.get("visitor")),
            route.version_ref(arguments.get("version")),
        )
        return Credentials(public_bot.id, public_bot.bot_key, None, visitor, version)


def hashed_address(request: Request) -> str:
    return hashlib.sha256(client_address(request).encode()).hexdigest()

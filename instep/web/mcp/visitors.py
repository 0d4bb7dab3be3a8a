"""The door of the public MCP server: whoever calls a tool names a bot and its public key in the arguments."""

import hashlib
from dataclasses import dataclass, replace
from typing import Annotated, Any

from fastapi.responses import Response
from pydantic import Field
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse
from starlette.types import Receive, Scope, Send

from instep.core import limits
from instep.core.errors import AppError, RateLimited
from instep.core.paging import PageRequest
from instep.web.addresses import client_address
from instep.web.authenticated_route import StrictRequest
from instep.web.call import BotKeyAccess, ToolsAccess
from instep.web.errors import as_app_error
from instep.web.mcp.endpoint import (
    PARSE_ERROR,
    NotJson,
    answer_of,
    message_of,
    refuse_foreign_host,
    tool_and_arguments,
)
from instep.web.mcp.server import McpServer
from instep.web.mcp.tools import Tool
from instep.web.shapes import Body
from instep.web.visitors.cors import MCP_HEADERS, answer_preflight, cors_headers, refuse_foreign
from instep.web.visitors.errors import OriginNotAllowed, render_visitor_error
from instep.web.visitors.route import Credentials, Headers, VisitorCall, authenticate_visitor, credentials_in

METHODS = {"POST", "OPTIONS"}
READS = BotKeyAccess(is_write=False, takes_long=True)


class BotKeyNamed(Body):
    """What every tool of the public server takes besides its own arguments."""

    bot_id: Annotated[str, Field(description="The bot (help center), as its operator tells it.")]
    bot_key: Annotated[str, Field(description="The bot's public key: `pk_…`.")]


@dataclass(frozen=True, slots=True)
class VisitorToolCall:
    """One call of a tool with a bot key; it holds no connection, for an answer may take long."""

    visit: VisitorCall
    state: Any
    # As whom an agent counts that names no visitor: a hash of its address.
    visitor: str
    # A visitor changes nothing that would need one.
    warnings: tuple[str, ...] = ()

    def page(self, size: int, cursor: str | None) -> PageRequest:
        return PageRequest(self.state.cursor_key, size, cursor)


@dataclass(frozen=True, slots=True)
class Visitor:
    """Whoever asks the help center; without a call of a tool nobody is named."""

    call: VisitorToolCall | None
    refusal: AppError | None

    def may_use(self, tool: Tool) -> bool:
        return True

    async def call_of(self, tool: Tool, sent: dict[str, Any]) -> VisitorToolCall:
        if self.refusal is not None:
            raise self.refusal
        assert self.call is not None, "the door has admitted who calls a tool"
        sent.pop("botId")
        sent.pop("botKey")
        return self.call


class VisitorEndpoint:
    """`POST /mcp`. Refusals in order: host 421, origin 403, 400; of a tool's call also 429, then the rest."""

    access = ToolsAccess("bot key")

    def __init__(self, server: McpServer) -> None:
        self.server = server

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        request, headers = StrictRequest(scope, receive), Headers()
        try:
            if request.method == "OPTIONS":
                response = await answer_preflight(request, METHODS, MCP_HEADERS)
            else:
                response = await self.answer(request, headers)
        except ClientDisconnect:
            raise
        except NotJson:
            response = JSONResponse(PARSE_ERROR, 400)
        except Exception as error:
            response = render_visitor_error(as_app_error(error))
        headers.add_to(response)
        await response(scope, receive, send)

    async def answer(self, request: StrictRequest, headers: Headers) -> Response:
        refuse_foreign_host(request)
        if "origin" in request.headers:
            await refuse_foreign(request)
            headers.cors |= cors_headers(request)
        await request.read(limits.MAX_VISITOR_BODY_BYTES)
        called = tool_and_arguments(await message_of(request, limits.MAX_VISITOR_BODY_BYTES))
        is_known = called is not None and called[0] in self.server.tools
        visitor = (
            await self.admit(request, called[1], headers) if called and is_known else Visitor(None, None)
        )
        return await answer_of(self.server, request, visitor)

    async def admit(self, request: Request, arguments: dict[str, Any], headers: Headers) -> Visitor:
        """Count the call and let it in; what is wrong with its arguments is the tool's to tell."""
        try:
            credentials = credentials_in(arguments)
        except AppError as refusal:
            credentials = Credentials(None, "", refusal)
        try:
            async with authenticate_visitor(request, credentials, headers, READS) as visit:
                call = VisitorToolCall(replace(visit, tx=None), request.app.state, hashed(request))
                return Visitor(call, None)
        except (RateLimited, OriginNotAllowed):
            raise
        except AppError as refusal:
            return Visitor(None, refusal)


def hashed(request: Request) -> str:
    return hashlib.sha256(client_address(request).encode()).hexdigest()

"""The door of the workspace's MCP server: the credential of a request becomes a caller of its tools."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import Any

from fastapi.responses import Response
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse
from starlette.types import Receive, Scope, Send

from instep.core import limits
from instep.core.errors import AppError, InsufficientScope, InvalidValue, RateLimited
from instep.core.ids import as_uuid
from instep.identity.queries import list_bots
from instep.identity.schemas import KeyEntry
from instep.identity.schemas import Scope as KeyScope
from instep.web.call import Call, ToolsAccess, Window
from instep.web.door import ANY_KEY, BotRequired, StrictRequest, add_rate_headers, admitted, named_bots
from instep.web.errors import as_app_error, render_error
from instep.web.mcp.door import (
    PARSE_ERROR,
    NotJson,
    answer_of,
    message_of,
    refuse_foreign_host,
    refuse_foreign_origin,
    tool_and_arguments,
)
from instep.web.mcp.server import McpServer
from instep.web.mcp.tools import Tool

# What a client has to ask for to call a tool that writes (RFC 6750 section 3.1): all of it, with what it has.
STEP_UP = f'Bearer error="insufficient_scope", scope="{KeyScope.READ} {KeyScope.WRITE}"'


@dataclass(frozen=True, slots=True)
class Member:
    """Whoever works in a workspace: what its credential opens, on the connection of this request.

    An API key today. Any other credential that leads to such an entry acts in the same way.
    """

    call: Call

    def may_use(self, tool: Tool) -> bool:
        return self.call.entry.scope == KeyScope.WRITE or not tool.access.is_write

    async def call_of(self, tool: Tool, sent: dict[str, Any]) -> Call:
        named = sent.pop("botId", None)
        entry = self.call.entry if named is None else await self.entry_of(named)
        if tool.access.needs_bot and entry.bot is None:
            raise BotRequired(await self.which_bots())
        names_bot = self.call.names_bot or named is not None
        return replace(self.call, entry=entry, access=tool.access, names_bot=names_bot)

    async def entry_of(self, named: object) -> KeyEntry:
        """What the credential opens of the bot that the arguments name."""
        if not isinstance(named, str):
            raise InvalidValue("botId", "it must be a text")
        entry, bot_id = self.call.entry, as_uuid(named)
        if entry.bot_id is not None and entry.bot_id == bot_id:
            return entry
        if self.call.names_bot:
            raise InvalidValue("botId", "the address or the header `Service-Bot` names another bot")
        bots = await list_bots(self.call.tx, entry.key_id or "")
        bot = next((bot for bot in bots if bot.id == bot_id), None)
        if bot is None:
            raise InsufficientScope("This API key does not cover the bot that `botId` names.")
        return replace(entry, bot_id=bot.id, bot_slug=bot.slug, bot_name=bot.name, bot_locale=bot.locale)

    async def which_bots(self) -> str:
        bots = await list_bots(self.call.tx, self.call.entry.key_id or "")
        known = ", ".join(f"{bot.id} ({bot.name})" for bot in bots)
        return f"Name the bot with `botId`. This API key covers: {known or 'none yet'}."


class WorkspaceDoor:
    """`POST /mcp/admin`. Refused in order: 429, 401, bot (400, 403), host 421, origin 403, 400, scope 403."""

    access = ToolsAccess("API key")

    def __init__(self, server: McpServer) -> None:
        self.server = server

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = StrictRequest(scope, receive)
        windows: list[Window] = []
        try:
            response = await self.answer(request, windows)
        except ClientDisconnect:
            raise
        except NotJson:
            response = JSONResponse(PARSE_ERROR, 400)
        except Exception as error:
            response = render_error(as_app_error(error))
        add_rate_headers(response, windows)
        await response(scope, receive, send)

    async def answer(self, request: StrictRequest, windows: list[Window]) -> Response:
        # Read before a connection is taken, so that a slow caller holds none; judged after the key.
        await request.read(limits.TASK_BODY_BYTES)
        async with admit(request, windows) as member:
            refuse_foreign_host(request)
            refuse_foreign_origin(request)
            self.refuse_write(member, await message_of(request, limits.TASK_BODY_BYTES))
            return await answer_of(self.server, request, member)

    def refuse_write(self, member: Member, message: dict[str, Any]) -> None:
        """Answer a tool that the credential's scope hides as HTTP does, so that a client can ask for more."""
        called = tool_and_arguments(message)
        tool = self.server.tools.get(called[0]) if called else None
        if tool is not None and not member.may_use(tool):
            raise InsufficientScope(
                f"This API key may only read: `{tool.name}` needs one with the scope `content:write`.",
                headers={"WWW-Authenticate": STEP_UP},
            )


@asynccontextmanager
async def admit(request: Request, windows: list[Window]) -> AsyncIterator[Member]:
    """The one place where the credential of a request becomes somebody who may do something."""
    state = request.app.state
    async with admitted(request, state.database, ANY_KEY, windows, state.settings) as (entry, tx):
        names_bot = bool(named_bots(request))
        yield Member(Call(entry, tx, ANY_KEY, state.settings, state.cursor_key, names_bot, windows))


async def refuse_method(request: Request, refusal: AppError) -> Response:
    """Anybody is told which methods there are; it counts as a request."""
    windows: list[Window] = []
    try:
        async with admit(request, windows):
            pass
    except RateLimited as spent:
        refusal = spent
    except AppError:
        pass
    response = render_error(refusal)
    add_rate_headers(response, windows)
    return response

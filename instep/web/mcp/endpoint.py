"""What both MCP doors share: whom they hear, what they read, and how refusals go out."""

import json
from collections.abc import Sequence
from ipaddress import ip_address
from typing import Any
from urllib.parse import urlsplit

from fastapi.responses import Response
from starlette.requests import Request
from starlette.types import Message

from instep.core.errors import AppError, InvalidRequest
from instep.web.authenticated_route import StrictRequest
from instep.web.errors import VisitorRefusal
from instep.web.mcp.exchange import answer_plain_call, is_plain_call
from instep.web.mcp.server import CALLER, Answer, McpServer
from instep.web.mcp.tools import Caller
from instep.web.visitors.cors import is_open_to
from instep.web.visitors.errors import OriginNotAllowed

JSON = "application/json"
PARSE_ERROR = {"jsonrpc": "2.0", "id": None, "error": {"code": -32700, "message": "Parse error"}}


class HostNotServed(VisitorRefusal):
    """This server does not answer under the name in `Host`: use the address of the installation."""

    status = 421


class NotJson(AppError):
    """The body is not valid JSON."""


def refuse_foreign_host(request: Request) -> None:
    """A page of somebody else's may have had its own name lead here (DNS rebinding)."""
    host = urlsplit(f"//{request.headers.get('host', '')}").hostname or ""
    own = urlsplit(request.app.state.settings.base_url).hostname
    if host != own and host != "localhost" and not is_loopback(host):
        raise HostNotServed


def is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def refuse_foreign_origin(request: Request, origins: Sequence[str] = ()) -> None:
    if not is_open_to(request, origins, request.app.state.settings):
        raise OriginNotAllowed


async def message_of(request: StrictRequest, limit: int) -> dict[str, Any]:
    """The JSON-RPC message of a request that was read; anything but one message is left to the SDK."""
    request.refuse_too_large(limit)
    request.refuse_other_than_json()
    try:
        message = await request.json()
    except json.JSONDecodeError:
        raise NotJson from None
    return message if isinstance(message, dict) else {}


def tool_and_arguments(message: dict[str, Any]) -> tuple[str, dict[str, Any]] | None:
    """Which tool a message calls, and with what; None if it calls none."""
    if message.get("method") != "tools/call" or not isinstance(message.get("params"), dict):
        return None
    name, arguments = message["params"].get("name"), message["params"].get("arguments")
    if not isinstance(name, str):
        return None
    return name, arguments if isinstance(arguments, dict) else {}


async def answer_of(server: McpServer, request: StrictRequest, caller: Caller) -> Response:
    """Have the SDK answer what was read; what it refuses in plain words goes out as JSON."""
    message = await request.json()
    if is_plain_call(request, message):
        calling = Request({**request.scope, CALLER: caller})
        return Response(await answer_plain_call(server.protocol, calling, message), 200, None, JSON)
    answer, body = Answer(), await request.body()
    is_read = False

    async def receive() -> Message:
        nonlocal is_read
        if is_read:
            return await request.receive()
        is_read = True
        return {"type": "http.request", "body": body, "more_body": False}

    await server(request.scope, receive, answer.send, caller)
    headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in answer.headers}
    if answer.status >= 400 and not headers.get("content-type", "").startswith("application/json"):
        raise Refused(answer.status, answer.body.decode("utf-8", "replace"))
    return Response(answer.body, answer.status, headers)


class Refused(InvalidRequest):
    """What the SDK has refused, in its words."""

    def __init__(self, status: int, words: str) -> None:
        super().__init__(words or "Send `Accept: application/json, text/event-stream`.")
        self.status = status

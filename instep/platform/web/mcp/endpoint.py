"""Parts shared by both MCP endpoints: checks of host and origin, reading messages, and responses."""

import json
from ipaddress import ip_address
from typing import Any
from urllib.parse import urlsplit

from fastapi.responses import JSONResponse, Response
from mcp_types import jsonrpc_message_adapter
from pydantic import ValidationError
from starlette.requests import Request
from starlette.types import Message

from instep.platform.core.errors import InvalidRequest
from instep.platform.web.custom_domains import custom_domain
from instep.platform.web.errors import VisitorRefusal
from instep.platform.web.mcp.server import McpServer, SdkResponse
from instep.platform.web.mcp.tools import Caller
from instep.platform.web.strict_request import StrictRequest
from instep.platform.web.visitors.errors import OriginNotAllowed


class HostNotServed(VisitorRefusal):
    """This server does not serve the host in `Host`: use the URL of the installation."""

    status = 421


class NotAMessage(VisitorRefusal):
    """The body is not a message of JSON-RPC 2.0; `number` is the code of its error (section 5.1)."""

    number = -32600

    def response(self) -> Response:
        error = {"code": self.number, "message": self.message}
        return JSONResponse({"jsonrpc": "2.0", "id": None, "error": error}, self.status)


class NotJson(NotAMessage):
    """Parse error: the body is not valid JSON."""

    number = -32700


class NotJsonRpc(NotAMessage):
    """Invalid request: send one message, an object with `jsonrpc` "2.0", `id` and `method`."""


def refuse_foreign_host(request: Request) -> None:
    """Refuse a foreign `Host`: a foreign page may make its name resolve to this server (DNS rebinding)."""
    if custom_domain(request) is not None:
        return
    host = urlsplit(f"//{request.headers.get('host', '')}").hostname or ""
    service_host = urlsplit(request.app.state.settings.base_url).hostname
    if host != service_host and host != "localhost" and not is_loopback(host):
        raise HostNotServed


def is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def refuse_unnamed_origin(request: Request) -> None:
    """Refuse a page with an opaque origin; pages of all others may call with a credential.

    MCP requires servers to check `Origin` against DNS rebinding. Here the check of `Host` does that, and no
    browser adds a credential by itself, so a foreign page can do no more than its credential allows anyone.
    """
    origins = request.headers.getlist("origin")
    if len(origins) > 1 or any("://" not in origin for origin in origins):
        raise OriginNotAllowed


async def message_of(request: StrictRequest, limit: int) -> dict[str, Any]:
    """The JSON-RPC message of a request whose body was read; raises `NotAMessage`."""
    request.refuse_too_large(limit)
    request.refuse_other_than_json()
    try:
        message = await request.json()
        jsonrpc_message_adapter.validate_python(message, by_name=False)
    except json.JSONDecodeError:
        raise NotJson from None
    except ValidationError:
        raise NotJsonRpc from None
    return dict(message)


def tool_and_arguments(message: dict[str, Any]) -> tuple[str, dict[str, Any]] | None:
    """The tool that a message calls and its arguments; None for other messages."""
    if message.get("method") != "tools/call" or not isinstance(message.get("params"), dict):
        return None
    name, arguments = message["params"].get("name"), message["params"].get("arguments")
    if not isinstance(name, str):
        return None
    return name, arguments if isinstance(arguments, dict) else {}


async def answer_of(server: McpServer, request: StrictRequest, caller: Caller) -> Response:
    """Let the SDK answer the request; its errors in plain text are turned into JSON."""
    response, body = SdkResponse(), await request.body()
    is_read = False

    async def receive() -> Message:
        nonlocal is_read
        if is_read:
            return await request.receive()
        is_read = True
        return {"type": "http.request", "body": body, "more_body": False}

    await server(request.scope, receive, response.send, caller)
    headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in response.headers}
    if response.status >= 400 and not headers.get("content-type", "").startswith("application/json"):
        raise SdkError(response.status, response.body.decode("utf-8", "replace"))
    return Response(response.body, response.status, headers)


class SdkError(InvalidRequest):
    """An error response of the SDK, in its own words."""

    def __init__(self, status: int, words: str) -> None:
        super().__init__(words or "Send `Accept: application/json, text/event-stream`.")
        self.status = status

"""A tool call by a client of the older era, answered without the streams of a session.

For each such request the SDK makes two queues and three tasks, which cost more than most tools. A plain call
goes to the same handlers through the SDK's single exchange; all other messages are left to the SDK.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import anyio
from mcp.server.connection import Connection
from mcp.server.lowlevel import Server
from mcp.server.runner import modern_error_data, serve_one
from mcp.server.streamable_http import check_accept_headers
from mcp.shared.dispatcher import CallOptions
from mcp.shared.exceptions import NoBackChannelError
from mcp.shared.message import MessageMetadata, ServerMessageMetadata
from mcp.shared.transport_context import TransportContext
from mcp_types import JSONRPCError, JSONRPCResponse, RequestId
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS
from starlette.requests import Request

CALL = "tools/call"
FIELDS = {"jsonrpc", "id", "method", "params"}


@dataclass
class Exchange:
    """The back channel of a handler: it sends nothing, since there is no stream."""

    request_id: RequestId
    message_metadata: MessageMetadata
    transport: TransportContext
    can_send_request: bool = False
    cancel_requested: anyio.Event = field(default_factory=anyio.Event)

    async def send_raw_request(
        self, method: str, params: Mapping[str, Any] | None, opts: CallOptions | None = None
    ) -> dict[str, Any]:
        raise NoBackChannelError(method)

    async def notify(
        self, method: str, params: Mapping[str, Any] | None, opts: CallOptions | None = None
    ) -> None:
        return

    async def progress(self, progress: float, total: float | None = None, message: str | None = None) -> None:
        return


def is_plain_call(request: Request, message: Any) -> bool:
    """Whether it is a single tool call of the older era, from a client that accepts JSON."""
    return (
        request.headers.get("mcp-protocol-version") in HANDSHAKE_PROTOCOL_VERSIONS
        and isinstance(message, dict)
        and message.keys() == FIELDS
        and (message["jsonrpc"], message["method"]) == ("2.0", CALL)
        and type(message["id"]) in (int, str)
        and isinstance(message["params"], dict)
        and check_accept_headers(request)[0]
    )


async def answer_plain_call(server: Server[Any], request: Request, message: dict[str, Any]) -> bytes:
    """The JSON-RPC response, with a result or an error."""
    exchange = Exchange(
        message["id"],
        ServerMessageMetadata(request_context=request),
        TransportContext(kind="streamable-http", can_send_request=False, headers=request.headers),
    )
    connection = Connection.from_envelope(request.headers["mcp-protocol-version"], None, None)
    answer: JSONRPCResponse | JSONRPCError
    try:
        result = await serve_one(
            server, exchange, CALL, message["params"], connection=connection, lifespan_state={}
        )
        answer = JSONRPCResponse(jsonrpc="2.0", id=message["id"], result=result)
    except Exception as error:
        answer = JSONRPCError(jsonrpc="2.0", id=message["id"], error=modern_error_data(error))
    return answer.model_dump_json(by_alias=True, exclude_unset=True).encode()

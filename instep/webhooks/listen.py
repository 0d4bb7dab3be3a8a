"""A receiver for developers: it verifies each delivery, tells of it, and answers."""

import socket
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import uvicorn
from pydantic_core import from_json
from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route

from instep.core import limits
from instep.core.errors import InvalidRequest
from instep.text.characters import replace_unprintable, shorten
from instep.web.protocol import SERVER
from instep.web.shapes import Out
from instep.webhooks.actions import SECRET_PREFIX
from instep.webhooks.signature import BadSignature, verify

REFUSED = 400
SHOWN_CHARACTERS = 100
# Where the resources of events have their names.
NAMES = (("title",), ("change", "title"), ("article", "title"), ("url",))


class Received(Out):
    """A request to the receiver; only what is verified has a body."""

    event: str | None
    delivery: str | None
    attempt: str | None
    verified: bool
    problem: str | None
    body: dict[str, Any] | None


Tell = Callable[[Received], None]


def listen(secret: str, host: str, port: int, status: int, begin: Callable[[str], None], tell: Tell) -> None:
    """Receive until a signal ends it; verified deliveries are answered with `status`."""
    if not secret.startswith(SECRET_PREFIX):
        raise InvalidRequest(f"That is no signing secret: it begins with {SECRET_PREFIX}.")
    with bound(host, port) as listener:
        begin(address(listener))
        config = uvicorn.Config(partial(receiver, secret, status, tell), **SERVER)
        uvicorn.Server(config).run(sockets=[listener])


def bound(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family)
    except (OSError, UnicodeError) as error:
        raise InvalidRequest(f"{host} port {port} can't be listened on: {error}.") from None


def address(listener: socket.socket) -> str:
    host, port = listener.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def receiver(secret: str, status: int, tell: Tell) -> Starlette:
    async def receive(request: Request) -> Response:
        received = await read_delivery(request, secret)
        tell(received)
        return Response(status_code=status if received.verified else REFUSED)

    return Starlette(routes=[Route("/{path:path}", receive, methods=["POST"])])


async def read_delivery(request: Request, secret: str) -> Received:
    body, problem = None, None
    try:
        raw = await read_body(request)
        verify(secret, request.headers.get("service-signature", ""), raw, time.time())
        body = read_event(raw)
    except BadSignature as refusal:
        problem = str(refusal)
    return Received(
        event=request.headers.get("service-event"),
        delivery=request.headers.get("service-delivery"),
        attempt=request.headers.get("service-attempt"),
        verified=problem is None,
        problem=problem,
        body=body,
    )


async def read_body(request: Request) -> bytes:
    body = bytearray()
    try:
        async for chunk in request.stream():
            body += chunk
            if len(body) > limits.MAX_LISTENER_BODY_BYTES:
                raise BadSignature(f"the body is larger than {limits.MAX_LISTENER_BODY_BYTES} bytes")
    except ClientDisconnect:
        raise BadSignature("the connection ended before the body") from None
    return bytes(body)


def read_event(raw: bytes) -> dict[str, Any]:
    try:
        body = from_json(raw)
    except ValueError:
        body = None
    if not isinstance(body, dict):
        raise BadSignature("it is signed, but its body is no JSON object")
    return body


def as_line(received: Received) -> str:
    parts = [received.event or "no service-event", received.delivery or "no service-delivery"]
    parts.append(f"attempt {received.attempt or '?'}")
    parts.append(f"refused: {received.problem}" if received.problem else "verified")
    thing = found(received.body, "data", "object")
    parts.extend(name for name in (found(thing, "id"), name_of(thing)) if isinstance(name, str))
    return "  ".join(plain(part) for part in parts)


def name_of(thing: Any) -> Any:
    return next((name for path in NAMES if (name := found(thing, *path))), None)


def found(value: Any, *path: str) -> Any:
    for name in path:
        value = value.get(name) if isinstance(value, dict) else None
    return value


def plain(text: str) -> str:
    """Without what could move a terminal's cursor or run on for pages."""
    return replace_unprintable(shorten(text, SHOWN_CHARACTERS))

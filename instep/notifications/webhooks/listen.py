"""A receiver for developers, which verifies and reports each delivery."""

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

from instep.notifications.webhooks.actions import SECRET_PREFIX
from instep.notifications.webhooks.signature import BadSignature, verify
from instep.platform.core import limits
from instep.platform.core.errors import InvalidRequest
from instep.platform.text.characters import replace_unprintable, shorten
from instep.platform.web.protocol import SERVER
from instep.platform.web.shapes import Out

REFUSED_STATUS = 400
MAX_SHOWN_CHARACTERS = 100
# The paths of a name in the resources of events.
NAME_PATHS = (("title",), ("change", "title"), ("article", "title"), ("url",))


class ReceivedDelivery(Out):
    """A request to the receiver; only a verified one has a body."""

    event: str | None
    delivery: str | None
    attempt: str | None
    verified: bool
    problem: str | None
    body: dict[str, Any] | None


ReportDelivery = Callable[[ReceivedDelivery], None]


def listen(
    secret: str,
    host: str,
    port: int,
    status: int,
    report_address: Callable[[str], None],
    report: ReportDelivery,
) -> None:
    """Receive deliveries until a signal; `status` is the status of responses to verified ones."""
    if not secret.startswith(SECRET_PREFIX):
        raise InvalidRequest(f"That is not a signing secret: it begins with {SECRET_PREFIX}.")
    with bind(host, port) as listener:
        report_address(url_of(listener))
        config = uvicorn.Config(partial(receiver, secret, status, report), **SERVER)
        uvicorn.Server(config).run(sockets=[listener])


def bind(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family)
    except (OSError, UnicodeError) as error:
        raise InvalidRequest(f"Can't listen on {host} port {port}: {error}.") from None


def url_of(listener: socket.socket) -> str:
    host, port = listener.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def receiver(secret: str, status: int, report: ReportDelivery) -> Starlette:
    async def receive(request: Request) -> Response:
        delivery = await read_delivery(request, secret)
        report(delivery)
        return Response(status_code=status if delivery.verified else REFUSED_STATUS)

    return Starlette(routes=[Route("/{path:path}", receive, methods=["POST"])])


async def read_delivery(request: Request, secret: str) -> ReceivedDelivery:
    body, problem = None, None
    try:
        raw = await read_delivery_body(request)
        verify(secret, request.headers.get("service-signature", ""), raw, time.time())
        body = parse_event(raw)
    except BadSignature as refusal:
        problem = str(refusal)
    return ReceivedDelivery(
        event=request.headers.get("service-event"),
        delivery=request.headers.get("service-delivery"),
        attempt=request.headers.get("service-attempt"),
        verified=problem is None,
        problem=problem,
        body=body,
    )


async def read_delivery_body(request: Request) -> bytes:
    body = bytearray()
    try:
        async for chunk in request.stream():
            body += chunk
            if len(body) > limits.MAX_LISTENER_BODY_BYTES:
                raise BadSignature(f"the body is larger than {limits.MAX_LISTENER_BODY_BYTES} bytes")
    except ClientDisconnect:
        raise BadSignature("the connection ended before the body") from None
    return bytes(body)


def parse_event(raw: bytes) -> dict[str, Any]:
    try:
        body = from_json(raw)
    except ValueError:
        body = None
    if not isinstance(body, dict):
        raise BadSignature("it is signed, but its body is not a JSON object")
    return body


def as_line(delivery: ReceivedDelivery) -> str:
    parts = [delivery.event or "no service-event", delivery.delivery or "no service-delivery"]
    parts.append(f"attempt {delivery.attempt or '?'}")
    parts.append(f"refused: {delivery.problem}" if delivery.problem else "verified")
    resource = value_at(delivery.body, "data", "object")
    parts.extend(name for name in (value_at(resource, "id"), name_of(resource)) if isinstance(name, str))
    return "  ".join(printable(part) for part in parts)


def name_of(resource: Any) -> Any:
    return next((name for path in NAME_PATHS if (name := value_at(resource, *path))), None)


def value_at(value: Any, *path: str) -> Any:
    for name in path:
        value = value.get(name) if isinstance(value, dict) else None
    return value


def printable(text: str) -> str:
    """Replace control characters, which could move a terminal's cursor, and shorten the text."""
    return replace_unprintable(shorten(text, MAX_SHOWN_CHARACTERS))

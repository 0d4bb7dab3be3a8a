"""Responses that the server sends instead of the application before it closes a connection."""

import json
from dataclasses import dataclass
from http import HTTPStatus

from uvicorn.protocols.http.httptools_impl import STATUS_LINE

from instep.platform.core.ids import new_id


@dataclass(frozen=True, slots=True)
class Refusal:
    """A status, a code and one sentence, in the shape of the management API's errors."""

    status: HTTPStatus
    code: str
    message: str
    headers: tuple[bytes, ...] = ()

    @property
    def response(self) -> bytes:
        """The bytes of the whole response."""
        body = json.dumps({"error": self.message, "code": self.code}).encode()
        headers = (
            b"content-type: application/json",
            b"content-length: %d" % len(body),
            b"connection: close",
            b"request-id: " + new_id("req").encode(),
            *self.headers,
        )
        return STATUS_LINE[self.status] + b"\r\n".join(headers) + b"\r\n\r\n" + body


def malformed(message: str = "This is not a valid HTTP request.") -> Refusal:
    return Refusal(HTTPStatus.BAD_REQUEST, "invalid_request", message)


LATE = Refusal(
    HTTPStatus.REQUEST_TIMEOUT,
    "request_timeout",
    "The request came in too slowly: send it again over a faster connection.",
)
FULL = Refusal(
    HTTPStatus.SERVICE_UNAVAILABLE,
    "unavailable",
    "Too many connections are open: reuse your open ones, or try again in a moment.",
    (b"retry-after: 1",),
)

"""How HTTP comes in: strictly framed, with bounded heads, refused as JSON where it is malformed."""

import json
from typing import Any

from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol

from instep.core import limits
from instep.core.ids import new_id

# How every server process is run.
SERVER: dict[str, Any] = {
    "factory": True,
    "http": "instep.web.protocol:StrictHttp",
    "access_log": False,
    "log_config": None,
    "server_header": False,
    "timeout_graceful_shutdown": 10,
}
# Colon, space and the end of a header's line.
LINE_BYTES = 4


class StrictHttp(HttpToolsProtocol):
    """Refuses what the parser lets pass: endless heads, and not exactly one `Host` (RFC 9112 section 3.2)."""

    head_bytes = 0
    head_is_open = True
    is_refused_later = False
    refusal = "This is no valid HTTP request."

    def data_received(self, data: bytes) -> None:
        # The parser tells of a header line only when it is whole.
        if self.head_is_open:
            self.head_bytes += len(data)
            if self.head_bytes > limits.HEAD_BYTES and b"\r\n\r\n" not in data:
                self.refusal = f"The head of the request is larger than {limits.HEAD_BYTES} bytes."
                self.send_400_response(self.refusal)
                return
        super().data_received(data)

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self.head_is_open = True

    def on_headers_complete(self) -> None:
        self.head_is_open = False
        self.head_bytes = 0
        hosts = [value for name, value in self.headers if name == b"host"]
        size = len(self.url) + sum(len(name) + len(value) + LINE_BYTES for name, value in self.headers)
        if size > limits.HEAD_BYTES:
            self.refuse(f"The head of the request is larger than {limits.HEAD_BYTES} bytes.")
        if len(hosts) > 1 or (not hosts and self.parser.get_http_version() != "1.0"):
            self.refuse("The request must have exactly one `Host` header.")
        super().on_headers_complete()

    def refuse(self, refusal: str) -> None:
        """End the parser's work; it passes on that something was wrong, not what."""
        self.refusal = refusal
        raise ValueError(refusal)

    def send_400_response(self, msg: str) -> None:
        """Where no route is known yet; after a part of an answer only the end of the connection is left."""
        if self.has_unanswered_before():
            # Clients tell answers apart by their order: this one may not come in the place of another.
            self.is_refused_later = True
            return
        if self.cycle is None or self.cycle.response_complete or not self.cycle.response_started:
            body = json.dumps({"error": self.refusal, "code": "invalid_request"}).encode()
            headers = (
                b"content-type: application/json",
                b"content-length: %d" % len(body),
                b"connection: close",
                b"request-id: " + new_id("req").encode(),
            )
            self.transport.write(STATUS_LINE[400] + b"\r\n".join(headers) + b"\r\n\r\n" + body)
        self.transport.close()

    def has_unanswered_before(self) -> bool:
        """Whether whole requests before the malformed one still wait for their answers."""
        if self.pipeline:
            if self.pipeline[0][0].more_body:
                self.pipeline.popleft()
            return True
        return self.cycle is not None and not (self.cycle.response_complete or self.cycle.more_body)

    def on_response_complete(self) -> None:
        is_last = not self.pipeline
        super().on_response_complete()
        if self.is_refused_later and is_last and not self.transport.is_closing():
            self.send_400_response(self.refusal)

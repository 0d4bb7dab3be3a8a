"""HTTP connections: strict framing, limits of size, time and number, and errors as JSON."""

import asyncio
import json
import socket
import sys
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from http import HTTPStatus
from typing import Any, ClassVar

from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol

from instep.platform.core import limits
from instep.platform.core.config import settings
from instep.platform.core.ids import new_id
from instep.platform.core.outbound.networks import Network, is_within
from instep.platform.web.client_addresses import counted_address, read_address

# Options of Uvicorn for every server process.
SERVER: dict[str, Any] = {
    "factory": True,
    "http": "instep.platform.web.protocol:StrictHttp",
    "loop": "instep.platform.web.loop:Loop",
    "access_log": False,
    "log_config": None,
    "server_header": False,
    # `web.client_addresses` finds the client's address, and trusts only the operator's own proxies.
    "proxy_headers": False,
    "backlog": limits.BACKLOG_CONNECTIONS,
    "timeout_keep_alive": limits.KEEP_ALIVE_SECONDS,
    "timeout_graceful_shutdown": limits.STOP_SECONDS,
}
# Colon, space, CR and LF of a header line.
LINE_BYTES = 4
UNKNOWN_HOST = "unknown"


class Connections:
    """Counts the open connections of one process; those from `exempt` networks have no limit per address.

    Trusted proxies are exempt, because all of their visitors share one address.
    """

    def __init__(self, max_total: int, max_per_address: int, exempt: Sequence[Network] = ()) -> None:
        self.max_total = max_total
        self.max_per_address = max_per_address
        self.exempt = exempt
        self.by_address = Counter[str]()
        self.count = 0

    def enter(self, host: str) -> bool:
        """Count a new connection; return False, without counting it, if there are too many."""
        address = counted_address(host, (), ())
        if self.count >= self.max_total or self.is_full_for(address, host):
            return False
        self.count += 1
        self.by_address[address] += 1
        return True

    def leave(self, host: str) -> None:
        """Stop counting a connection that was let in."""
        address = counted_address(host, (), ())
        self.count -= 1
        self.by_address[address] -= 1
        if not self.by_address[address]:
            del self.by_address[address]

    def is_full_for(self, address: str, host: str) -> bool:
        return self.by_address[address] >= self.max_per_address and not self.is_exempt(host)

    def is_exempt(self, host: str) -> bool:
        address = read_address(host)
        return address is not None and is_within(address, self.exempt)


@cache
def connections_of_process() -> Connections:
    """The count of this process."""
    return Connections(max_connections(), limits.MAX_ADDRESS_CONNECTIONS, exempt=settings().proxies)


def max_connections() -> int:
    """The number of file descriptors that the process may open, less the reserved ones."""
    allowed = allowed_descriptors()
    reserved = min(limits.RESERVED_DESCRIPTORS, allowed // 2)
    return min(limits.MAX_CONNECTIONS, allowed - reserved)


def allowed_descriptors() -> int:
    if sys.platform == "win32":
        return limits.MAX_CONNECTIONS + limits.RESERVED_DESCRIPTORS
    import resource

    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return limits.MAX_CONNECTIONS + limits.RESERVED_DESCRIPTORS if soft == resource.RLIM_INFINITY else soft


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


@dataclass(frozen=True, slots=True)
class Timeouts:
    """Time limits of a connection, in seconds; they are checked every `check` seconds."""

    head: float = limits.HEAD_SECONDS
    idle: float = limits.KEEP_ALIVE_SECONDS
    body_grace: float = limits.BODY_GRACE_SECONDS
    write: float = limits.WRITE_SECONDS
    stop_idle: float = limits.STOP_IDLE_SECONDS
    check: float = limits.CONNECTION_CHECK_SECONDS


class StrictHttp(HttpToolsProtocol):
    """Bounds what the library does not: heads, bodies, pipelines, silent clients, and their number.

    Exactly one `Host` is required (RFC 9112 section 3.2). The time that the application takes for a response
    does not count as the client's.
    """

    timeouts: ClassVar = Timeouts()
    # Connections of this process whose clients read more slowly than they are answered.
    with_waiting_bytes: ClassVar[set["StrictHttp"]] = set()

    host = UNKNOWN_HOST
    head_bytes = 0
    head_is_open = True
    head_has_begun = False
    body_bytes = 0
    # Received since the last part of a body: sizes of chunks, and what follows the last one.
    framing_bytes = 0
    body_is_open = False
    is_admitted = False
    is_refused_later = False
    is_stopping = False
    refusal = malformed()
    timer: asyncio.TimerHandle | None = None
    # Seconds that the server has waited for the client: to send the next part, and to read the response.
    waited_seconds = 0.0
    write_waited_seconds = 0.0
    waiting_bytes = 0

    @property
    def process_connections(self) -> Connections:
        return connections_of_process()

    # The connection.

    # A listening TCP server makes no other kind of transport.
    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        self.host = (transport.get_extra_info("peername") or (UNKNOWN_HOST,))[0]
        self.is_admitted = self.process_connections.enter(self.host)
        if not self.is_admitted:
            self.transport = transport
            transport.write(FULL.response)
            transport.close()
            return
        super().connection_made(transport)
        transport.set_write_buffer_limits(limits.WRITE_BUFFER_BYTES)
        with suppress(OSError):
            # The kernel would buffer megabytes, and report a slow reader's progress in steps of that size.
            transport.get_extra_info("socket").setsockopt(
                socket.SOL_SOCKET, socket.SO_SNDBUF, limits.SEND_BUFFER_BYTES
            )
        self.timer = self.loop.call_later(self.timeouts.check, self.check)

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        self.with_waiting_bytes.discard(self)
        if self.timer is not None:
            self.timer.cancel()
        if self.is_admitted:
            self.process_connections.leave(self.host)

    def shutdown(self) -> None:
        """Answer requests that have arrived or are arriving, with `Connection: close`, then close."""
        self.is_stopping = True
        self.waited_seconds = 0.0
        if self.cycle is not None and not self.cycle.response_started:
            self.cycle.keep_alive = False

    # Time.

    def check(self) -> None:
        self.timer = self.loop.call_later(self.timeouts.check, self.check)
        if self.is_write_overdue():
            # Closing would wait for the client to read the rest.
            self.transport.abort()
        elif self.is_overdue() and not self.transport.is_closing():
            self.end_late()

    def is_write_overdue(self) -> bool:
        size = self.transport.get_write_buffer_size()
        is_unread = 0 < self.waiting_bytes <= size
        self.write_waited_seconds = self.write_waited_seconds + self.timeouts.check if is_unread else 0.0
        self.waiting_bytes = size
        return self.write_waited_seconds >= self.timeouts.write

    def is_overdue(self) -> bool:
        """True if the client is late with its next request, its head, or more of its body."""
        if self.flow.read_paused or self.is_answering:
            return False
        self.waited_seconds += self.timeouts.check
        if self.body_is_open:
            return self.body_bytes < self.demanded_body_bytes
        if self.is_idle and self.is_stopping:
            return self.waited_seconds >= self.timeouts.stop_idle
        return self.waited_seconds >= (self.timeouts.head if self.head_is_open else self.timeouts.idle)

    @property
    def demanded_body_bytes(self) -> float:
        return (self.waited_seconds - self.timeouts.body_grace) * limits.MIN_BODY_BYTES_PER_SECOND

    @property
    def is_answering(self) -> bool:
        """True if a complete request has arrived that is not answered yet."""
        if self.pipeline:
            return True
        return self.cycle is not None and not (self.cycle.response_complete or self.body_is_open)

    @property
    def is_idle(self) -> bool:
        """True if no part of an unanswered request has arrived."""
        return not (self.is_answering or self.head_has_begun or self.body_is_open)

    def end_late(self) -> None:
        is_answered = self.body_is_open and self.cycle.response_started
        if self.is_idle or is_answered:
            self.transport.close()
        else:
            self.refusal = LATE
            self.send_refusal()

    # Events of the request.

    def data_received(self, data: bytes) -> None:
        # The parser reports a header line only when it is complete.
        if self.head_is_open:
            self.head_bytes += len(data)
            if self.head_bytes > limits.MAX_HEAD_BYTES and b"\r\n\r\n" not in data:
                self.refusal = malformed(
                    f"The head of the request is larger than {limits.MAX_HEAD_BYTES} bytes."
                )
                self.send_refusal()
                return
        body_bytes = self.body_bytes
        super().data_received(data)
        if self.body_is_open:
            self.framing_bytes = self.framing_bytes + len(data) if self.body_bytes == body_bytes else 0
            if self.framing_bytes > limits.MAX_HEAD_BYTES:
                self.refusal = malformed(
                    f"The data between or after the chunks is larger than {limits.MAX_HEAD_BYTES} bytes."
                )
                self.send_refusal()

    def on_header(self, name: bytes, value: bytes) -> None:
        # The parser reports trailers, too. They must not become headers (RFC 9110 section 6.5.1).
        if self.head_is_open:
            super().on_header(name, value)

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self.head_is_open = self.head_has_begun = True
        self.waited_seconds = 0.0 if self.cycle else self.waited_seconds

    def on_headers_complete(self) -> None:
        self.head_is_open = self.head_has_begun = False
        self.head_bytes = 0
        self.refuse_bad_head()
        super().on_headers_complete()
        self.body_is_open = True
        self.body_bytes = self.framing_bytes = 0
        self.waited_seconds = 0.0
        if self.is_stopping:
            self.cycle.keep_alive = False

    def refuse_bad_head(self) -> None:
        hosts = [value for name, value in self.headers if name == b"host"]
        size = len(self.url) + sum(len(name) + len(value) + LINE_BYTES for name, value in self.headers)
        if size > limits.MAX_HEAD_BYTES:
            self.refuse(f"The head of the request is larger than {limits.MAX_HEAD_BYTES} bytes.")
        if len(hosts) > 1 or (not hosts and self.parser.get_http_version() != "1.0"):
            self.refuse("The request must have exactly one `Host` header.")
        if len(self.pipeline) >= limits.MAX_PIPELINED_REQUESTS:
            self.refuse("Too many requests were sent ahead on this connection: wait for the answers.")

    def on_body(self, body: bytes) -> None:
        super().on_body(body)
        self.body_bytes += len(body)
        # Reading continues after the response, because many clients read it only after sending everything.
        if self.cycle.response_complete and self.body_bytes > limits.MAX_FILE_BYTES:
            self.transport.close()

    def on_message_complete(self) -> None:
        self.body_is_open = False
        self.waited_seconds = 0.0
        super().on_message_complete()

    def refuse(self, message: str) -> None:
        """Stop the parser; it reports that there was an error, but not which one."""
        self.refusal = malformed(message)
        raise ValueError(message)

    def send_400_response(self, msg: str) -> None:
        """The library calls this when the parser has failed."""
        self.send_refusal()

    def send_refusal(self) -> None:
        """Answer before a route is known; after part of a response the connection can only be closed."""
        if self.has_unanswered_before():
            # Clients match responses by their order, so this one must not take the place of another.
            self.is_refused_later = True
            return
        if self.cycle is None or self.cycle.response_complete or not self.cycle.response_started:
            self.transport.write(self.refusal.response)
        if self.cycle is not None:
            # Nothing that the application still sends may follow the error.
            self.cycle.disconnected = True
            self.cycle.message_event.set()
        self.transport.close()

    def has_unanswered_before(self) -> bool:
        """True if complete requests before the refused one still wait for their answers."""
        if self.pipeline:
            if self.pipeline[0][0].more_body:
                self.pipeline.popleft()
            return True
        return self.cycle is not None and not (self.cycle.response_complete or self.cycle.more_body)

    # Events of the response.

    def on_response_complete(self) -> None:
        is_last = not self.pipeline
        super().on_response_complete()
        self.waited_seconds = 0.0
        if self.is_refused_later and is_last and not self.transport.is_closing():
            self.send_refusal()

    def pause_writing(self) -> None:
        super().pause_writing()
        self.with_waiting_bytes.add(self)
        self.drop_slowest_clients()

    def resume_writing(self) -> None:
        super().resume_writing()
        self.with_waiting_bytes.discard(self)

    def drop_slowest_clients(self) -> None:
        """Drop the clients that have read nothing for longest, if too many bytes wait in this process."""
        sizes = {client: client.transport.get_write_buffer_size() for client in self.with_waiting_bytes}
        while sum(sizes.values()) > limits.MAX_WAITING_BYTES:
            slowest = max(sizes, key=lambda client: (client.write_waited_seconds, sizes[client]))
            del sizes[slowest]
            self.with_waiting_bytes.discard(slowest)
            slowest.transport.abort()

"""How HTTP comes in: strictly framed, bounded in size, time and number, refused as JSON where it is wrong."""

import asyncio
import socket
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, ClassVar

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from instep.core import limits
from instep.web.connections import Connections, connections_of_process
from instep.web.refusals import FULL, LATE, malformed

# How every server process is run.
SERVER: dict[str, Any] = {
    "factory": True,
    "http": "instep.web.protocol:StrictHttp",
    "loop": "instep.web.loop:Loop",
    "access_log": False,
    "log_config": None,
    "server_header": False,
    # Who calls is told by `web.addresses`, which believes nobody but the operator's own proxies.
    "proxy_headers": False,
    "backlog": limits.BACKLOG_CONNECTIONS,
    "timeout_keep_alive": limits.KEEP_ALIVE_SECONDS,
    "timeout_graceful_shutdown": limits.STOP_SECONDS,
}
# Colon, space and the end of a header's line.
LINE_BYTES = 4
UNKNOWN_HOST = "unknown"


@dataclass(frozen=True, slots=True)
class Timeouts:
    """How long a connection may take, in seconds; it is held against them every `check` seconds."""

    head: float = limits.HEAD_SECONDS
    idle: float = limits.KEEP_ALIVE_SECONDS
    body_grace: float = limits.BODY_GRACE_SECONDS
    write: float = limits.WRITE_SECONDS
    stop_idle: float = limits.STOP_IDLE_SECONDS
    check: float = limits.CONNECTION_CHECK_SECONDS


class StrictHttp(HttpToolsProtocol):
    """Bounds what the library lets pass: heads, bodies, pipelines, silent clients, and how many there are.

    Exactly one `Host` is demanded (RFC 9112 section 3.2). A client is late only while its bytes would be
    read: the time that the application takes for an answer is not the client's.
    """

    timeouts: ClassVar = Timeouts()
    # Connections of this process whose clients read more slowly than they are answered.
    with_waiting_bytes: ClassVar[set["StrictHttp"]] = set()

    host = UNKNOWN_HOST
    head_bytes = 0
    head_is_open = True
    head_has_begun = False
    body_bytes = 0
    body_is_open = False
    is_admitted = False
    is_refused_later = False
    is_stopping = False
    refusal = malformed()
    timer: asyncio.TimerHandle | None = None
    # How long the client has been waited for: to send the next part, and to read what it is sent.
    waited_seconds = 0.0
    write_waited_seconds = 0.0
    waiting_bytes = 0

    @property
    def process_connections(self) -> Connections:
        return connections_of_process()

    # The connection.

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
            # The kernel would take megabytes, and tell of a slow reader's progress in steps as large.
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
        """Answer what has come or is on its way, with `Connection: close`, and end once nothing comes."""
        self.is_stopping = True
        self.waited_seconds = 0.0
        if self.cycle is not None and not self.cycle.response_started:
            self.cycle.keep_alive = False

    # Time.

    def check(self) -> None:
        self.timer = self.loop.call_later(self.timeouts.check, self.check)
        if self.is_write_overdue():
            # To close it would wait for the client to read the rest.
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
        """Whether the client is late with what comes next: a request, its head, more of its body."""
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
        """Whether a whole request is here that has not been answered yet."""
        if self.pipeline:
            return True
        return self.cycle is not None and not (self.cycle.response_complete or self.body_is_open)

    @property
    def is_idle(self) -> bool:
        """Whether nothing of a request is here that has yet to be answered."""
        return not (self.is_answering or self.head_has_begun or self.body_is_open)

    def end_late(self) -> None:
        is_answered = self.body_is_open and self.cycle.response_started
        if self.is_idle or is_answered:
            self.transport.close()
        else:
            self.refusal = LATE
            self.send_refusal()

    # What comes in.

    def data_received(self, data: bytes) -> None:
        # The parser tells of a header line only when it is whole.
        if self.head_is_open:
            self.head_bytes += len(data)
            if self.head_bytes > limits.MAX_HEAD_BYTES and b"\r\n\r\n" not in data:
                self.refusal = malformed(
                    f"The head of the request is larger than {limits.MAX_HEAD_BYTES} bytes."
                )
                self.send_refusal()
                return
        super().data_received(data)

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
        self.body_bytes = 0
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
        # After the answer it is read on, since many clients look for one only when they have sent all.
        if self.cycle.response_complete and self.body_bytes > limits.MAX_TASK_BODY_BYTES:
            self.transport.close()

    def on_message_complete(self) -> None:
        self.body_is_open = False
        self.waited_seconds = 0.0
        super().on_message_complete()

    def refuse(self, message: str) -> None:
        """End the parser's work; it passes on that something was wrong, not what."""
        self.refusal = malformed(message)
        raise ValueError(message)

    def send_400_response(self, msg: str) -> None:
        """The library calls this where the parser has given up."""
        self.send_refusal()

    def send_refusal(self) -> None:
        """Where no route is known yet; after a part of an answer only the end of the connection is left."""
        if self.has_unanswered_before():
            # Clients tell answers apart by their order: this one may not come in the place of another.
            self.is_refused_later = True
            return
        if self.cycle is None or self.cycle.response_complete or not self.cycle.response_started:
            self.transport.write(self.refusal.response)
        if self.cycle is not None:
            # What the application still says has no place behind the refusal.
            self.cycle.disconnected = True
            self.cycle.message_event.set()
        self.transport.close()

    def has_unanswered_before(self) -> bool:
        """Whether whole requests before the refused one still wait for their answers."""
        if self.pipeline:
            if self.pipeline[0][0].more_body:
                self.pipeline.popleft()
            return True
        return self.cycle is not None and not (self.cycle.response_complete or self.cycle.more_body)

    # What goes out.

    def on_response_complete(self) -> None:
        is_last = not self.pipeline
        super().on_response_complete()
        self.waited_seconds = 0.0
        if self.is_refused_later and is_last and not self.transport.is_closing():
            self.send_refusal()

    def pause_writing(self) -> None:
        super().pause_writing()
        self.with_waiting_bytes.add(self)
        self.end_most_waited_for()

    def resume_writing(self) -> None:
        super().resume_writing()
        self.with_waiting_bytes.discard(self)

    def end_most_waited_for(self) -> None:
        """Where too much waits in this process, give up the client that has read nothing for longest."""
        sizes = {each: each.transport.get_write_buffer_size() for each in self.with_waiting_bytes}
        while sum(sizes.values()) > limits.MAX_WAITING_BYTES:
            longest = max(sizes, key=lambda each: (each.write_waited_seconds, sizes[each]))
            del sizes[longest]
            self.with_waiting_bytes.discard(longest)
            longest.transport.abort()

"""An HTTP server with scripted replies, on a real socket."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

from tests.support.cast import Json

BOT: Json = {"id": "5c29a4c9-4d0b-4c8e-9b8e-0b6f3ad1c0de", "name": "Acme"}
TASK: Json = {
    "id": "task_1",
    "status": "queued",
    "outcome": None,
    "summary": None,
    "drafts": [],
    "error": None,
    "later": {"field": 1},
}


@dataclass(frozen=True, slots=True)
class Asked:
    """A request, with lowercase header names."""

    line: str
    headers: dict[str, str]
    body: bytes


@dataclass(frozen=True, slots=True)
class Reply:
    """A reply; `text` and `raw` are sent as they are, `body` is sent as JSON."""

    status: int = 200
    body: Any = None
    headers: dict[str, str] = field(default_factory=dict)
    text: str | None = None
    raw: bytes | None = None

    @property
    def content(self) -> bytes:
        if self.raw is not None:
            return self.raw
        return (json.dumps(self.body) if self.text is None else self.text).encode()


@dataclass(slots=True)
class Stand:
    """Sends each path's replies in order and repeats the last one."""

    url: str
    replies: dict[str, list[Reply]]
    requests: list[Asked] = field(default_factory=list)

    def reply(self, request: Asked) -> Reply:
        self.requests.append(request)
        waiting = self.replies.get(request.line, [Reply(404, {"error": "Nothing.", "code": "not_found"})])
        return waiting.pop(0) if len(waiting) > 1 else waiting[0]

    @property
    def lines(self) -> list[str]:
        return [request.line for request in self.requests]


def ordinary() -> dict[str, list[Reply]]:
    """The replies of a server on which the task ends without drafts."""
    completed_task = TASK | {"status": "completed", "outcome": "no_changes", "summary": "Nothing to do."}
    return {
        "GET /v1/bots": [Reply(200, {"results": [BOT]})],
        "POST /v1/tasks": [Reply(202, TASK)],
        "GET /v1/tasks/task_1": [Reply(200, TASK), Reply(200, completed_task)],
    }


@contextmanager
def standing(**replies: list[Reply]) -> Iterator[Stand]:
    """The ordinary server, with other replies for `bots`, `create` or `poll`."""
    lines = {"bots": "GET /v1/bots", "create": "POST /v1/tasks", "poll": "GET /v1/tasks/task_1"}
    stand = Stand("", ordinary() | {lines[name]: answer for name, answer in replies.items()})
    with serving(stand.reply) as stand.url:
        yield stand


@contextmanager
def serving(reply: Callable[[Asked], Reply]) -> Iterator[str]:
    """Run a server whose replies come from a function, and return its URL."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler(reply))
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def handler(reply: Callable[[Asked], Reply]) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def answer(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            headers = {name.lower(): value for name, value in self.headers.items()}
            answer = reply(Asked(f"{self.command} {self.path}", headers, body))
            content = answer.content
            self.send_response(answer.status)
            for name, value in answer.headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        do_GET = do_POST = do_PUT = do_PATCH = answer

        def log_message(self, *ignored: object) -> None:
            pass

    return Handler

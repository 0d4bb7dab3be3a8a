"""A proxy that adds an API key to requests without one, because the conformance suite can't send any."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

HOP = {"connection", "content-length", "date", "server", "transfer-encoding"}


class Quiet(ThreadingHTTPServer):
    """Clients may go away before they are answered."""

    def handle_error(self, request: object, client_address: object) -> None:
        pass


class Proxy(BaseHTTPRequestHandler):
    """Everything as it comes, `Host` too; only `Authorization` is added where there is none."""

    behind: int
    key: str | None
    protocol_version = "HTTP/1.1"

    def forward(self) -> None:
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        server = HTTPConnection("127.0.0.1", self.behind, timeout=60)
        server.putrequest(self.command, self.path, skip_host=True, skip_accept_encoding=True)
        for name, value in self.headers.items():
            if name.lower() not in HOP:
                server.putheader(name, value)
        if self.key is not None and "authorization" not in self.headers:
            server.putheader("Authorization", f"Bearer {self.key}")
        server.putheader("Content-Length", str(len(body)))
        server.endheaders(body)
        self.answer(server)

    def answer(self, server: HTTPConnection) -> None:
        answer = server.getresponse()
        content = answer.read()
        self.send_response(answer.status)
        for name, value in answer.getheaders():
            if name.lower() not in HOP:
                self.send_header(name, value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)
        server.close()

    do_GET = do_POST = do_DELETE = do_OPTIONS = forward

    def log_message(self, format: str, *arguments: object) -> None:
        pass


@contextmanager
def forwarding(port: int, behind: int, key: str | None = None) -> Iterator[None]:
    """Without a key everything is passed on as it comes."""
    handler = type("Handler", (Proxy,), {"behind": behind, "key": key})
    proxy = Quiet(("127.0.0.1", port), handler)
    thread = threading.Thread(target=proxy.serve_forever, daemon=True)
    thread.start()
    try:
        yield
    finally:
        proxy.shutdown()
        proxy.server_close()
        thread.join()

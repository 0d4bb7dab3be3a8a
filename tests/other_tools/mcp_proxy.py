"""A proxy that adds an API key to requests without one, because the conformance suite can't send any."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

# The proxy and the HTTP library write these headers themselves.
NOT_FORWARDED = {"connection", "content-length", "date", "server", "transfer-encoding"}


class QuietServer(ThreadingHTTPServer):
    """Prints no traceback when a client closes its connection before the response."""

    def handle_error(self, request: object, client_address: object) -> None:
        pass


class Proxy(BaseHTTPRequestHandler):
    """Forwards requests unchanged, `Host` included, except that it adds a missing `Authorization`."""

    server_port: int
    key: str | None
    protocol_version = "HTTP/1.1"

    def forward(self) -> None:
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        connection = HTTPConnection("127.0.0.1", self.server_port, timeout=60)
        connection.putrequest(self.command, self.path, skip_host=True, skip_accept_encoding=True)
        for name, value in self.headers.items():
            if name.lower() not in NOT_FORWARDED:
                connection.putheader(name, value)
        if self.key is not None and "authorization" not in self.headers:
            connection.putheader("Authorization", f"Bearer {self.key}")
        connection.putheader("Content-Length", str(len(body)))
        connection.endheaders(body)
        self.send_back(connection)

    def send_back(self, connection: HTTPConnection) -> None:
        response = connection.getresponse()
        content = response.read()
        self.send_response(response.status)
        for name, value in response.getheaders():
            if name.lower() not in NOT_FORWARDED:
                self.send_header(name, value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)
        connection.close()

    do_GET = do_POST = do_DELETE = do_OPTIONS = forward

    def log_message(self, format: str, *arguments: object) -> None:
        pass


@contextmanager
def forwarding(port: int, server_port: int, key: str | None = None) -> Iterator[None]:
    """Forward requests from `port` to `server_port`, with this key if they have none."""
    handler = type("Handler", (Proxy,), {"server_port": server_port, "key": key})
    proxy = QuietServer(("127.0.0.1", port), handler)
    thread = threading.Thread(target=proxy.serve_forever, daemon=True)
    thread.start()
    try:
        yield
    finally:
        proxy.shutdown()
        proxy.server_close()
        thread.join()

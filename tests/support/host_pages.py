"""Customers' pages with the widget, on a server of another origin."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

# Neither scripts nor Playwright's locators can see inside a closed shadow tree.
OPEN_SHADOWS = """const attach = Element.prototype.attachShadow;
Element.prototype.attachShadow = function (options) {
  this.dataset.mode = options.mode;
  return attach.call(this, { ...options, mode: "open" });
};"""


@dataclass(frozen=True, slots=True)
class HostPage:
    """A page's body, its policy, the attributes of its root element, and additions to its head."""

    body: str
    policy: str | None = None
    root: str = 'lang="en"'
    head: str = ""

    @property
    def headers(self) -> Mapping[str, str]:
        return {"Content-Security-Policy": self.policy} if self.policy else {}

    @property
    def html(self) -> bytes:
        icon = '<link rel="icon" href="data:,">' if self.policy is None else ""
        head = '<meta name="viewport" content="width=device-width, initial-scale=1">'
        head += f'<meta name="color-scheme" content="light dark"><title>Host</title>{icon}{self.head}'
        body = f"<main>\n<h1>Host</h1>\n{self.body}\n</main>"
        return (
            f"<!DOCTYPE html>\n<html {self.root}>\n<head>{head}</head>\n<body>{body}</body>\n</html>\n"
        ).encode()


@dataclass
class HostSite:
    """A running server; `pages` maps paths to pages."""

    origin: str
    pages: dict[str, HostPage] = field(default_factory=dict)

    def add(self, page: HostPage) -> str:
        path = f"/{len(self.pages)}"
        self.pages[path] = page
        return self.origin + path


@contextmanager
def host_site() -> Iterator[HostSite]:
    pages: dict[str, HostPage] = {}

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            page = pages.get(self.path)
            self.send_response(200 if page else 204)
            if page:
                for name, value in {"Content-Type": "text/html; charset=utf-8", **page.headers}.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(page.html)))
            self.end_headers()
            if page:
                self.wfile.write(page.html)

        def log_message(self, *_: object) -> None:
            """Log nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = Thread(target=server.serve_forever)
    thread.start()
    try:
        yield HostSite(f"http://127.0.0.1:{server.server_address[1]}", pages)
    finally:
        server.shutdown()
        thread.join()
        server.server_close()

"""Real deliveries, as a server has sent them to a receiver that keeps what it gets."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import httpx2

from tests.runtime.installation import Installation
from tests.support.cast import Json

SECONDS = 20
ARTICLE = {"title": "Größe 🔑", "contentMarkdown": "Open **Größe** & choose <b>€</b>.\n"}


@dataclass(frozen=True)
class Delivery:
    """What has come, and the secrets that have signed it, the newest first."""

    kind: str
    attempt: str
    signature: str
    body: bytes
    secrets: tuple[str, ...] = ()


@contextmanager
def recording() -> Iterator[tuple[str, list[Delivery]]]:
    """The address of a receiver, and the deliveries that it has received."""
    got: list[Delivery] = []

    class Recorder(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            names = ("service-event", "service-attempt", "service-signature")
            got.append(Delivery(*(self.headers[name] for name in names), body))
            self.send_response(204)
            self.end_headers()

        def log_message(self, format: str, *values: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Recorder) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}/", got
        server.shutdown()


def take_deliveries(installation: Installation, client: httpx2.Client) -> list[Delivery]:
    """One before the secret is rotated, and two after it."""
    with recording() as (url, got):
        webhook = create_endpoint(client, url)
        article = asked(client, "/v1/articles", ARTICLE)
        asked(client, f"/v1/articles/{article['id']}/publish")
        installation.until(lambda: len(got) == 1, SECONDS)
        rotated = asked(client, f"/v1/webhooks/{webhook['id']}/rotate-secret")
        asked(client, f"/v1/articles/{article['id']}/unpublish")
        asked(client, f"/v1/webhooks/{webhook['id']}/test")
        installation.until(lambda: len(got) == 3, SECONDS)
        asked(client, f"/v1/webhooks/{webhook['id']}", {"status": "disabled"}, "PATCH")
    old, new = webhook["secret"], rotated["secret"]
    return [replace(got[0], secrets=(old,)), *(replace(delivery, secrets=(new, old)) for delivery in got[1:])]


def create_endpoint(client: httpx2.Client, url: str) -> Json:
    return asked(client, "/v1/webhooks", {"url": url, "events": ["*"]})


def asked(client: httpx2.Client, path: str, body: Json | None = None, method: str = "POST") -> Json:
    answer = client.request(method, path, json=body)
    answer.raise_for_status()
    found: Json = answer.json()
    return found

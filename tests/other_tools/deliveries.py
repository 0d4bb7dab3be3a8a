"""Deliveries of a real server, recorded by a receiver."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import httpx2

from tests.support.cast import Json
from tests.support.installation import Installation

DELIVERY_SECONDS = 20
# The text has multibyte characters and characters that JSON or HTML may escape.
ARTICLE = {"title": "Größe 🔑", "contentMarkdown": "Open **Größe** & choose <b>€</b>.\n"}


@dataclass(frozen=True)
class Delivery:
    """A request that a receiver got, and the secrets that signed it, newest first."""

    kind: str
    attempt: str
    signature: str
    body: bytes
    secrets: tuple[str, ...] = ()


@contextmanager
def recording() -> Iterator[tuple[str, list[Delivery]]]:
    """A receiver's URL and the list of its deliveries."""
    deliveries: list[Delivery] = []

    class Recorder(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            event, attempt = self.headers["service-event"], self.headers["service-attempt"]
            deliveries.append(Delivery(event, attempt, self.headers["service-signature"], body))
            self.send_response(204)
            self.end_headers()

        def log_message(self, format: str, *values: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Recorder) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}/", deliveries
        server.shutdown()


def take_deliveries(installation: Installation, client: httpx2.Client) -> list[Delivery]:
    """Record one delivery before the secret is rotated and two after."""
    with recording() as (url, deliveries):
        webhook = create_endpoint(client, url)
        article = call(client, "/v1/articles", ARTICLE)
        call(client, f"/v1/articles/{article['id']}/publish")
        installation.until(lambda: len(deliveries) == 1, DELIVERY_SECONDS)
        rotation = call(client, f"/v1/webhooks/{webhook['id']}/rotate-secret")
        call(client, f"/v1/articles/{article['id']}/unpublish")
        call(client, f"/v1/webhooks/{webhook['id']}/test")
        installation.until(lambda: len(deliveries) == 3, DELIVERY_SECONDS)
        call(client, f"/v1/webhooks/{webhook['id']}", {"status": "disabled"}, "PATCH")
    first, *others = deliveries
    old, new = webhook["secret"], rotation["secret"]
    return [replace(first, secrets=(old,)), *(replace(delivery, secrets=(new, old)) for delivery in others)]


def create_endpoint(client: httpx2.Client, url: str) -> Json:
    return call(client, "/v1/webhooks", {"url": url, "events": ["*"]})


def call(client: httpx2.Client, path: str, body: Json | None = None, method: str = "POST") -> Json:
    response = client.request(method, path, json=body)
    response.raise_for_status()
    result: Json = response.json()
    return result

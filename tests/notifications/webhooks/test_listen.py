"""`instep webhooks listen`: verifies deliveries, prints them, responds, and never shows the secret."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx2
import pytest

from instep.notifications.webhooks.listen import ReceivedDelivery, as_line, listen, receiver
from instep.notifications.webhooks.signature import sign
from instep.platform.core.errors import InvalidRequest
from tests.support.limits import SetLimit
from tests.support.wording import like

COMMAND = Path(sys.executable).with_name("instep")
SECRET = "whsec_Zm9yIHRoZSB0ZXN0cyBvZiB0aGUgcmVjZWl2ZXI="
EVENT = {
    "id": "evt_1",
    "type": "article.published",
    "data": {"object": {"id": "art_1", "title": "Größe"}, "previousAttributes": {}},
}
BODY = json.dumps(EVENT).encode()
VERIFIED = "article.published  dlv_1  attempt 1  verified  art_1  Größe\n"


def headers(body: bytes = BODY, secret: str = SECRET, at: float | None = None) -> dict[str, str]:
    return {
        "service-event": "article.published",
        "service-delivery": "dlv_1",
        "service-attempt": "1",
        "service-signature": sign([secret], int(time.time() if at is None else at), body),
    }


@dataclass
class Receiver:
    """The receiver in this process and the deliveries that it reported."""

    status: int = 204
    deliveries: list[ReceivedDelivery] = field(default_factory=list)

    async def post(self, body: bytes, headers: dict[str, str]) -> int:
        transport = httpx2.ASGITransport(receiver(SECRET, self.status, self.deliveries.append))
        async with httpx2.AsyncClient(transport=transport, base_url="http://receiver") as client:
            return (await client.post("/any/path?x=1", content=body, headers=headers)).status_code

    @property
    def problem(self) -> str:
        [delivery] = self.deliveries
        assert not delivery.verified
        assert delivery.body is None
        return delivery.problem or ""


async def test_verified_delivery_is_reported_with_its_body() -> None:
    here = Receiver()

    assert await here.post(BODY, headers()) == 204

    assert here.deliveries == [
        ReceivedDelivery(
            event="article.published",
            delivery="dlv_1",
            attempt="1",
            verified=True,
            problem=None,
            body=EVENT,
        )
    ]


async def test_another_answer_can_be_tried_on_what_is_verified_only() -> None:
    here = Receiver(status=503)

    assert await here.post(BODY, headers()) == 503
    assert await here.post(BODY + b" ", headers()) == 400


@pytest.mark.parametrize(
    ("body", "unfit_headers", "why"),
    [
        (BODY, lambda: headers(BODY[:-1]), "no v1 signature matches"),
        (BODY, lambda: headers(secret="whsec_another"), "no v1 signature matches"),
        (BODY, lambda: headers() | {"service-signature": "v1=00"}, "malformed"),
        (BODY, dict, "malformed"),
        (b"", dict, "malformed"),
    ],
)
async def test_delivery_without_a_valid_signature_is_refused_with_the_reason(
    body: bytes, unfit_headers: Callable[[], dict[str, str]], why: str
) -> None:
    here = Receiver()

    assert await here.post(body, unfit_headers()) == 400

    assert why in here.problem


@pytest.mark.parametrize("body", [b"[]", b"{", b"\xff", b'{"a": "\\ud800"}', b"[" * 100_000])
async def test_signed_body_that_is_no_event_is_refused(body: bytes) -> None:
    here = Receiver()

    assert await here.post(body, headers(body)) == 400

    assert "not a JSON object" in here.problem


@pytest.mark.parametrize(("ago", "why"), [(310, "too old"), (-310, "from the future")])
async def test_signature_of_another_time_is_refused(ago: int, why: str) -> None:
    here = Receiver()

    assert await here.post(BODY, headers(at=time.time() - ago)) == 400

    assert why in here.problem


async def test_bodies_are_taken_up_to_their_limit(set_limit: SetLimit) -> None:
    set_limit("MAX_LISTENER_BODY_BYTES", len(BODY))
    largest, larger = Receiver(), Receiver()

    assert await largest.post(BODY, headers()) == 204
    assert await larger.post(BODY + b" ", headers(BODY + b" ")) == 400

    assert larger.problem == like(f"…{len(BODY)} bytes")


@pytest.mark.parametrize(
    ("thing", "line"),
    [
        ({"id": "art_1", "title": "Install", "url": "https://x"}, "art_1  Install"),
        ({"id": "task_1", "change": {"title": "Rename"}, "article": None}, "task_1  Rename"),
        ({"id": "task_2", "change": None, "article": {"title": "Ports"}}, "task_2  Ports"),
        ({"id": "wh_1", "url": "https://example.com/"}, "wh_1  https://example.com/"),
        ({"id": "lead_1"}, "lead_1"),
        ({"id": 1, "title": ["x"], "change": "x"}, ""),
        ("x", ""),
    ],
)
def test_a_line_names_the_thing(thing: Any, line: str) -> None:
    received = ReceivedDelivery(
        event="k", delivery="d", attempt="2", verified=True, problem=None, body={"data": {"object": thing}}
    )

    assert as_line(received) == "  ".join(filter(None, ["k", "d", "attempt 2", "verified", line]))


def test_a_line_is_one_short_line_whatever_is_sent() -> None:
    thing = {"id": "a\nb", "title": "\x1b[2J" + "x" * 1_000}
    body = {"data": {"object": thing}}
    received = ReceivedDelivery(
        event="\x9b1A", delivery=None, attempt=None, verified=True, problem=None, body=body
    )

    line = as_line(received)

    assert line.isprintable()
    assert len(line) < 250
    assert line.startswith("\ufffd1A  no service-delivery  attempt ?  verified  a\ufffdb  \ufffd[2Jx")


@dataclass
class Process:
    """The command, listening at `url`."""

    running: subprocess.Popen[str]
    url: str

    def post(self, body: bytes = BODY, **changes: Any) -> int:
        return httpx2.post(self.url, content=body, headers=headers(**changes)).status_code

    def line(self) -> str:
        assert self.running.stdout is not None
        return self.running.stdout.readline()

    def end(self, number: signal.Signals) -> tuple[int, str]:
        """The exit code and the remaining output."""
        self.running.send_signal(number)
        return self.running.wait(30), "".join(self.running.communicate())


def environment(secret: str | None = SECRET) -> dict[str, str]:
    others = {name: value for name, value in os.environ.items() if not name.startswith("INSTEP_")}
    return others | ({"INSTEP_WEBHOOK_SECRET": secret} if secret else {})


@contextmanager
def listening(*options: str) -> Iterator[Process]:
    running = subprocess.Popen(
        [COMMAND, "webhooks", "listen", "--port", "0", *options],
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    with running:
        try:
            assert running.stderr is not None
            greeting = re.fullmatch(r"Listening on (http://\S+), until Ctrl-C\.\n", running.stderr.readline())
            assert greeting
            yield Process(running, greeting[1])
        finally:
            running.kill()


def test_the_command_prints_a_line_for_each_and_ends_cleanly_on_ctrl_c() -> None:
    with listening() as here:
        assert here.post() == 204
        assert here.line() == VERIFIED
        assert here.post(secret="whsec_another") == 400
        assert "signature matches" in here.line()
        assert httpx2.get(here.url).status_code == 405

        assert here.end(signal.SIGINT) == (0, "")


def test_with_json_it_prints_each_as_a_line_and_ends_cleanly_when_terminated() -> None:
    with listening("--json", "--status", "500") as here:
        assert here.post() == 500
        printed = json.loads(here.line())
        assert here.post(BODY + b" ") == 400
        refusal = json.loads(here.line())

        assert here.end(signal.SIGTERM) == (0, "")
    assert printed == {
        "event": "article.published",
        "delivery": "dlv_1",
        "attempt": "1",
        "verified": True,
        "problem": None,
        "body": EVENT,
    }
    assert (refusal["verified"], refusal["body"]) == (False, None)


def test_a_request_that_breaks_off_is_told_and_stops_nothing() -> None:
    with listening() as here:
        host, port = here.url.removeprefix("http://").split(":")
        with socket.create_connection((host, int(port))) as connection:
            connection.sendall(b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nhalf")
        assert "the connection ended" in here.line()

        assert here.post() == 204
        assert here.line() == VERIFIED


@pytest.mark.parametrize(
    ("secret", "host", "port", "why"),
    [
        ("hunter2hunter2", "127.0.0.1", 0, "signing secret"),
        (SECRET, "256.1.1.1", 4242, r"256\.1\.1\.1 port 4242"),
        (SECRET, "x" * 300, 4242, "Can't listen on"),
    ],
)
def test_invalid_options_are_refused(secret: str, host: str, port: int, why: str) -> None:
    with pytest.raises(InvalidRequest, match=why) as refusal:
        listen(secret, host, port, 204, report_address=never, report=never)

    assert secret not in refusal.value.message


def test_a_port_in_use_is_refused() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]

        with pytest.raises(InvalidRequest, match=f"port {port}"):
            listen(SECRET, "127.0.0.1", port, 204, report_address=never, report=never)


def never(_: object) -> None:
    pytest.fail("it has begun")


def test_without_a_secret_the_command_says_where_to_put_it() -> None:
    process = subprocess.run(
        [COMMAND, "webhooks", "listen"], env=environment(None), capture_output=True, text=True, check=False
    )

    assert process.returncode == 2
    assert "INSTEP_WEBHOOK_SECRET" in process.stderr

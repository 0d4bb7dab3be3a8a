"""`docs/webhooks.md`: its Python programs run, and its times and limits are correct.

Its other programs need Node.js or Stripe's libraries: `make test-contract` runs those.
"""

import os
import re
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import timedelta
from pathlib import Path
from typing import get_args

import httpx2
import pytest

from instep.interfaces.reference.events import HEADERS
from instep.notifications.webhooks.schemas import EventKind, TestKind
from instep.notifications.webhooks.signature import sign, verify
from instep.platform.core import limits
from tests.support.installation import free_port
from tests.support.webhook_snippets import DOCUMENT, blocks, programs

TEXT = DOCUMENT.read_text()
ARTICLE = (DOCUMENT.parent / "help" / "03-api" / "07-webhooks.md").read_text()
SECRET, OTHER = "whsec_Zm9yIHRoZSB0ZXN0cyBvZiB0aGUgZG9jdW1lbnQ=", "whsec_another"
BODY = '{"title": "Größe"}'.encode()
ROW = re.compile(r"^\| (.+) \|$", re.MULTILINE)


def table(heading: str) -> dict[str, str]:
    """The first two columns of the table with this heading, which must be unique."""
    [rows] = re.findall(rf"^\| {re.escape(heading)} \|.*\|\n\|[-|]+\|\n((?:\|.*\|\n)+)", TEXT, re.MULTILINE)
    cells = [row.split(" | ") for row in ROW.findall(rows)]
    return {row[0].strip("`"): row[1] for row in cells}


def in_words(time: timedelta) -> str:
    minutes = int(time.total_seconds() // 60)
    return f"{minutes} minutes" if minutes < 60 else f"{minutes // 60} hours"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The Python programs without dependencies, saved as a reader of the document would."""
    folder = tmp_path_factory.mktemp("receiver")
    for name in ("verify.py", "receiver.py"):
        (folder / name).write_text(programs()[name][0])
    return folder


@contextmanager
def receiving(folder: Path) -> Iterator[str]:
    port = free_port()
    environment = os.environ | {"PORT": str(port), "INSTEP_WEBHOOK_SECRET": SECRET}
    with subprocess.Popen(
        [sys.executable, "receiver.py"], cwd=folder, env=environment, stdout=subprocess.PIPE
    ) as process:
        try:
            yield f"http://127.0.0.1:{port}/"
        finally:
            process.kill()


def post(url: str, header: str, delivery: str = "dlv_1") -> int:
    headers = {"service-event": "article.updated", "service-delivery": delivery, "service-signature": header}
    transport = httpx2.HTTPTransport(retries=10)
    with httpx2.Client(transport=transport) as client:
        return client.post(url, content=BODY, headers=headers).status_code


def test_the_value_to_test_against_is_what_is_sent() -> None:
    [commands] = [code for code in blocks("sh") if "openssl" in code]
    secret, at, body = re.findall(r"^\w+='?(.+?)'?$", commands, re.MULTILINE)
    [header] = [code.strip() for code in blocks("text") if code.startswith("t=")]

    assert sign([secret], int(at), body.encode()) == header
    verify(secret, header, body.encode(), int(at))


def test_the_function_that_verifies_agrees_with_ours(folder: Path) -> None:
    now = int(time.time())
    good = sign([SECRET], now, BODY)
    cases = {
        good: True,
        sign([OTHER, SECRET], now, BODY): True,
        sign([SECRET, OTHER], now - 290, BODY): True,
        f"v0=1,{good},v2=2,alone": True,
        sign([OTHER], now, BODY): False,
        sign([SECRET], now, BODY + b" "): False,
        sign([SECRET], now - 310, BODY): False,
        sign([SECRET], now + 310, BODY): False,
        good.replace("v1", "v0"): False,
        f"t={now}": False,
        f"t={now},v1=ü": False,
        f"t={'9' * 5000},v1=0": False,
        "t=soon,v1=0": False,
        "": False,
    }
    program = (
        f"from verify import verify\n"
        f"for header in {list(cases)!r}: print(verify({SECRET!r}, header, {BODY!r}))"
    )

    process = subprocess.run(
        [sys.executable, "-c", program], cwd=folder, capture_output=True, text=True, check=True
    )

    assert process.stdout.split() == [str(expected) for expected in cases.values()]


def test_the_receiver_takes_a_delivery_once_and_nothing_that_it_cant_verify(folder: Path) -> None:
    header = sign([SECRET], int(time.time()), BODY)

    with receiving(folder) as url:
        first, again, another = post(url, header), post(url, header), post(url, header, "dlv_2")
        forged = post(url, sign([OTHER], int(time.time()), BODY), "dlv_3")

    assert (first, again, another, forged) == (204, 204, 204, 400)
    assert stored_deliveries(folder) == [("dlv_1", BODY.decode()), ("dlv_2", BODY.decode())]


def stored_deliveries(folder: Path) -> list[tuple[str, str]]:
    with closing(sqlite3.connect(folder / "inbox.db")) as inbox:
        return inbox.execute("select delivery, event from inbox order by delivery").fetchall()


def test_page_names_every_kind_and_every_header() -> None:
    kinds = [*get_args(EventKind), *get_args(TestKind)]

    assert list(table("kind")) == kinds
    assert set(HEADERS) < set(table("header"))
    assert all(f"| `{kind}` |" in ARTICLE for kind in get_args(EventKind))


def test_page_names_the_times_of_the_attempts() -> None:
    attempts = table("attempt")

    assert list(attempts) == [str(number) for number in range(1, len(limits.DELIVERY_RETRY_DELAYS) + 2)]
    assert list(attempts.values()) == [
        "immediately",
        *(f"{in_words(wait)} after the previous attempt ended" for wait in limits.DELIVERY_RETRY_DELAYS),
    ]


def test_page_names_the_limits() -> None:
    assert table("limit") == {
        "endpoints per workspace": str(limits.MAX_WEBHOOK_ENDPOINTS),
        "secrets that sign for an endpoint at a time": str(limits.MAX_WEBHOOK_SECRETS),
        "concurrent deliveries per endpoint": str(limits.MAX_CONCURRENT_ENDPOINT_DELIVERIES),
        "concurrent deliveries per workspace": str(limits.MAX_CONCURRENT_WORKSPACE_DELIVERIES),
        "time for an attempt": "10 seconds",
        "attempts": str(len(limits.DELIVERY_RETRY_DELAYS) + 1),
        "retention of events and deliveries": f"{limits.EVENT_RETENTION.days} days",
    }
    assert timedelta(hours=24) == limits.REPLACED_SECRET_TTL
    assert timedelta(days=5) == limits.ENDPOINT_DISABLED_AFTER

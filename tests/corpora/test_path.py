"""Paths that traverse folders, point to other hosts or break lines, on a real socket: none has an effect."""

import asyncio
import json
import re
import time
from collections.abc import AsyncIterator
from itertools import cycle
from pathlib import Path
from urllib.parse import quote, urlsplit

import pytest
from fastapi import FastAPI
from starlette.routing import Mount

from instep.app import create_app
from instep.platform.core.database import Database
from tests.corpora.requests import TOO_SLOW_SECONDS, Meter
from tests.support.api_table import TABLE, assemble
from tests.support.cast import Cast, Client
from tests.support.wire import Answer, read_answer, serving

pytestmark = pytest.mark.corpora

HOST = "help.test"
# Contents of the files that these paths try to reach.
OF_FILES = re.compile(
    rb"root:.*:0:0:|\[(fonts|extensions|boot loader)\]|<\?php|from starlette|^import ", re.M
)
# Characters that would end the request line; all others are sent unencoded.
ENDS_THE_LINE = re.compile("[\x00-\x20\x7f-\U0010ffff]")
# Dashboard pages redirect to `/sign-in`.
PUBLIC = {200, 301, 303, 304, 400, 404, 405}
API = {200, 400, 404, 405}
# Headers that affect redirects, or that the server reads from every request.
HEADERS = (
    *("Host", "X-Forwarded-Host", "X-Forwarded-Proto", "X-Forwarded-Prefix", "Forwarded", "Origin"),
    *("X-Original-URL", "X-Rewrite-URL", "Referer", "Cookie", "Accept", "Accept-Encoding", "Content-Type"),
    *("If-None-Match", "If-Match", "Service-Bot", "Idempotency-Key", "Range"),
)
OUR_HEADERS = {
    *("content-type", "content-length", "connection", "date", "request-id", "ratelimit", "ratelimit-policy"),
    *("allow", "location", "etag", "cache-control", "content-security-policy", "x-content-type-options"),
    *("referrer-policy", "cross-origin-opener-policy", "vary", "last-modified", "accept-ranges"),
    *("content-range", "content-encoding", "transfer-encoding", "www-authenticate"),
    *("cross-origin-resource-policy", "permissions-policy", "set-cookie", "x-robots-tag", "retry-after"),
}
# The cookie that protects the dashboard's forms.
FORM_COOKIE = "instep-form="


class Wire:
    """Sequential connections to a server, with an API key."""

    def __init__(self, port: int, key: str, meter: Meter) -> None:
        self.port = port
        self.key = key
        self.meter = meter
        self.streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def get(self, method: str, target: str, headers: dict[str, str] | None = None) -> Answer:
        """Send a request; the server closes the connection after a request that it can't parse."""
        request_headers = {"Host": HOST, "Authorization": f"Bearer {self.key}"} | (headers or {})
        lines = [
            f"{method} {target} HTTP/1.1",
            *(f"{name}: {value}" for name, value in request_headers.items()),
        ]
        began = time.perf_counter()
        answer = await self.exchange("\r\n".join([*lines, "", ""]).encode("latin-1"))
        seconds = time.perf_counter() - began
        self.meter.count(answer.status, seconds, f"{method} {target}")
        assert seconds < TOO_SLOW_SECONDS, target
        return answer

    async def exchange(self, request: bytes) -> Answer:
        for _ in range(2):
            reader, writer = self.streams = self.streams or await asyncio.open_connection(
                "127.0.0.1", self.port
            )
            writer.write(request)
            if answer := await read_answer(reader):
                if answer.headers.get("connection") == "close":
                    self.close()
                return answer
            self.close()
        raise AssertionError(f"no answer to {request!r}")

    def close(self) -> None:
        if self.streams:
            self.streams[1].close()
        self.streams = None


@pytest.fixture
async def wire(
    unlimited: None, app: FastAPI, database: Database, cast: Cast, meter: Meter
) -> AsyncIterator[Wire]:
    async with serving(app, database) as port:
        opened = Wire(port, cast.acme.write_key, meter)
        yield opened
        opened.close()


async def test_paths_of_the_api_lead_to_nothing_else(
    corpora: Path, wire: Wire, client: Client, cast: Cast, database: Database
) -> None:
    things = await assemble(client, cast.acme, database)
    reads = [f"/v1{row.path}" for row in TABLE if row.has_reference and not row.is_write]
    writes = [(row.method, f"/v1{row.path}") for row in TABLE if row.has_reference and row.is_write]
    for number, text in enumerate(texts(corpora)):
        for method, path in [*(("GET", path_read) for path_read in reads), writes[number % len(writes)]]:
            for name in re.findall(r"{(\w+)}", path):
                target = path.format(**things | {name: as_target(text)})
                answer = await wire.get(method, target)
                assert answer.status in API, (method, target, answer)
                refuse_to_leak(answer, target)
                if answer.status == 200:
                    # A target that ends early at `?` or `#` may lead to the object or its list.
                    assert re.fullmatch(r"[^?#]*[?#].*", target), target
                else:
                    assert json.loads(answer.body).keys() <= {"error", "code", "details"}, target


async def test_paths_of_pages_and_files_lead_to_nothing_else(corpora: Path, wire: Wire, cast: Cast) -> None:
    for text in texts(corpora):
        for target in public_targets(cast, as_target(text)):
            answer = await wire.get("GET", target)
            assert answer.status in PUBLIC, (target, answer)
            refuse_to_leak(answer, target)


async def test_headers_lead_to_nothing_else(corpora: Path, wire: Wire, cast: Cast) -> None:
    home = f"/help/{cast.acme.slug}"
    for text, target in zip(texts(corpora), cycle([home, "/v1/articles", home]), strict=False):
        value = ENDS_THE_LINE.sub("", text)
        for name in HEADERS:
            answer = await wire.get("GET", target, {name: value})
            assert answer.status in PUBLIC | {403}, (target, name, value, answer)
            refuse_to_leak(answer, f"{name}: {value}")
            if target == home and answer.status == 301:
                assert answer.headers["location"] == f"{home}/"


def refuse_to_leak(answer: Answer, target: str) -> None:
    assert answer.headers.keys() <= OUR_HEADERS, (target, answer.headers)
    assert answer.headers.get("set-cookie", FORM_COOKIE).startswith(FORM_COOKIE), (target, answer.headers)
    assert not OF_FILES.search(answer.body), target
    location = answer.headers.get("location", "/")
    host = urlsplit(location).netloc
    assert host in ("", HOST), (target, location)
    assert location.startswith(f"http://{HOST}/") or re.match(r"/(?![/\\])", location), (target, location)


def public_targets(cast: Cast, text: str) -> list[str]:
    """Every public address with the text in each parameter, and the text alone."""
    paths = [
        f"/{text}",
        f"/v1/{text}",
        f"/docs/{text}",
        f"/help/{cast.acme.slug}/changelog?start_cursor={text}",
    ]
    for route in create_app().routes:
        path = str(getattr(route, "path", ""))
        if isinstance(route, Mount):
            paths.append(f"{path}/{text}")
        elif not path.startswith("/v1/"):
            names = re.findall(r"{(\w+)}", path)
            values = dict.fromkeys(names, "install") | {"bot": cast.acme.slug, "locale": "de"}
            paths += [path.format(**values | {name: text}) for name in names]
    return paths


def texts(corpora: Path) -> list[str]:
    lines = []
    for name in ("traversal", "open-redirect", "crlf"):
        lines += (corpora / "path" / f"{name}.txt").read_text().splitlines()
    assert len(lines) > 350
    return lines


def as_target(text: str) -> str:
    """Encode a target as an attacker does: only the characters that must be encoded."""
    return ENDS_THE_LINE.sub(lambda sign: quote(sign[0]), text)

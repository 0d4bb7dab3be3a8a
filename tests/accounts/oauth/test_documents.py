"""Apps identified by the URL of their metadata document, which is read through the guard and cached."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Any

import pytest
from fastapi import FastAPI

from instep.accounts.oauth.documents import cache_ttl, is_document_address
from instep.platform.core import limits
from instep.platform.core.database import Tx
from instep.platform.core.outbound.allowed import AllowList, read_allow_list
from instep.platform.core.outbound.client import OutboundClient
from tests.support.cast import Api, Cast, Client, Json
from tests.support.certificates import Authority
from tests.support.http import Response
from tests.support.limits import SetLimit
from tests.support.oauth import HOME, Request, browser_of, decide, member, redeem
from tests.support.receivers import Handler, Receiver, receiving, silent

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nCache-Control: max-age=3600\r\n\r\n"


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return Authority.create(tmp_path_factory.mktemp("authority"))


class Publisher:
    """The server of an app's document; it answers each request with the most recent setting."""

    def __init__(self, receiver: Receiver, answer: list[bytes | Handler]) -> None:
        self.receiver, self.answer = receiver, answer
        self.client_id = f"https://127.0.0.1:{receiver.port}/apps/claude.json"

    def says(self, head: bytes = HEAD, **but: Any) -> None:
        document = {"client_id": self.client_id, "client_name": "Claude", "redirect_uris": [HOME]} | but
        self.answers(head + json.dumps(document).encode())

    def answers(self, answer: bytes | Handler) -> None:
        self.answer[:] = [answer]


@asynccontextmanager
async def publishing(authority: Authority) -> AsyncIterator[Publisher]:
    answer: list[bytes | Handler] = []

    async def handle(reader: Any, writer: Any) -> None:
        if not isinstance(answer[0], bytes):
            await answer[0](reader, writer)
            return
        await reader.readuntil(b"\r\n\r\n")
        writer.write(answer[0])

    async with receiving(handle, tls=authority.serving("127.0.0.1")) as receiver:
        yield Publisher(receiver, answer)


@pytest.fixture
async def publisher(app: FastAPI, api: Api, authority: Authority) -> AsyncIterator[Publisher]:
    """A publisher that the guard allows, as if it were on an operator's allow-list."""
    app.state.outbound = OutboundClient(read_allow_list("127.0.0.0/8"), trust=authority.trust())
    async with publishing(authority) as publisher:
        publisher.says()
        yield publisher
    await app.state.outbound.aclose()
    app.state.outbound = None


@pytest.fixture
async def browser(app: FastAPI, api: Api, cast: Cast, owner: Tx) -> AsyncIterator[Client]:
    async with browser_of(app, owner, await member(owner, cast.acme)) as browser:
        yield browser


async def page_for(browser: Client, client_id: str) -> Response:
    return await browser.get(Request(client_id).path())


async def test_an_app_by_its_document_is_connected_and_its_host_named(
    visitor: Client, browser: Client, publisher: Publisher
) -> None:
    request = Request(publisher.client_id)
    page = await page_for(browser, publisher.client_id)
    answer = await redeem(visitor, request, (await decide(browser, request))["code"])

    assert "published at <strong>127.0.0.1</strong>" in page.text
    assert answer.status_code == 200
    # Three pages were shown, but the document is cached as long as it says.
    assert publisher.receiver.connections == 1


async def test_a_document_is_read_again_when_it_is_no_longer_fresh(
    browser: Client, publisher: Publisher, owner: Tx
) -> None:
    assert (await page_for(browser, publisher.client_id)).status_code == 200
    sql = "update oauth_clients set fresh_until = now() where id = %(id)s"
    await owner.execute(sql, id=publisher.client_id)
    publisher.says(redirect_uris=["https://elsewhere.example/"])

    page = await page_for(browser, publisher.client_id)

    assert (page.status_code, publisher.receiver.connections) == (400, 2)


async def test_documents_that_are_none_are_refused_and_not_kept(
    browser: Client, publisher: Publisher, owner: Tx
) -> None:
    plain = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<html>"
    documents: list[Json] = [
        {"client_id": publisher.client_id + "x"},
        {"client_id": None},
        {"redirect_uris": []},
        {"redirect_uris": ["http://evil.example/"]},
        {"redirect_uris": ["javascript:alert(1)"]},
        {"client_secret": "x"},
        {"token_endpoint_auth_method": "client_secret_post"},
        {"grant_types": ["client_credentials"]},
        {"client_name": "x" * limits.MAX_CLIENT_METADATA_BYTES},
    ]
    for wrong in documents:
        publisher.says(**wrong)
        page = await page_for(browser, publisher.client_id)
        assert (page.status_code, "Location" in page.headers) == (400, False), wrong
    for answer in (
        plain,
        HEAD + b"{",
        HEAD + b"[]",
        HEAD + b'{"a": NaN}',
        HEAD + b"[" * 50_000,
        HEAD + b"\xff",
        b"HTTP/1.1 302 Found\r\nLocation: /apps/other.json\r\n\r\n",
        b"HTTP/1.1 404 Not Found\r\nContent-Type: application/json\r\n\r\n{}",
        b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Encoding: gzip\r\n\r\n\x1f\x8b",
        b"nonsense",
        b"",
    ):
        publisher.answers(answer)
        assert (await page_for(browser, publisher.client_id)).status_code == 400, answer[:80]
    kept_rows = "select count(*) from oauth_clients where id = %(id)s"
    assert await owner.value(kept_rows, id=publisher.client_id) == 0


async def test_a_document_that_does_not_come_is_given_up_in_time(
    browser: Client, publisher: Publisher, set_limit: SetLimit
) -> None:
    assert limits.CLIENT_METADATA_SECONDS <= 5
    set_limit("CLIENT_METADATA_SECONDS", 0.3)
    publisher.answers(silent)

    page = await page_for(browser, publisher.client_id)

    assert (page.status_code, "in time" in page.text) == (400, True)


async def test_a_person_has_only_so_many_looked_up(
    app: FastAPI, browser: Client, publisher: Publisher
) -> None:
    publisher.answers(b"")
    statuses = [
        (await page_for(browser, f"{publisher.client_id}{number}")).status_code
        for number in range(limits.CLIENT_METADATA_FETCHES_PER_MINUTE + 1)
    ]

    assert statuses == [400] * limits.CLIENT_METADATA_FETCHES_PER_MINUTE + [429]


INSIDE = [
    "https://127.0.0.1/app.json",
    "https://localhost/app.json",
    "https://169.254.169.254/latest/meta-data",
    "https://10.0.0.1/app.json",
    "https://192.168.1.1/app.json",
    "https://[::1]/app.json",
    "https://[::ffff:127.0.0.1]/app.json",
    "https://[64:ff9b::7f00:1]/app.json",
    "https://metadata.internal/app.json",
    "https://router/app.json",
]


async def test_no_address_inside_is_called(
    app: FastAPI, api: Api, browser: Client, authority: Authority
) -> None:
    app.state.outbound = OutboundClient(AllowList(), trust=authority.trust())
    async with publishing(authority) as publisher:
        for address in (publisher.client_id, *INSIDE):
            page = await page_for(browser, address)
            assert (page.status_code, "can&#39;t be reached" in page.text) == (400, True), address
        assert publisher.receiver.connections == 0
    await app.state.outbound.aclose()
    app.state.outbound = None


@pytest.mark.parametrize(
    "client_id",
    [
        *("http://app.example/app.json", "https://app.example", "https://app.example/", "app_0000"),
        *("https://a@app.example/x", "https://app.example/x#y", "https://app.example/x/../y"),
        *("https://app.example/./y", "https://app.example/%2E%2e/y", "https://app.example\\@evil.example/x"),
        *("https://0x7f.1/x", "https://2130706433/x", "file:///etc/passwd", "gopher://app.example/x", ""),
        *("https://app.example:25/x", "https://app.example/x\r\nX: y", "https://app.example/" + "a" * 2_000),
    ],
)
def test_invalid_urls_of_client_documents_are_refused(client_id: str) -> None:
    assert not is_document_address(client_id)


@pytest.mark.parametrize(
    ("header", "time"),
    [
        ("", timedelta(minutes=5)),
        ("max-age=60", timedelta(minutes=5)),
        ("public, max-age=3600", timedelta(hours=1)),
        ("max-age=999999999", timedelta(hours=24)),
        ("no-store, max-age=3600", timedelta(minutes=5)),
        ("max-age=-1", timedelta(minutes=5)),
    ],
)
def test_cache_headers_set_the_lifetime_of_a_document(header: str, time: timedelta) -> None:
    assert cache_ttl(header) == time

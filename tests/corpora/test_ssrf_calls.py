"""Calls to addresses and URLs from many collections: forbidden ones get no connection."""

import json
from collections.abc import Sequence
from ipaddress import ip_address
from pathlib import Path
from typing import Any

import pytest

from instep.platform.core.outbound import client
from instep.platform.core.outbound.allowed import AllowList
from instep.platform.core.outbound.client import UNREACHABLE, OutboundClient, RequestFailed
from instep.platform.core.outbound.happy_eyeballs import ConnectError
from instep.platform.core.outbound.networks import Address
from tests.corpora.test_ssrf import NAMES, NOT_GIVEN_OUT

pytestmark = pytest.mark.corpora

PUBLIC: Address = ip_address("8.8.8.8")


class Attempts:
    """A client, and the addresses that it tried to connect to; the test decides how names resolve."""

    def __init__(self) -> None:
        self.caller = OutboundClient(AllowList(), self.lookup)
        self.answer: list[Address] = []
        self.hosts: list[str] = []
        self.reached: list[Address] = []

    async def lookup(self, host: str) -> list[Address]:
        self.hosts.append(host)
        return self.answer

    async def dial(self, addresses: Sequence[Address], port: int) -> None:
        self.reached += addresses
        raise ConnectError

    async def call(self, url: str, *answer: Address) -> None:
        self.answer = list(answer)
        with pytest.raises(RequestFailed, match=UNREACHABLE):
            await self.caller.post(url, b"", {})


@pytest.fixture
def attempts(monkeypatch: pytest.MonkeyPatch) -> Attempts:
    attempts = Attempts()
    monkeypatch.setattr(client, "connect", attempts.dial)
    return attempts


async def test_a_blocked_address_gets_no_connection(corpora: Path, attempts: Attempts) -> None:
    rows = read(corpora, "addresses.json")
    for row in rows:
        address = ip_address(row["ip"])
        for answer in ([address], [PUBLIC, address], [address, PUBLIC]):
            attempts.reached.clear()
            await attempts.call("https://example.com", *answer)
            assert (attempts.reached == answer) is may_pass(row), row
            assert attempts.reached in ([], answer), row
        attempts.reached.clear()
        await attempts.call(f"https://[{address}]" if address.version == 6 else f"https://{address}")
        assert (attempts.reached == [address]) is may_pass(row), row
    assert len(rows) > 60


async def test_a_url_that_must_be_refused_is_not_called(corpora: Path, attempts: Attempts) -> None:
    """The URLs are refused even if every name resolves to a public address."""
    urls = read(corpora, "urls_refuse.json")
    every = [*urls["refuse_without_dns"], *urls["refuse_after_resolution_or_nxdomain"]]
    for url in every:
        await attempts.call(url, PUBLIC)
    assert (attempts.hosts, attempts.reached) == ([], [])

    for url in every:
        await attempts.call(url.replace("http:", "https:", 1), PUBLIC)
    assert set(attempts.hosts) == NAMES
    assert set(attempts.reached) == {PUBLIC}


def may_pass(row: dict[str, Any]) -> bool:
    return not row["block"] and row["ip"] not in NOT_GIVEN_OUT


def read(corpora: Path, name: str) -> Any:
    return json.loads((corpora / "ssrf" / name).read_text())

"""Addresses and URLs from many collections that must never be called."""

import json
from ipaddress import ip_address
from pathlib import Path
from typing import Any

import pytest

from instep.platform.core.outbound.allowed import AllowList, refuse_url
from instep.platform.core.outbound.networks import is_public
from instep.platform.core.outbound.urls import Url, parse_url

pytestmark = pytest.mark.corpora

# This address is not assigned yet, so it is refused although the collection allows it.
NOT_GIVEN_OUT = {"64:ff9c::1"}
# Names that look harmless before they are resolved.
NAMES = {"169.254.169.254.nip.io", "nicob.net"}


def test_every_address_is_judged_right(corpora: Path) -> None:
    rows = read(corpora, "addresses.json")
    public = {row["ip"] for row in rows if is_public(ip_address(row["ip"]))}

    assert [row["ip"] for row in rows if row["block"] and row["ip"] in public] == []
    assert {row["ip"] for row in rows if not row["block"] and row["ip"] not in public} == NOT_GIVEN_OUT
    assert len(rows) > 60


def test_a_url_that_can_be_refused_without_a_lookup_is_refused(corpora: Path) -> None:
    urls = read(corpora, "urls_refuse.json")
    every = [*urls["refuse_without_dns"], *urls["refuse_after_resolution_or_nxdomain"]]
    encrypted = [url.replace("http:", "https:", 1) for url in every]

    assert {url for url in every if is_taken(url)} == set()
    assert {parse_url(url).host for url in encrypted if is_taken(url)} == NAMES
    assert len(every) > 100


def test_accepted_urls_are_parsed_as_browsers_parse_them(corpora: Path) -> None:
    accepted_count = 0
    for row in read(corpora, "whatwg_urltestdata_a.json"):
        url = reading(row["input"])
        if url is None:
            continue
        accepted_count += 1
        assert not row.get("failure"), row
        assert row["protocol"] == f"{url.scheme}:", row
        host = row["hostname"].strip("[]")
        assert host == url.host, row
        assert int(row["port"] or {"http": 80, "https": 443}[url.scheme]) == url.port, row
        assert (row["username"], row["password"], row["hash"]) == ("", "", ""), row
    assert accepted_count > 10


def is_taken(text: str) -> bool:
    try:
        refuse_url(parse_url(text), AllowList())
    except ValueError:
        return False
    return True


def reading(text: str) -> Url | None:
    try:
        return parse_url(text)
    except ValueError:
        return None


def read(corpora: Path, name: str) -> Any:
    return json.loads((corpora / "ssrf" / name).read_text())

"""The client address of a call: the connection's own, or the one reported by trusted proxies."""

import re
import secrets

import pytest
from fastapi import FastAPI

from instep.operations.ops.doctor import describe_proxies
from instep.platform.core.config import SettingsError, read_settings
from instep.platform.core.database import Database
from tests.platform.core.test_config import NO_FILE
from tests.support.wire import send, serving
from tests.support.wording import like

QUOTA = 60


def loopback_address() -> str:
    """A loopback address that no other test has called from."""
    return ".".join(["127", *(str(1 + secrets.randbelow(250)) for _ in range(3))])


def fresh_ipv4() -> str:
    return ".".join(["10", *(str(secrets.randbelow(256)) for _ in range(3))])


def fresh_prefix() -> str:
    """The first half of a new IPv6 address."""
    return f"2001:db8:{secrets.token_hex(2)}:{secrets.token_hex(2)}"


async def calls_left(port: int, *lines: str, source: str = "127.0.0.1") -> int:
    """The number of calls without a key that the server still accepts from the address it assumes."""
    fields = ["GET /v1/bots HTTP/1.1", "Host: help.test", "Connection: close", *lines]
    [answer] = await send(port, "\r\n".join([*fields, "", ""]).encode("latin-1"), source=source)
    assert answer.status in (401, 429), answer
    remaining = re.search(r"r=(\d+)", answer.headers["ratelimit"])
    assert remaining
    return int(remaining[1])


async def test_nobodys_header_is_believed_by_default(app: FastAPI, database: Database) -> None:
    source = loopback_address()
    async with serving(app, database) as port:
        counts_left = [
            await calls_left(port, f"X-Forwarded-For: {fresh_ipv4()}", source=source),
            await calls_left(port, f"Forwarded: for={fresh_ipv4()}", source=source),
            await calls_left(port, f"X-Real-IP: {fresh_ipv4()}", source=source),
        ]

    assert counts_left == [QUOTA - 1, QUOTA - 2, QUOTA - 3]


async def test_a_header_that_comes_around_the_proxy_is_not_believed(app: FastAPI, database: Database) -> None:
    proxy, stranger = loopback_address(), loopback_address()
    async with serving(app, database, trusted_proxies=proxy) as port:
        counts_left = [
            await calls_left(port, f"X-Forwarded-For: {fresh_ipv4()}", source=stranger) for _ in range(3)
        ]

    assert counts_left == [QUOTA - 1, QUOTA - 2, QUOTA - 3]


async def test_behind_a_trusted_proxy_callers_are_told_apart(app: FastAPI, database: Database) -> None:
    ann, bob = fresh_ipv4(), fresh_ipv4()
    async with serving(app, database, trusted_proxies="loopback") as port:
        counts_left = [await calls_left(port, f"X-Forwarded-For: {caller}") for caller in (ann, ann, bob)]

    assert counts_left == [QUOTA - 1, QUOTA - 2, QUOTA - 1]


async def test_addresses_before_the_entry_of_the_proxy_are_ignored(app: FastAPI, database: Database) -> None:
    ann = fresh_ipv4()
    async with serving(app, database, trusted_proxies="loopback") as port:
        counts_left = [
            await calls_left(port, f"X-Forwarded-For: {fresh_ipv4()}, 127.0.0.1, {ann}"),
            await calls_left(port, f"X-Forwarded-For: {fresh_ipv4()}", f"X-Forwarded-For: {ann}"),
            await calls_left(port, f"X-Forwarded-For: , ,{ann}"),
        ]

    assert counts_left == [QUOTA - 1, QUOTA - 2, QUOTA - 3]


async def test_through_two_trusted_proxies_the_caller_of_the_first_counts(
    app: FastAPI, database: Database
) -> None:
    ann, bob, outer = fresh_ipv4(), fresh_ipv4(), "192.0.2.7"
    async with serving(app, database, trusted_proxies="127.0.0.1, 192.0.2.0/24") as port:
        counts_left = [
            await calls_left(port, f"X-Forwarded-For: {fresh_ipv4()}, {ann}, {outer}"),
            await calls_left(port, f"X-Forwarded-For: {ann}", f"X-Forwarded-For: {outer}"),
            await calls_left(port, f"X-Forwarded-For: {bob}, {outer}"),
        ]

    assert counts_left == [QUOTA - 1, QUOTA - 2, QUOTA - 1]


async def test_a_64_network_counts_as_one_caller_and_a_mapped_address_as_ipv4(
    app: FastAPI, database: Database
) -> None:
    prefix, ann = fresh_prefix(), fresh_ipv4()
    async with serving(app, database, trusted_proxies="loopback") as port:
        one_network = [
            await calls_left(port, f"X-Forwarded-For: {spelling}")
            for spelling in (
                f"{prefix}::1",
                f"[{prefix}::2]:4711",
                f"[{prefix}:1:2:3:4]",
                f"{prefix}::3%eth0",
            )
        ]
        one_address = [
            await calls_left(port, f"X-Forwarded-For: {spelling}")
            for spelling in (ann, f"{ann}:4711", f"::ffff:{ann}", f"[::ffff:{ann}]:80")
        ]
        neighbour = await calls_left(port, f"X-Forwarded-For: {fresh_prefix()}::1")

    assert one_network == one_address == [QUOTA - 1, QUOTA - 2, QUOTA - 3, QUOTA - 4]
    assert neighbour == QUOTA - 1


async def test_invalid_address_is_skipped_for_the_hop_that_sent_it(app: FastAPI, database: Database) -> None:
    proxy = loopback_address()
    junk = ["".join(chr(33 + secrets.randbelow(94)) for _ in range(8_000)), "unknown", "1.2.3", "[", ","]
    async with serving(app, database, trusted_proxies=proxy) as port:
        counts_left = [await calls_left(port, f"X-Forwarded-For: x{text}", source=proxy) for text in junk]

    assert counts_left == [QUOTA - number for number in range(1, len(junk) + 1)]


def test_a_proxy_that_cant_be_read_is_told_in_one_sentence() -> None:
    with pytest.raises(SettingsError) as refusal:
        read_settings({"INSTEP_TRUSTED_PROXIES": "proxy.internal"}, NO_FILE)

    assert str(refusal.value) == (like("INSTEP_TRUSTED_PROXIES: proxy.internal…10.0.0.0/8…loopback"))


@pytest.mark.parametrize(
    ("settings", "line"),
    [
        ({}, r"none"),
        ({"INSTEP_SITE_URL": "https://help.example"}, r"none: .*INSTEP_TRUSTED_PROXIES"),
        (
            {"INSTEP_SITE_URL": "https://help.example", "INSTEP_TRUSTED_PROXIES": "loopback,10.1.0.0/16"},
            r"127\.0\.0\.0/8, ::1/128, 10\.1\.0\.0/16",
        ),
    ],
)
def test_the_doctor_tells_which_proxies_are_trusted(settings: dict[str, str], line: str) -> None:
    assert re.fullmatch(line, describe_proxies(read_settings(settings, NO_FILE)))

"""Calls to a chat tool are guarded like all others: vetted, timed, with a short response, no redirects."""

import asyncio
import resource
from ipaddress import ip_address
from pathlib import Path
from time import monotonic

import pytest

from instep.notifications.alerts.hooks import read_hook
from instep.notifications.alerts.schemas import Tool
from instep.notifications.alerts.sending import NotSent, send_message
from instep.platform.core import limits
from instep.platform.core.outbound.allowed import AllowList
from instep.platform.core.outbound.client import NO_RESPONSE, TOO_LARGE, UNREACHABLE, OutboundClient
from tests.notifications.alerts.chat import OPEN, Authority, Chat, Nearby, make_authority, serving
from tests.support.alert_targets import ADDRESSES
from tests.support.limits import SetLimit

TOOLS = list(ADDRESSES)
MEGABYTE = 1_000_000
UNTRUSTED = "Its certificate was refused"
# A shared machine needs this long; without the limit the call would never end.
BUSY_SECONDS = 30


@pytest.fixture(autouse=True)
def patience(set_limit: SetLimit) -> None:
    set_limit("OUTBOUND_SECONDS", BUSY_SECONDS)


async def post(caller: OutboundClient, tool: Tool = "slack") -> None:
    await send_message(caller, read_hook(ADDRESSES[tool]), "Test alert", "Hello", None)


async def failure(caller: OutboundClient, tool: Tool = "slack") -> str:
    with pytest.raises(NotSent) as refusal:
        await post(caller, tool)
    return refusal.value.message


@pytest.mark.parametrize("tool", TOOLS)
async def test_a_name_that_leads_to_a_private_address_is_not_called(chat: Chat, tool: Tool) -> None:
    assert await failure(Nearby(chat.port, AllowList()), tool) == UNREACHABLE

    assert chat.connections == 0


async def test_nothing_opens_a_metadata_service(chat: Chat) -> None:
    caller = Nearby(chat.port, OPEN, ip_address("169.254.169.254"))

    assert await failure(caller) == UNREACHABLE


async def test_there_is_one_look_up(chat: Chat, nearby: Nearby) -> None:
    await post(nearby)

    assert nearby.names == ["hooks.slack.com"]


@pytest.mark.parametrize("tool", TOOLS)
async def test_no_redirect_is_followed(chat: Chat, nearby: Nearby, authority: Authority, tool: Tool) -> None:
    async with serving(authority) as other:
        for status, place in ((302, f"https://127.0.0.1:{other.port}/"), (307, "/elsewhere")):
            chat.answer = f"HTTP/1.1 {status} Go\r\nLocation: {place}\r\nContent-Length: 0\r\n\r\n".encode()
            assert f" {status} " in await failure(nearby, tool)

    assert (len(chat.posted), other.connections) == (2, 0)


@pytest.mark.parametrize("tool", TOOLS)
async def test_a_certificate_for_another_name_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, tool: Tool
) -> None:
    authority = make_authority(tmp_path, ("another.example.com",))
    monkeypatch.setenv("SSL_CERT_FILE", str(authority.file))
    async with serving(authority) as chat:
        assert (await failure(Nearby(chat.port), tool)).startswith(UNTRUSTED)

    assert chat.posted == []


async def test_a_certificate_of_nobody_who_is_trusted_is_refused(
    authority: Authority, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SSL_CERT_FILE", raising=False)
    async with serving(authority) as chat:
        assert (await failure(Nearby(chat.port))).startswith(UNTRUSTED)

    assert chat.posted == []


async def test_a_tool_that_never_answers_is_given_up_after_the_time_limit(
    chat: Chat, nearby: Nearby, set_limit: SetLimit
) -> None:
    """Two responses with endless headers and one TLS handshake that never completes, all at once."""
    set_limit("OUTBOUND_SECONDS", 2)
    is_over = asyncio.Event()

    async def drip(writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\nX-Slow: ")
        while not is_over.is_set():
            writer.write(b"x")
            await writer.drain()
            await asyncio.sleep(0.1)

    async def keep_silent(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read()
        writer.close()

    async def timed(caller: OutboundClient, tool: Tool) -> tuple[str, float]:
        started_at = monotonic()
        return await failure(caller, tool), monotonic() - started_at

    chat.behave = drip
    silent = await asyncio.start_server(keep_silent, "127.0.0.1", 0)
    without_tls = Nearby(silent.sockets[0].getsockname()[1])
    results = await asyncio.gather(
        timed(nearby, "slack"), timed(nearby, "mattermost"), timed(without_tls, "teams")
    )
    is_over.set()
    silent.close()

    assert [message for message, _ in results] == [NO_RESPONSE] * 3
    assert all(limits.OUTBOUND_SECONDS <= seconds < BUSY_SECONDS for _, seconds in results)


@pytest.mark.parametrize("tool", TOOLS)
async def test_little_of_a_huge_answer_is_read(chat: Chat, nearby: Nearby, tool: Tool) -> None:
    sent_bytes = 0

    async def flood(writer: asyncio.StreamWriter) -> None:
        nonlocal sent_bytes
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 1000000000\r\n\r\n")
        while sent_bytes < 1_000 * MEGABYTE:
            writer.write(b"x" * MEGABYTE)
            await writer.drain()
            sent_bytes += MEGABYTE

    chat.behave = flood
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

    if tool == "slack":
        await failure(nearby, tool)
    else:
        await post(nearby, tool)

    assert sent_bytes < 20 * MEGABYTE
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 50_000


async def test_headers_without_end_are_not_read_to_theirs(chat: Chat, nearby: Nearby) -> None:
    chat.answer = b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 2 * MEGABYTE

    assert await failure(nearby) == TOO_LARGE


async def test_proxies_and_passwords_of_this_machine_are_not_used(
    chat: Chat, nearby: Nearby, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    netrc = tmp_path / ".netrc"
    netrc.write_text("machine hooks.slack.com login me password mine\n")
    for name, value in {
        "HOME": str(tmp_path),
        "NETRC": str(netrc),
        "HTTPS_PROXY": "http://127.0.0.1:9",
        "https_proxy": "http://127.0.0.1:9",
        "ALL_PROXY": "http://127.0.0.1:9",
        "NO_PROXY": "*",
    }.items():
        monkeypatch.setenv(name, value)

    await post(nearby)

    [request] = chat.posted
    assert request.headers.keys() & {"authorization", "proxy-authorization"} == set()
    assert nearby.names == ["hooks.slack.com"]


async def test_a_call_that_is_not_needed_any_more_ends(chat: Chat, nearby: Nearby) -> None:
    requested = asyncio.Event()
    closed = asyncio.Event()

    async def wait(writer: asyncio.StreamWriter) -> None:
        requested.set()
        while not writer.transport.is_closing():
            await asyncio.sleep(0.01)
        closed.set()

    chat.behave = wait
    sending = asyncio.create_task(post(nearby))
    await requested.wait()
    sending.cancel()

    async with asyncio.timeout(BUSY_SECONDS):
        await closed.wait()
    with pytest.raises(asyncio.CancelledError):
        await sending

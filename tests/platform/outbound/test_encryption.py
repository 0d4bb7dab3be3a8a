"""TLS is bound to the name, and only valid certificates are accepted."""

import asyncio
from collections.abc import Coroutine
from contextlib import AsyncExitStack
from pathlib import Path

import pytest
import uvloop

from instep.platform.core.outbound.client import INCOMPLETE, NO_TLS, NOT_HTTP, OutboundClient, Response
from tests.platform.outbound.clients import ALLOWED, BODY, leading_to, outcome
from tests.support.certificates import DAY, NAME, Authority
from tests.support.receivers import OK, Handler, answering, closing_at_once, flooding, read_request, receiving


async def test_tls_is_bound_to_the_name_and_not_to_the_address(
    client: OutboundClient, authority: Authority
) -> None:
    names = list[str | None]()
    tls = authority.serving()
    tls.sni_callback = lambda connection, name, context: names.append(name)
    async with receiving(answering(OK), tls=tls) as receiver:
        assert await client.post(f"https://{NAME}:{receiver.port}", BODY, {}) == Response(200, b"there")
        assert await client.post(f"https://127.0.0.1:{receiver.port}", BODY, {}) == Response(200, b"there")
        other = await outcome(client.post(f"https://other.example:{receiver.port}", BODY, {}))

    assert names == [NAME, None, "other.example"]
    assert "Hostname mismatch" in str(other)


async def test_no_certificate_is_taken_that_is_not_good(client: OutboundClient, authority: Authority) -> None:
    requests = list[bytes]()

    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        requests.append(await reader.read(1))

    stranger = Authority.create(authority.folder / "stranger")
    servers = {"has expired": authority.serving(ends=-DAY), "signature failure": stranger.serving()}
    for reason, tls in servers.items():
        async with receiving(handle, tls=tls) as receiver:
            result = await outcome(client.post(f"https://{NAME}:{receiver.port}", BODY, {}))
            assert str(result).startswith("Its certificate was refused: ")
            assert reason in str(result)
    assert [request for request in requests if request] == []


@pytest.mark.parametrize("handle", [closing_at_once, answering(OK)], ids=["closes", "speaks no TLS"])
async def test_response_without_tls_is_refused(client: OutboundClient, handle: Handler) -> None:
    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 400 Bad Request\r\n\r\n")
        await writer.drain()

    async with receiving(closing_at_once if handle is closing_at_once else talk) as receiver:
        assert await outcome(client.post(f"https://{NAME}:{receiver.port}", BODY, {})) == NO_TLS


async def test_tls_where_none_is_expected_is_no_answer(client: OutboundClient, authority: Authority) -> None:
    async with receiving(answering(OK), tls=authority.serving()) as receiver:
        assert await outcome(client.post(receiver.url, BODY, {})) in (INCOMPLETE, NOT_HTTP)


async def test_the_environment_changes_nothing_but_whose_certificates_are_trusted(
    monkeypatch: pytest.MonkeyPatch, authority: Authority, tmp_path: Path
) -> None:
    heads = list[bytes]()

    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        heads.append((await read_request(reader))[0])
        writer.write(OK)

    (tmp_path / ".netrc").write_text("default login somebody password secret\n")
    async with receiving(closing_at_once) as proxy, receiving(handle, tls=authority.serving()) as receiver:
        for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
            monkeypatch.setenv(name, f"http://127.0.0.1:{proxy.port}")
            monkeypatch.setenv(name.lower(), f"http://127.0.0.1:{proxy.port}")
        monkeypatch.setenv("HOME", str(tmp_path))
        monkeypatch.setenv("SSL_CERT_FILE", str(authority.file))
        client = OutboundClient(ALLOWED, leading_to("127.0.0.1"))
        assert await client.post(f"https://{NAME}:{receiver.port}", BODY, {}) == Response(200, b"there")

    assert proxy.connections == 0
    assert b"authorization" not in heads[0].lower()


def test_the_loop_of_the_server_is_as_good_as_that_of_the_worker(authority: Authority) -> None:
    """uvloop has its own TLS implementation."""

    async def call() -> list[Response | str]:
        client = OutboundClient(ALLOWED, leading_to("127.0.0.1"), authority.trust())
        huge = b"HTTP/1.1 200 OK\r\nContent-Length: 1073741824\r\n\r\n"
        async with AsyncExitStack() as stack:
            enter = stack.enter_async_context
            good = await enter(receiving(answering(OK), tls=authority.serving()))
            late = await enter(receiving(answering(OK), tls=authority.serving(ends=-DAY)))
            flood = await enter(receiving(flooding(huge, b"x" * 16_384, []), tls=authority.serving()))
            cut = await enter(receiving(closing_at_once))
            ports = [good.port, late.port, flood.port, cut.port]
            result = [await outcome(client.post(f"https://{NAME}:{port}", BODY, {})) for port in ports]
            return [*result, await outcome(client.post(cut.url, BODY, {}))]

    result = run_on_uvloop(call())
    expired = "Its certificate was refused: certificate has expired."
    assert result == [Response(200, b"there"), expired, Response(200, b"x" * 1000), NO_TLS, INCOMPLETE]


def run_on_uvloop(scene: Coroutine[None, None, list[Response | str]]) -> list[Response | str]:
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        return runner.run(scene)

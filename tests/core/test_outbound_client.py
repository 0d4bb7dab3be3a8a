"""Calls to receivers on real sockets: what arrives, what is refused, and that nothing takes long or much."""

import asyncio
import gzip
import os
import time
from collections.abc import AsyncIterator, Awaitable, Coroutine
from contextlib import AsyncExitStack
from ipaddress import IPv4Address, ip_address
from pathlib import Path

import pytest
import uvloop

from instep.core import limits
from instep.core.outbound import client
from instep.core.outbound.addresses import Address
from instep.core.outbound.allowed import AllowList, read_allow_list
from instep.core.outbound.client import (
    CUT,
    LATE,
    NO_TLS,
    NOT_HTTP,
    OUT_OF_REACH,
    TOO_LARGE,
    Answer,
    Caller,
    NoAnswer,
)
from instep.core.outbound.lookup import NoAddress, Resolver
from instep.core.outbound.urls import parse_url
from tests.outbound.certificates import DAY, NAME, Authority
from tests.outbound.receivers import (
    OK,
    Handler,
    answering,
    closing_at_once,
    dripping,
    flooding,
    full_backlog,
    read_request,
    receiving,
    silent,
)

HOME = ip_address("127.0.0.1")
ALLOWED = read_allow_list("127.0.0.0/8,plain.example")
PROMPT = 2
END = limits.OUTBOUND_SECONDS + 0.5
BODY = b'{"type": "article.published"}'
MANY = 200
MEGABYTE = 1024 * 1024
BOMB = gzip.compress(bytes(20 * MEGABYTE))


@pytest.fixture(scope="session")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return Authority.found(tmp_path_factory.mktemp("authority"))


@pytest.fixture
async def caller(authority: Authority) -> AsyncIterator[Caller]:
    made = Caller(ALLOWED, leading_to("127.0.0.1"), authority.trust())
    yield made
    await made.aclose()


class leading_to:
    """A look-up that answers with these addresses, at each question with the next of several answers."""

    def __init__(self, *answers: str) -> None:
        self.answers = list(answers)
        self.asked: list[str] = []

    async def __call__(self, host: str) -> list[Address]:
        self.asked.append(host)
        answer = self.answers[0] if len(self.answers) == 1 else self.answers.pop(0)
        return [ip_address(text) for text in answer.split()]


async def outcome(call: Awaitable[Answer]) -> Answer | str:
    try:
        return await call
    except NoAnswer as failure:
        return failure.message


async def timed(call: Awaitable[Answer]) -> tuple[Answer | str, float]:
    began = time.monotonic()
    return await outcome(call), time.monotonic() - began


async def test_the_request_arrives_as_it_was_meant_and_the_answer_comes_back(caller: Caller) -> None:
    requests = list[tuple[bytes, bytes]]()

    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        requests.append(await read_request(reader))
        writer.write(OK)

    async with receiving(handle) as receiver:
        url = f"http://Plain.example:{receiver.port}/hooks/%7Bid%7D?key=a&b"
        answer = await caller.post(url, BODY, {"service-event": "article.published"})
        await caller.post(f"http://127.0.0.1:{receiver.port}?only=query", b"", {})

    assert answer == Answer(200, b"there")
    head = (
        "POST /hooks/%7Bid%7D?key=a&b HTTP/1.1\r\n"
        f"Host: plain.example:{receiver.port}\r\n"
        f"Content-Length: {len(BODY)}\r\n"
        "Accept-Encoding: identity\r\n"
        "Connection: close\r\n"
        "service-event: article.published\r\n\r\n"
    )
    assert requests[0] == (head.encode(), BODY)
    assert requests[1][0].startswith(b"POST /?only=query HTTP/1.1\r\n")


@pytest.mark.parametrize(
    ("sent", "expected"),
    [
        (b"HTTP/1.1 204 No Content\r\n\r\n", Answer(204, b"")),
        (b"HTTP/1.1 500 No\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nno\r\n0\r\n\r\n", Answer(500, b"no")),
        (b"HTTP/1.0 200 OK\r\n\r\nuntil the end", Answer(200, b"until the end")),
        (b"HTTP/1.1 103 Early Hints\r\n\r\n" + OK, Answer(200, b"there")),
        (b"HTTP/1.1 410 Gone\r\nContent-Length: 2000\r\n\r\n" + b"x" * 2000, Answer(410, b"x" * 1000)),
    ],
    ids=["without body", "chunked", "without length", "after a hint", "longer than what is kept"],
)
async def test_an_answer_is_read_whatever_its_status_and_framing(
    caller: Caller, sent: bytes, expected: Answer
) -> None:
    async with receiving(answering(sent)) as receiver:
        assert await caller.post(receiver.url, BODY, {}) == expected


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
async def test_no_redirect_is_followed(caller: Caller, status: int) -> None:
    async with receiving(answering(OK)) as target:
        head = f"HTTP/1.1 {status} Elsewhere\r\nLocation: {target.url}\r\nContent-Length: 0\r\n\r\n"
        async with receiving(answering(head.encode())) as receiver:
            assert await caller.post(receiver.url, BODY, {}) == Answer(status, b"")
        assert target.connections == 0


@pytest.mark.parametrize(
    ("handle", "message"),
    {
        "closes at once": (closing_at_once, CUT),
        "closes after the request": (answering(), CUT),
        "closes within the headers": (answering(b"HTTP/1.1 200 OK\r\nContent-"), CUT),
        "closes within the body": (answering(OK[:-1]), CUT),
        "closes within a chunk": (
            answering(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n9\r\nhalf"),
            CUT,
        ),
        "is no web server": (answering(b"SSH-2.0-OpenSSH_9.9\r\n\r\n"), NOT_HTTP),
        "speaks HTTP/2": (answering(b"HTTP/2 200 OK\r\n\r\n"), NOT_HTTP),
        "is garbage": (answering(bytes(range(256)) * 8 + b"\r\n\r\n"), NOT_HTTP),
        "has two lengths": (
            answering(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nthere"),
            NOT_HTTP,
        ),
        "has a bad chunk": (
            answering(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nthere"),
            NOT_HTTP,
        ),
        "switches protocols": (answering(b"HTTP/1.1 101 Other\r\nUpgrade: other\r\n\r\n"), NOT_HTTP),
        "has a header of 10 MB": (
            answering(b"HTTP/1.1 200 OK\r\nX-Long: ", *[b"x" * MEGABYTE] * 10, b"\r\n\r\n"),
            TOO_LARGE,
        ),
        "has 10 MB of headers": (
            answering(b"HTTP/1.1 200 OK\r\n", *[b"X-Other: x\r\n" * 80_000] * 10, b"\r\n"),
            TOO_LARGE,
        ),
        "hints 2,000 times": (answering(b"HTTP/1.1 103 Early Hints\r\n\r\n" * 2_000 + OK), TOO_LARGE),
    }.values(),
)
async def test_what_is_no_whole_answer_is_none_and_told_at_once(
    caller: Caller, handle: Handler, message: str
) -> None:
    async with receiving(handle) as receiver:
        told, seconds = await timed(caller.post(receiver.url, BODY, {}))
    assert told == message
    assert seconds < PROMPT


async def test_a_huge_body_is_cut_and_a_compressed_one_left_as_it_is(caller: Caller) -> None:
    sent = list[int]()
    huge = b"HTTP/1.1 200 OK\r\nContent-Length: 1073741824\r\n\r\n"
    async with receiving(flooding(huge, b"x" * 16_384, sent)) as receiver:
        told, seconds = await timed(caller.post(receiver.url, BODY, {}))
    assert (told, seconds < PROMPT) == (Answer(200, b"x" * 1000), True)
    # What the system took for sending, before it heard that nobody reads on.
    assert sum(sent) < 16 * MEGABYTE

    head = f"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: {len(BOMB)}\r\n\r\n"
    async with receiving(answering(head.encode(), BOMB)) as receiver:
        assert await caller.post(receiver.url, BODY, {}) == Answer(200, BOMB[:1000])


async def test_a_body_is_read_up_to_its_limit_and_not_waited_for(caller: Caller) -> None:
    head = b"HTTP/1.1 200 OK\r\nContent-Length: 20000\r\n\r\n"
    async with receiving(dripping(head + b"x" * limits.ANSWER_BYTES, b"", every=60)) as receiver:
        told, seconds = await timed(caller.post(receiver.url, BODY, {}))
    assert (told, seconds < PROMPT) == (Answer(200, b"x" * 1000), True)


async def test_framing_that_is_larger_than_the_body_ends_the_reading_too(caller: Caller) -> None:
    chunked = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
    async with receiving(flooding(chunked, b"1;ext=0123456789abcdef\r\nx\r\n" * 100, [])) as receiver:
        told, seconds = await timed(caller.post(receiver.url, BODY, {}))
    assert (told, seconds < PROMPT) == (Answer(200, b"x" * 1000), True)


async def test_an_early_refusal_of_a_large_body_is_an_answer(caller: Caller) -> None:
    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 413 Too Large\r\nContent-Length: 0\r\n\r\n")
        await writer.drain()
        await reader.read()

    async with receiving(handle) as receiver:
        assert await caller.post(receiver.url, b"x" * 10 * MEGABYTE, {}) == Answer(413, b"")


async def test_every_slow_receiver_is_left_when_the_time_is_over(caller: Caller) -> None:
    """All at once, in real time: each call ends by itself, and those before the limit are answered."""
    began = 0.0

    def answering_at(seconds: float) -> Handler:
        async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await read_request(reader)
            await asyncio.sleep(began + seconds - time.monotonic())
            writer.write(OK)

        return handle

    head = b"HTTP/1.1 200 OK\r\n"
    zoo: dict[str, tuple[Handler, Answer | str]] = {
        "answers after 9.9 s": (answering_at(9.9), Answer(200, b"there")),
        "answers after 10.1 s": (answering_at(10.1), LATE),
        "says nothing": (silent, LATE),
        "drips headers": (dripping(head + b"X-Slow: ", b"x"), LATE),
        "drips hints": (dripping(b"", b"HTTP/1.1 103 Early Hints\r\n\r\n"), LATE),
        "drips a body": (
            dripping(head + b"Content-Length: 5000\r\n\r\nx", b"y", every=4),
            Answer(200, b"xyyy"),
        ),
        "drips a refusal": (
            dripping(b"HTTP/1.1 503 No\r\nContent-Length: 5000\r\n\r\nno", b"!", every=4),
            Answer(503, b"no!!!"),
        ),
    }
    async with AsyncExitStack() as stack:
        expected = [answer for _, answer in zoo.values()]
        calls = [
            caller.post((await stack.enter_async_context(receiving(handle))).url, BODY, {})
            for handle, _ in zoo.values()
        ]
        never_read = await stack.enter_async_context(receiving(silent))
        calls.append(caller.post(never_read.url, b"x" * 5 * MEGABYTE, {}))
        no_handshake = await stack.enter_async_context(receiving(silent))
        calls.append(caller.post(f"https://{NAME}:{no_handshake.port}", BODY, {}))
        full = stack.enter_context(full_backlog())
        calls.append(caller.post(f"http://127.0.0.1:{full}", BODY, {}))
        calls.append(Caller(ALLOWED, hanging).post("https://unknown.example", BODY, {}))
        began = time.monotonic()
        told = await asyncio.gather(*map(timed, calls))

    assert [answer for answer, _ in told] == [*expected, LATE, LATE, LATE, LATE]
    assert max(seconds for _, seconds in told) < END


async def hanging(host: str) -> list[Address]:
    await asyncio.Event().wait()
    return []


async def test_an_address_that_stays_silent_holds_up_the_others_for_a_moment_only(caller: Caller) -> None:
    async with receiving(answering(OK), host="127.0.0.2") as receiver:
        caller.lookup = leading_to("::1 127.0.0.2")
        caller.allow = read_allow_list("127.0.0.0/8,::1/128,plain.example")
        assert (await timed(caller.post(f"http://plain.example:{receiver.port}", BODY, {})))[1] < PROMPT

    with full_backlog() as port:
        async with receiving(answering(OK), host="127.0.0.2", port=port) as receiver:
            caller.lookup = leading_to("127.0.0.1 127.0.0.2")
            told, seconds = await timed(caller.post(f"http://plain.example:{port}", BODY, {}))
    assert (told, seconds < PROMPT) == (Answer(200, b"there"), True)


@pytest.mark.parametrize(
    "answer",
    ["10.0.0.1", "127.0.0.1 8.8.8.8", "8.8.8.8 127.0.0.1", "::ffff:127.0.0.1", "2606:4700::1 ::1", "fd00::1"],
)
async def test_one_address_that_is_not_public_refuses_all(
    monkeypatch: pytest.MonkeyPatch, answer: str
) -> None:
    async def dial(addresses: list[Address], port: int) -> None:
        pytest.fail(f"a connection to {addresses}")

    monkeypatch.setattr(client, "dial", dial)
    lookup = leading_to(answer)

    assert await outcome(Caller(AllowList(), lookup).post("https://example.com", BODY, {})) == OUT_OF_REACH
    assert lookup.asked == ["example.com"]


async def test_a_name_is_looked_up_once_for_each_post_and_vetted_each_time(authority: Authority) -> None:
    lookup = leading_to("127.0.0.1", "127.0.0.1", "10.0.0.1", "127.0.0.1")
    caller = Caller(ALLOWED, lookup, authority.trust())
    async with receiving(answering(OK), tls=authority.serving()) as receiver:
        told = [await outcome(caller.post(f"https://{NAME}:{receiver.port}", BODY, {})) for _ in range(4)]

    assert told == [Answer(200, b"there")] * 2 + [OUT_OF_REACH] + [Answer(200, b"there")]
    assert (lookup.asked, receiver.connections) == ([NAME] * 4, 3)


async def test_an_address_in_the_place_of_a_name_is_vetted_without_a_look_up() -> None:
    lookup = leading_to("8.8.8.8")
    async with receiving(answering(OK)) as receiver:
        for url in (receiver.url, f"https://127.0.0.1:{receiver.port}", f"https://[::1]:{receiver.port}"):
            assert await outcome(Caller(AllowList(), lookup).post(url, BODY, {})) == OUT_OF_REACH

    assert (lookup.asked, receiver.connections) == ([], 0)


async def test_an_address_that_registration_refuses_is_refused_at_each_call_too(caller: Caller) -> None:
    async with receiving(answering(OK)) as receiver:
        for host in (
            "other.example",
            "user@plain.example",
            "127.1",
            "plain.example.",
            "[::ffff:127.0.0.1%1]",
        ):
            assert await outcome(caller.post(f"http://{host}:{receiver.port}", BODY, {})) == OUT_OF_REACH
        assert await outcome(caller.post(f"https://localhost:{receiver.port}", BODY, {})) == OUT_OF_REACH
    assert receiver.connections == 0


async def test_nobody_learns_whether_a_host_is_forbidden_unknown_or_closed(caller: Caller) -> None:
    async def unknown(host: str) -> list[Address]:
        raise NoAddress

    async with receiving(answering(OK)) as receiver:
        closed = receiver.port
    told = {
        await outcome(caller.post(f"http://127.0.0.1:{closed}", BODY, {})),
        await outcome(caller.post("https://10.0.0.1", BODY, {})),
        await outcome(Caller(ALLOWED, leading_to("10.0.0.1")).post("https://inner.example", BODY, {})),
        await outcome(Caller(ALLOWED, leading_to("")).post("https://empty.example", BODY, {})),
        await outcome(Caller(ALLOWED, unknown).post("https://unknown.example", BODY, {})),
        await outcome(caller.post("http://user@plain.example", BODY, {})),
        await outcome(caller.post("http://other.example", BODY, {})),
        await outcome(caller.post("https://plain.example:22", BODY, {})),
    }
    assert told == {OUT_OF_REACH}


async def test_a_connection_for_a_tunnel_is_vetted_in_the_same_way(caller: Caller) -> None:
    async with receiving(answering(OK)) as receiver:
        reader, writer = await caller.connect(parse_url(f"https://{NAME}:{receiver.port}"))
        writer.write(b"POST / HTTP/1.1\r\nContent-Length: 0\r\n\r\n")
        assert await reader.read() == OK
        writer.close()
        caller.lookup = leading_to("127.0.0.1 10.0.0.1")
        with pytest.raises(NoAnswer, match=OUT_OF_REACH):
            await caller.connect(parse_url(f"https://{NAME}:{receiver.port}"))
        assert receiver.connections == 1


async def test_tls_is_bound_to_the_name_and_not_to_the_address(caller: Caller, authority: Authority) -> None:
    names = list[str | None]()
    tls = authority.serving()
    tls.sni_callback = lambda connection, name, context: names.append(name)
    async with receiving(answering(OK), tls=tls) as receiver:
        assert await caller.post(f"https://{NAME}:{receiver.port}", BODY, {}) == Answer(200, b"there")
        assert await caller.post(f"https://127.0.0.1:{receiver.port}", BODY, {}) == Answer(200, b"there")
        other = await outcome(caller.post(f"https://other.example:{receiver.port}", BODY, {}))

    assert names == [NAME, None, "other.example"]
    assert str(other).startswith("Its certificate was refused: Hostname mismatch")


async def test_no_certificate_is_taken_that_is_not_good(caller: Caller, authority: Authority) -> None:
    requests = list[bytes]()

    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        requests.append(await reader.read(1))

    stranger = Authority.found(authority.folder / "stranger")
    servers = {"has expired": authority.serving(ends=-DAY), "signature failure": stranger.serving()}
    for reason, tls in servers.items():
        async with receiving(handle, tls=tls) as receiver:
            told = await outcome(caller.post(f"https://{NAME}:{receiver.port}", BODY, {}))
            assert str(told).startswith("Its certificate was refused: ")
            assert reason in str(told)
    assert [request for request in requests if request] == []


@pytest.mark.parametrize("handle", [closing_at_once, answering(OK)], ids=["closes", "speaks no TLS"])
async def test_what_speaks_no_tls_is_no_answer(caller: Caller, handle: Handler) -> None:
    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 400 Bad Request\r\n\r\n")
        await writer.drain()

    async with receiving(closing_at_once if handle is closing_at_once else talk) as receiver:
        assert await outcome(caller.post(f"https://{NAME}:{receiver.port}", BODY, {})) == NO_TLS


async def test_tls_where_none_is_expected_is_no_answer(caller: Caller, authority: Authority) -> None:
    async with receiving(answering(OK), tls=authority.serving()) as receiver:
        assert await outcome(caller.post(receiver.url, BODY, {})) in (CUT, NOT_HTTP)


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
        caller = Caller(ALLOWED, leading_to("127.0.0.1"))
        assert await caller.post(f"https://{NAME}:{receiver.port}", BODY, {}) == Answer(200, b"there")

    assert proxy.connections == 0
    assert b"authorization" not in heads[0].lower()


async def test_hosts_of_this_machine_are_found_and_names_that_are_nobodys_are_not() -> None:
    resolver = Resolver()
    assert IPv4Address("127.0.0.1") in await resolver.find_addresses("localhost")
    with pytest.raises(NoAddress):
        await resolver.find_addresses("nobodys.invalid")
    await resolver.aclose()


async def test_a_call_that_is_given_up_leaves_nothing_open(caller: Caller, authority: Authority) -> None:
    before = open_files()
    async with receiving(silent) as receiver, receiving(silent, tls=authority.serving()) as encrypted:
        with full_backlog() as full:
            urls = [receiver.url, f"https://{NAME}:{encrypted.port}", f"https://{NAME}:{receiver.port}"]
            for url in (*urls, f"http://127.0.0.1:{full}"):
                with pytest.raises(TimeoutError):
                    await asyncio.wait_for(caller.post(url, BODY, {}), timeout=0.1)
    assert await files_left(before) <= before


async def test_many_huge_answers_leave_no_memory_and_no_file_behind(caller: Caller) -> None:
    huge = b"HTTP/1.1 200 OK\r\nContent-Length: 1073741824\r\n\r\n"
    bomb = f"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: {len(BOMB)}\r\n\r\n".encode()
    header = b"HTTP/1.1 200 OK\r\nX-Long: "
    async with AsyncExitStack() as stack:
        floods = [flooding(head, b"x" * 16_384, []) for head in (huge, header)]
        receivers = [
            await stack.enter_async_context(receiving(handle)) for handle in (*floods, answering(bomb, BOMB))
        ]

        async def call_all(times: int) -> None:
            for _ in range(times):
                await asyncio.gather(*(outcome(caller.post(each.url, BODY, {})) for each in receivers))

        await call_all(20)
        memory, files = resident_bytes(), open_files()
        await call_all(MANY)
        assert resident_bytes() - memory < 20 * MEGABYTE
        assert await files_left(files) <= files


def test_the_loop_of_the_server_is_as_good_as_that_of_the_worker(authority: Authority) -> None:
    """uvloop has a TLS of its own."""

    async def call() -> list[Answer | str]:
        caller = Caller(ALLOWED, leading_to("127.0.0.1"), authority.trust())
        huge = b"HTTP/1.1 200 OK\r\nContent-Length: 1073741824\r\n\r\n"
        async with AsyncExitStack() as stack:
            enter = stack.enter_async_context
            good = await enter(receiving(answering(OK), tls=authority.serving()))
            late = await enter(receiving(answering(OK), tls=authority.serving(ends=-DAY)))
            flood = await enter(receiving(flooding(huge, b"x" * 16_384, []), tls=authority.serving()))
            cut = await enter(receiving(closing_at_once))
            ports = [good.port, late.port, flood.port, cut.port]
            told = [await outcome(caller.post(f"https://{NAME}:{port}", BODY, {})) for port in ports]
            return [*told, await outcome(caller.post(cut.url, BODY, {}))]

    told = run_on_uvloop(call())
    expired = "Its certificate was refused: certificate has expired."
    assert told == [Answer(200, b"there"), expired, Answer(200, b"x" * 1000), NO_TLS, CUT]


def run_on_uvloop(scene: Coroutine[None, None, list[Answer | str]]) -> list[Answer | str]:
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        return runner.run(scene)


async def files_left(most: int) -> int:
    """How many files are open once the loop has closed what it was told to."""
    for _ in range(MANY):
        if open_files() <= most:
            break
        await asyncio.sleep(0)
    return open_files()


def open_files() -> int:
    return len(os.listdir("/proc/self/fd"))


def resident_bytes() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")

"""DNS names that change their addresses, in a separate network: `make test-outbound`.

One machine in this network has public addresses of the internet and private ones, an attacker's name server,
and listeners that count connections. No connection may reach a private address.
"""

import asyncio
import json
import os
import socket
import ssl
import subprocess
import sys
import tempfile
import time
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass
from ipaddress import ip_address
from itertools import cycle, islice
from pathlib import Path
from typing import Any, NoReturn

from instep.platform.core import limits
from instep.platform.core.outbound.allowed import AllowList
from instep.platform.core.outbound.client import UNREACHABLE, OutboundClient, RequestFailed, Response
from instep.platform.core.outbound.networks import is_public, without_mapping
from tests.support.certificates import Authority
from tests.support.nameserver import AAAA, NO_SUCH_NAME, A, NameServer, Records
from tests.support.receivers import read_request

POSTS = 10_000
AT_ONCE = 20
BACKLOG = 1_000
REPEATED_BY_CHANCE = 50
SILENT_POSTS = 8
DOMAIN = "rebinding.example"
PUBLIC = ["93.184.216.34", "2606:2800:220:1::1"]
PUBLIC_4, PUBLIC_6 = PUBLIC
INNER = ["127.0.0.1", "10.0.0.5", "169.254.169.254", "192.168.1.1", "100.64.0.1", "::1", "fd00::1"]
MAPPED = "::ffff:10.0.0.5"
CORPUS = Path(__file__).parents[4] / "shared" / "data" / "corpora" / "ssrf" / "addresses.json"
# Not allocated yet, so it is refused although the collection allows it.
NOT_GIVEN_OUT = {"64:ff9c::1"}
REFUSED_CODE = 5
OUTER_HOST, INNER_HOST = f"outer-host.{DOMAIN}", f"inner-host.{DOMAIN}"
BODY = b'{"type": "article.published"}'
INSIDE = "inside"


@dataclass(frozen=True)
class Name:
    """The records of a name at the first question and later; `reaches` is the address to be reached."""

    first: Records | None
    later: Records | None
    reaches: str | None


def steady(records: Records | None, reaches: str | None = None) -> Name:
    return Name(records, records, reaches)


KINDS = {
    "public at first, then inner": Name(Records(PUBLIC[:1]), Records(["127.0.0.1"]), PUBLIC_4),
    "public at first, then inner, v6": Name(Records(PUBLIC[1:]), Records(["::1"]), PUBLIC_6),
    "inner at first, then public": Name(Records(["127.0.0.1"]), Records(PUBLIC), None),
    "public and inner": steady(Records([PUBLIC_4, "10.0.0.5"])),
    "public v4, inner v6": steady(Records([PUBLIC_4, "fd00::1"])),
    "inner v4, public v6": steady(Records(["192.168.1.1", PUBLIC_6])),
    "public v4, mapped inner v4": steady(Records([PUBLIC_4, MAPPED])),
    "a metadata service": steady(Records(["169.254.169.254"])),
    "an alias of an inner name": steady(Records(["10.0.0.5"], alias=f"inner.{DOMAIN}")),
    "an alias of a public name": steady(Records([PUBLIC_4], alias=f"outer.{DOMAIN}"), PUBLIC_4),
    "no such name": steady(Records(code=NO_SUCH_NAME)),
    "a name without addresses": steady(Records()),
    "a name server that refuses": steady(Records(code=REFUSED_CODE)),
}
SILENT = steady(None)
# One name for many posts; it is public at every second question.
TURNING = f"turning.{DOMAIN}"


class Listener:
    """Serves connections and counts them by the address that they reached."""

    def __init__(self, tls: ssl.SSLContext) -> None:
        self.tls = tls
        self.connections = Counter[str]()
        self.requests = Counter[str]()
        self.tasks = set[asyncio.Task[None]]()

    async def accept(self) -> None:
        loop = asyncio.get_running_loop()
        with socket.create_server(
            ("::", 443), family=socket.AF_INET6, dualstack_ipv6=True, backlog=1000
        ) as door:
            door.setblocking(False)
            while True:
                caller, _ = await loop.sock_accept(door)
                address = without_mapping(ip_address(caller.getsockname()[0]))
                self.connections[str(address)] += 1
                task = asyncio.create_task(self.serve(caller))
                self.tasks.add(task)
                task.add_done_callback(self.tasks.discard)

    async def serve(self, caller: socket.socket) -> None:
        reader = asyncio.StreamReader()
        protocol = asyncio.StreamReaderProtocol(reader)
        loop = asyncio.get_running_loop()
        try:
            transport, _ = await loop.connect_accepted_socket(lambda: protocol, caller, ssl=self.tls)
        except OSError:
            return
        writer = asyncio.StreamWriter(transport, protocol, reader, loop)
        with suppress(OSError, asyncio.IncompleteReadError):
            head, _ = await read_request(reader)
            self.requests[head.split(b"Host: ")[1].split(b"\r\n")[0].decode()] += 1
            writer.write(b"HTTP/1.1 204 No Content\r\n\r\n")
            await writer.drain()
            writer.close()


class Trial:
    """The attacker's name server, the listeners, and the client under test."""

    def __init__(self, authority: Authority) -> None:
        self.names = dict[str, Name]()
        self.nameserver = NameServer(self.zone)
        self.listener = Listener(authority.serving(f"*.{DOMAIN}"))
        self.client = OutboundClient(AllowList(), trust=authority.trust())
        self.places = asyncio.Semaphore(AT_ONCE)

    def zone(self, name: str, asked_before: int) -> Records | None:
        if name == TURNING:
            return Records(["10.0.0.5", "fd00::1"] if asked_before % 2 else PUBLIC)
        if name not in self.names:
            return Records(code=NO_SUCH_NAME)
        return self.names[name].later if asked_before else self.names[name].first

    async def post(self, host: str) -> bool:
        """Return True if there was a response; otherwise check that the error gives no reason."""
        try:
            async with self.places:
                answer = await self.client.post(f"https://{host}/hooks", BODY, {})
        except RequestFailed as failure:
            message = failure.message
        else:
            return answer == Response(204, b"")
        assert message == UNREACHABLE, (host, message)
        return False

    def question_counts(self, host: str) -> tuple[int, int]:
        return self.nameserver.questions[host, A], self.nameserver.questions[host, AAAA]


async def main(folder: Path) -> None:
    trial = Trial(Authority.create(folder))
    await asyncio.get_running_loop().create_datagram_endpoint(
        lambda: trial.nameserver, local_addr=("127.0.0.1", 53)
    )
    accepting = asyncio.create_task(trial.listener.accept())
    await rebind(trial)
    await stay_silent(trial)
    await keep_to_the_name(trial)
    await try_every_address(trial)
    await ask_again(trial)
    accepting.cancel()
    await trial.client.aclose()


async def rebind(trial: Trial) -> None:
    """Send thousands of posts to names whose addresses change from question to question."""
    kinds = list(islice(cycle([*KINDS, TURNING]), POSTS))
    hosts = [TURNING if kind == TURNING else f"n{number}.{DOMAIN}" for number, kind in enumerate(kinds)]
    trial.names |= {host: KINDS[kind] for host, kind in zip(hosts, kinds, strict=True) if kind in KINDS}
    began, used = time.monotonic(), time.process_time()
    has_answer = await asyncio.gather(*map(trial.post, hosts))
    seconds, used = time.monotonic() - began, time.process_time() - used

    for host, is_answered in zip(hosts, has_answer, strict=True):
        if host != TURNING:
            expected = trial.names[host].reaches is not None
            assert (is_answered, trial.listener.requests[host], trial.question_counts(host)) == (
                expected,
                is_answered,
                (1, 1),
            ), host
    # Some questions for this name can reuse the number of an earlier one and so count as repeated.
    turns, reached = hosts.count(TURNING), trial.listener.requests[TURNING]
    assert (
        turns - REPEATED_BY_CHANCE
        < min(trial.question_counts(TURNING))
        <= max(trial.question_counts(TURNING))
        <= turns
    )
    assert reached == sum(
        is_answered for host, is_answered in zip(hosts, has_answer, strict=True) if host == TURNING
    )
    assert 0 < reached < turns
    hold_to_public(trial)

    tell(kinds, has_answer)
    question_count, repeated = trial.nameserver.questions.total(), trial.nameserver.repeated
    print(f"{POSTS:,} posts in {seconds:.0f} s, {1000 * used / POSTS:.1f} ms of CPU each, all sides together")
    print(
        f"{question_count + repeated:,} questions, {repeated:,} of them repeated: "
        "one A and one AAAA for each post"
    )
    print(f"connections: {dict(trial.listener.connections)}; to addresses that are not public: 0")


def hold_to_public(trial: Trial) -> None:
    """No connection reached a private address, and the system's own counter shows no attempt."""
    connections = trial.listener.connections
    assert all(is_public(ip_address(address)) for address in connections), connections
    assert connections_begun() == connections.total()


def connections_begun() -> int:
    """The number of TCP connections begun in this network, successful or not."""
    names, values = [
        line.split() for line in Path("/proc/net/snmp").read_text().splitlines() if line[:4] == "Tcp:"
    ]
    return int(dict(zip(names, values, strict=True))["ActiveOpens"])


async def stay_silent(trial: Trial) -> None:
    hosts = [f"silent{number}.{DOMAIN}" for number in range(SILENT_POSTS)]
    trial.names |= dict.fromkeys(hosts, SILENT)
    began = time.monotonic()
    has_answer = await asyncio.gather(*map(trial.post, hosts))
    seconds = time.monotonic() - began
    assert not any(has_answer)
    assert seconds < limits.DNS_LOOKUP_SECONDS + 0.5
    hold_to_public(trial)
    print(f"a silent name server: {SILENT_POSTS} posts ended after {seconds:.1f} s, none connected")


async def ask_again(trial: Trial) -> None:
    """A name without an address is looked up again soon, although the result is cached."""
    host = f"healing.{DOMAIN}"
    trial.names[host] = Name(Records(), Records(PUBLIC), PUBLIC_4)
    assert not await trial.post(host)
    limits.MAX_DNS_CACHE_SECONDS = 0
    assert await trial.post(host)
    hold_to_public(trial)
    print("a name that had no address is asked for again")


async def keep_to_the_name(trial: Trial) -> None:
    """No search domain is tried, and addresses from the hosts file are vetted like any others."""
    trial.names[f"unknown.example.{DOMAIN}"] = steady(Records([PUBLIC_4]), PUBLIC_4)
    assert not await trial.post("unknown.example")
    assert trial.question_counts("unknown.example") == (1, 1)
    assert trial.question_counts(f"unknown.example.{DOMAIN}") == (0, 0)
    for host, expected in (OUTER_HOST, True), (INNER_HOST, False):
        assert (await trial.post(host), trial.question_counts(host)) == (expected, (0, 0))
    hold_to_public(trial)
    print("no search domain is tried; the hosts of /etc/hosts are vetted, too")


async def try_every_address(trial: Trial) -> None:
    """Try each address of the collection, both in a name server's answer and in place of a name."""
    rows = read_corpus()
    if not rows:
        print(f"the addresses of {CORPUS.name} were not tried, since there is no file {CORPUS}")
        return
    for number, row in enumerate(rows):
        named, literal = f"row{number}.{DOMAIN}", ip_address(row["ip"])
        trial.names[named] = steady(Records([row["ip"]]))
        expected = int(not row["block"] and row["ip"] not in NOT_GIVEN_OUT)
        assert await knock(trial, named) == expected, row
        assert trial.listener.requests[named] == expected, row
        # The certificate is valid for names only, so a public address gets a connection but no post.
        assert await knock(trial, f"[{literal}]" if literal.version == 6 else str(literal)) == expected, row
    hold_to_public(trial)
    blocked = sum(row["block"] for row in rows)
    print(f"addresses.json: {blocked} to block, 0 connections; {len(rows) - blocked} others, as they should")


async def knock(trial: Trial, host: str) -> int:
    """The number of connections made by one post."""
    before = trial.listener.connections.total()
    with suppress(RequestFailed):
        await trial.client.post(f"https://{host}/hooks", BODY, {})
    return trial.listener.connections.total() - before


def tell(kinds: list[str], has_answer: list[bool]) -> None:
    posts, reached = (
        Counter(kinds),
        Counter(kind for kind, is_answered in zip(kinds, has_answer, strict=True) if is_answered),
    )
    print(f"{'what the name leads to':<36}{'posts':>8}{'answers':>9}{'refused':>9}")
    for kind in posts:
        label = "by turns public and inner" if kind == TURNING else kind
        print(f"{label:<36}{posts[kind]:>8,}{reached[kind]:>9,}{posts[kind] - reached[kind]:>9,}")


def read_corpus() -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = json.loads(CORPUS.read_text()) if CORPUS.exists() else []
    return rows


def isolate() -> NoReturn:
    """Restart the program in a network and mount namespace of its own."""
    user = [] if os.geteuid() == 0 else ["--user", "--map-root-user"]
    inside = [sys.executable, "-m", "tests.platform.outbound.rebinding", INSIDE]
    os.execvp("unshare", ["unshare", *user, "--net", "--mount", *inside])


def furnish(folder: Path) -> None:
    """Set up the network: one machine has all addresses and asks the attacker's name server."""
    addresses = [*PUBLIC, *INNER, *(row["ip"] for row in read_corpus())]
    lines = [f"address add {address} dev lo" for address in addresses if address not in ("127.0.0.1", "::1")]
    # Some can't belong to a machine, such as multicast addresses.
    subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
    subprocess.run(
        ["ip", "-force", "-batch", "-"], input="\n".join(lines), text=True, capture_output=True, check=False
    )
    hosts = f"127.0.0.1 localhost\n{PUBLIC_4} {OUTER_HOST}\n10.0.0.5 {INNER_HOST}\n"
    for name, text in {"resolv.conf": f"nameserver 127.0.0.1\nsearch {DOMAIN}\n", "hosts": hosts}.items():
        (folder / name).write_text(text)
        subprocess.run(["mount", "--bind", folder / name, f"/etc/{name}"], check=True)


if __name__ == "__main__":
    if sys.argv[1:] != [INSIDE]:
        isolate()
    with tempfile.TemporaryDirectory() as temporary:
        furnish(Path(temporary))
        asyncio.run(main(Path(temporary)))

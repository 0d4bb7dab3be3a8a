"""Every call goes to a vetted address, and a refusal reveals nothing about the private network."""

from ipaddress import IPv4Address

import pytest

from instep.platform.core.outbound import client
from instep.platform.core.outbound.allowed import AllowList
from instep.platform.core.outbound.client import UNREACHABLE, OutboundClient, Response
from instep.platform.core.outbound.lookup import NoAddress, Resolver
from instep.platform.core.outbound.networks import Address
from tests.platform.outbound.clients import ALLOWED, BODY, leading_to, outcome
from tests.support.certificates import NAME, Authority
from tests.support.receivers import OK, answering, receiving


@pytest.mark.parametrize(
    "answer",
    ["10.0.0.1", "127.0.0.1 8.8.8.8", "8.8.8.8 127.0.0.1", "::ffff:127.0.0.1", "2606:4700::1 ::1", "fd00::1"],
)
async def test_one_address_that_is_not_public_refuses_all(
    monkeypatch: pytest.MonkeyPatch, answer: str
) -> None:
    async def dial(addresses: list[Address], port: int) -> None:
        pytest.fail(f"a connection to {addresses}")

    monkeypatch.setattr(client, "connect", dial)
    lookup = leading_to(answer)

    assert (
        await outcome(OutboundClient(AllowList(), lookup).post("https://example.com", BODY, {}))
        == UNREACHABLE
    )
    assert lookup.hosts == ["example.com"]


async def test_a_name_is_looked_up_once_for_each_post_and_vetted_each_time(authority: Authority) -> None:
    lookup = leading_to("127.0.0.1", "127.0.0.1", "10.0.0.1", "127.0.0.1")
    client = OutboundClient(ALLOWED, lookup, authority.trust())
    async with receiving(answering(OK), tls=authority.serving()) as receiver:
        results = [await outcome(client.post(f"https://{NAME}:{receiver.port}", BODY, {})) for _ in range(4)]

    assert results == [Response(200, b"there")] * 2 + [UNREACHABLE] + [Response(200, b"there")]
    assert (lookup.hosts, receiver.connections) == ([NAME] * 4, 3)


async def test_an_address_in_the_place_of_a_name_is_vetted_without_a_look_up() -> None:
    lookup = leading_to("8.8.8.8")
    async with receiving(answering(OK)) as receiver:
        for url in (receiver.url, f"https://127.0.0.1:{receiver.port}", f"https://[::1]:{receiver.port}"):
            assert await outcome(OutboundClient(AllowList(), lookup).post(url, BODY, {})) == UNREACHABLE

    assert (lookup.hosts, receiver.connections) == ([], 0)


async def test_an_address_that_registration_refuses_is_refused_at_each_call_too(
    client: OutboundClient,
) -> None:
    async with receiving(answering(OK)) as receiver:
        for host in (
            "other.example",
            "user@plain.example",
            "127.1",
            "plain.example.",
            "[::ffff:127.0.0.1%1]",
        ):
            assert await outcome(client.post(f"http://{host}:{receiver.port}", BODY, {})) == UNREACHABLE
        assert await outcome(client.post(f"https://localhost:{receiver.port}", BODY, {})) == UNREACHABLE
    assert receiver.connections == 0


async def test_forbidden_unknown_and_closed_hosts_have_the_same_error(client: OutboundClient) -> None:
    async def unknown(host: str) -> list[Address]:
        raise NoAddress

    async with receiving(answering(OK)) as receiver:
        closed = receiver.port
    results = {
        await outcome(client.post(f"http://127.0.0.1:{closed}", BODY, {})),
        await outcome(client.post("https://10.0.0.1", BODY, {})),
        await outcome(
            OutboundClient(ALLOWED, leading_to("10.0.0.1")).post("https://inner.example", BODY, {})
        ),
        await outcome(OutboundClient(ALLOWED, leading_to("")).post("https://empty.example", BODY, {})),
        await outcome(OutboundClient(ALLOWED, unknown).post("https://unknown.example", BODY, {})),
        await outcome(client.post("http://user@plain.example", BODY, {})),
        await outcome(client.post("http://other.example", BODY, {})),
        await outcome(client.post("https://plain.example:22", BODY, {})),
    }
    assert results == {UNREACHABLE}


async def test_hosts_of_this_machine_are_found_and_names_that_are_nobodys_are_not() -> None:
    resolver = Resolver()
    assert IPv4Address("127.0.0.1") in await resolver.find_addresses("localhost")
    with pytest.raises(NoAddress):
        await resolver.find_addresses("nobodys.invalid")
    await resolver.aclose()

"""The maximum number of connections, and what happens to one above it."""

import resource
from collections.abc import AsyncIterator, Iterator
from ipaddress import ip_network

import pytest
from fastapi import FastAPI

from instep.platform.core import limits
from instep.platform.core.database import Database
from instep.platform.web.protocol import Connections, max_connections
from tests.support.cast import Cast
from tests.support.slow_clients import CONNECTIONS, ImpatientHttp, connected, is_healthy, until
from tests.support.wire import send, serving

HEALTH = b"GET /healthz HTTP/1.1\r\nHost: help.test\r\nConnection: close\r\n\r\n"
AHEAD = b"GET /healthz HTTP/1.1\r\nHost: help.test\r\n\r\n"


@pytest.fixture
async def port(app: FastAPI, database: Database) -> AsyncIterator[int]:
    async with serving(app, database, ImpatientHttp) as listening:
        yield listening


@pytest.fixture
def few_descriptors() -> Iterator[None]:
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (1_024, before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, before)


async def test_one_address_has_so_many_connections_and_others_are_served(port: int, cast: Cast) -> None:
    limit = CONNECTIONS.max_per_address
    async with connected(port, limit) as clients:
        await until(port, lambda: CONNECTIONS.by_address["127.0.0.2"] == limit)

        async with connected(port, 1) as (one_too_many,):
            answer = await one_too_many.end()
        assert await is_healthy(port)
        await clients[0].send(HEALTH)
        first_answer = await clients[0].end()
        async with connected(port, 1) as (next_one,):
            await next_one.send(HEALTH)
            admitted = await next_one.end()

    assert answer.startswith(b"HTTP/1.1 503")
    assert b"retry-after: 1\r\n" in answer
    assert b'"code": "unavailable"' in answer
    assert first_answer.startswith(b"HTTP/1.1 200")
    assert admitted.startswith(b"HTTP/1.1 200")


async def test_beyond_the_number_of_all_connections_new_ones_are_refused_and_old_ones_served(
    port: int, cast: Cast
) -> None:
    half = CONNECTIONS.max_total // 2
    async with connected(port, half) as some, connected(port, half, "127.0.0.3") as others:
        async with connected(port, 1, "127.0.0.4") as (one_too_many,):
            assert (await one_too_many.end()).startswith(b"HTTP/1.1 503")

        for client in (some[0], others[0]):
            await client.send(HEALTH)
            assert (await client.end()).startswith(b"HTTP/1.1 200")


def test_proxies_have_no_limit_of_their_own_but_that_of_all() -> None:
    connections = Connections(max_total=4, max_per_address=2, exempt=[ip_network("10.0.0.0/8")])

    assert [connections.enter("10.1.2.3") for _ in range(3)] == [True, True, True]
    assert [connections.enter("127.0.0.1") for _ in range(2)] == [True, False]
    connections.leave("10.1.2.3")
    assert connections.enter("127.0.0.1")
    assert not connections.enter("127.0.0.1")


def test_addresses_of_one_ipv6_network_count_as_one() -> None:
    connections = Connections(max_total=10, max_per_address=2)

    assert [connections.enter(f"2001:db8::{number}") for number in (1, 2, 3)] == [True, True, False]
    assert connections.enter("2001:db8:0:1::1")


def test_descriptors_are_left_for_the_database(few_descriptors: None) -> None:
    assert max_connections() == 1_024 - limits.RESERVED_DESCRIPTORS


async def test_requests_sent_ahead_are_answered_up_to_a_number(port: int, cast: Cast) -> None:
    answers = await send(port, AHEAD * (2 * limits.MAX_PIPELINED_REQUESTS))

    statuses = [answer.status for answer in answers]
    assert statuses[-1] == 400
    assert set(statuses[:-1]) == {200}
    assert len(statuses) <= limits.MAX_PIPELINED_REQUESTS + 2

"""Memory that a server process uses for clients that start a request and never finish."""

import re
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import AsyncExitStack
from pathlib import Path

import pytest
from psycopg_pool import AsyncConnectionPool

from instep.platform.core import limits
from instep.platform.core.database import Tx
from tests.support.cast import create_company
from tests.support.installation import Installation, Process, installed
from tests.support.slow_clients import SlowClient, connected, is_healthy

Begin = Callable[[SlowClient], Awaitable[None]]

ADDRESSES = ("127.0.0.2", "127.0.0.3")
# Connections from each address.
CLIENTS = 100
# Buffers, and memory that the interpreter does not return.
OTHER_BYTES = 100_000_000
# Bytes of a large body that each client without a key sends at once.
SENT_BYTES = 2_000_000
ARTICLE_CHARACTERS = 900_000
# Health checks by other clients, and the seconds that each may take.
HEALTH_CHECKS = 20
HEALTH_SECONDS = 5
HALF_HEAD = b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Half: "


@pytest.fixture(scope="module")
def installation(database_url: str) -> Iterator[Installation]:
    with installed(INSTEP_DATABASE_URL=database_url) as new_installation:
        yield new_installation


@pytest.fixture(scope="module")
async def server(installation: Installation, pooled_owner: AsyncConnectionPool) -> Process:
    async with pooled_owner.connection() as connection:
        installation.key = (await create_company(Tx(connection), "Acme")).write_key
    server = installation.serve("--no-jobs")
    body = {"title": "Large", "slug": "large", "contentMarkdown": "x " * (ARTICLE_CHARACTERS // 2)}
    assert installation.client().post("/v1/articles", json=body).status_code == 201
    return server


async def test_half_heads_take_little_memory(installation: Installation, server: Process) -> None:
    async def begin(client: SlowClient) -> None:
        await client.send(HALF_HEAD + b"x" * 1_000)

    assert await growth(installation, server, begin) < OTHER_BYTES


async def test_bodies_without_a_key_take_little_memory(installation: Installation, server: Process) -> None:
    async def begin(client: SlowClient) -> None:
        head = b"POST /v1/tasks HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 12000000\r\n\r\n"
        await client.send(head + b"x" * SENT_BYTES)

    assert await growth(installation, server, begin) < OTHER_BYTES


async def test_answers_that_nobody_reads_take_bounded_memory(
    installation: Installation, server: Process
) -> None:
    async def begin(client: SlowClient) -> None:
        key = f"Authorization: Bearer {installation.key}"
        await client.send(f"GET /v1/articles/large HTTP/1.1\r\nHost: 127.0.0.1\r\n{key}\r\n\r\n".encode())

    assert await growth(installation, server, begin) < limits.MAX_WAITING_BYTES + OTHER_BYTES


async def growth(installation: Installation, server: Process, begin: Begin) -> int:
    """Peak growth of the process in bytes while all clients hang and other requests are served."""
    before = resident_bytes(server)
    most = 0
    async with AsyncExitStack() as opened:
        for address in ADDRESSES:
            for client in await opened.enter_async_context(connected(installation.port, CLIENTS, address)):
                await begin(client)
        for _ in range(HEALTH_CHECKS):
            began = time.monotonic()
            assert await is_healthy(installation.port)
            assert time.monotonic() - began < HEALTH_SECONDS
            most = max(most, resident_bytes(server))
    return most - before


def resident_bytes(process: Process) -> int:
    status = Path(f"/proc/{process.pid}/status").read_text()
    line = re.search(r"VmRSS:\s+(\d+) kB", status)
    assert line is not None, "the process lives"
    return int(line[1]) * 1024

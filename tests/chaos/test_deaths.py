"""10,000 events while workers and PostgreSQL are killed: each arrives, under one id, and none is invented."""

import asyncio
import json
import os
import random
import signal
import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, field
from functools import partial

import httpx2
import psycopg
import pytest

from instep.platform.core.database import Tx
from instep.platform.core.embedded import EmbeddedPostgres
from tests.chaos.conftest import Tell
from tests.support.arrivals import DELIVERIES, Kept, have_arrived
from tests.support.cast import Client, Json
from tests.support.deliveries import connect
from tests.support.http import Response, at_once, body_of
from tests.support.installation import Installation, Process, installed
from tests.support.webhook_receiver import Receiver
from tests.support.workers import nothing_waits, until

pytestmark = pytest.mark.chaos

EVENTS = 10_000
# Each bot has its own key, writers and endpoint.
BOTS = 5
WRITERS = 4
ARTICLES = 20
VERSIONS = EVENTS // BOTS // ARTICLES
WORKERS = 4
POSTGRES_LIVES_SECONDS = 15
WRITE_SECONDS = 1_200
DRAIN_SECONDS = 300

# Publishing creates the first public version, and each change of the text one more.
CHANGES = """
    select array_agg(a.id || ' ' || n) from articles a, generate_series(1, a.version) as n
    where a.status = 'published'
"""


@dataclass
class Deaths:
    """The processes killed so far, and the number of refused API calls."""

    workers: int = 0
    postgres: int = 0
    refused: int = 0
    living: list[Process] = field(default_factory=list)


@pytest.fixture
def installation() -> Iterator[Installation]:
    with installed(INSTEP_WEBHOOK_ALLOW="127.0.0.0/8") as made_one:
        yield made_one


async def test_every_event_of_a_committed_change_arrives_under_one_id(
    installation: Installation, receiver: Receiver, tell: Tell
) -> None:
    installation.serve("--no-jobs")
    deaths = Deaths(living=[installation.start("worker") for _ in range(WORKERS)])
    chance = random.Random(9)
    async with bots(installation) as clients:
        for number, client in enumerate(clients):
            await connect(client, receiver, f"/{number}")
        began = time.monotonic()
        killing = asyncio.create_task(kill_on(installation, deaths, chance))
        async with asyncio.timeout(WRITE_SECONDS):
            await asyncio.gather(*(write(client, deaths) for client in clients))
        killing.cancel()
        write_seconds = time.monotonic() - began
    arrived_meanwhile = len({request.delivery for request in receiver.received})

    with EmbeddedPostgres.attach(installation.folder) as postgres:
        async with await psycopg.AsyncConnection.connect(postgres.url, autocommit=True) as connection:
            tx = Tx(connection)
            drained = await until(lambda: nothing_waits(tx), DRAIN_SECONDS)
            deliveries = await tx.all(Kept, DELIVERIES)
            changes = await tx.value(CHANGES)
    assert_each_change_arrives_once(changes, deliveries)
    lost_ids, twice = have_arrived(deliveries, receiver.received)
    tell(
        f"{len(deliveries):,} events made in {write_seconds:.0f} s while {deaths.workers} workers and "
        f"{deaths.postgres} times PostgreSQL were killed ({deaths.refused} calls refused): "
        f"{arrived_meanwhile:,} arrived meanwhile, the rest within {drained:.0f} s; {lost_ids} attempts "
        f"lost, {twice} deliveries arrived twice or more"
    )


@asynccontextmanager
async def bots(installation: Installation) -> AsyncIterator[list[Client]]:
    async with AsyncExitStack() as opened:
        clients = []
        for number in range(BOTS):
            bot = installation.run("bot", "create", f"Bot {number}")["id"]
            key = installation.run("key", "create", "writer", "--scope", "content:write", "--bot", bot)["key"]
            client = httpx2.AsyncClient(
                base_url=installation.url, headers={"Authorization": f"Bearer {key}"}, timeout=60
            )
            clients.append(await opened.enter_async_context(client))
        yield clients


async def write(client: Client, deaths: Deaths) -> None:
    """Publish articles and change their texts; each change is an event."""

    async def write_some(articles: int) -> None:
        for _ in range(articles):
            await write_article(client, deaths)

    await at_once(WRITERS, lambda _: write_some(ARTICLES // WRITERS))


async def write_article(client: Client, deaths: Deaths) -> None:
    text = {"title": "Install", "contentMarkdown": "Text 1."}
    article = await insist(deaths, lambda: client.post("/v1/articles", json=text))
    path = f"/v1/articles/{article['id']}"
    await insist(deaths, lambda: client.post(f"{path}/publish"))
    for number in range(2, VERSIONS + 1):
        body = {"contentMarkdown": f"Text {number}."}
        await insist(deaths, partial(client.patch, path, json=body))


async def insist(deaths: Deaths, call: Callable[[], Awaitable[Response]]) -> Json:
    """Call until it succeeds; without a response, the caller can't know whether the change was made."""
    while True:
        try:
            answer = await call()
        except httpx2.TransportError:
            answer = None
        if answer is not None and answer.status_code != 503:
            assert answer.is_success, answer.text
            return body_of(answer)
        deaths.refused += 1
        await asyncio.sleep(0.2)


async def kill_on(installation: Installation, deaths: Deaths, chance: random.Random) -> None:
    """Kill a worker about every two seconds, and PostgreSQL now and then, with SIGKILL or SIGQUIT."""
    stricken = time.monotonic()
    while True:
        await asyncio.sleep(chance.uniform(1, 3))
        place = chance.randrange(WORKERS)
        deaths.living[place].kill()
        deaths.living[place].wait()
        deaths.workers += 1
        deaths.living[place] = installation.start("worker")
        if time.monotonic() - stricken > POSTGRES_LIVES_SECONDS:
            # Without its pid file, PostgreSQL is already restarting.
            with suppress(OSError, ValueError, IndexError):
                os.kill(installation.postmaster, chance.choice([signal.SIGKILL, signal.SIGQUIT]))
                deaths.postgres += 1
            stricken = time.monotonic()


def assert_each_change_arrives_once(changes: list[str], deliveries: list[Kept]) -> None:
    counts = Counter[str]()
    for each in deliveries:
        event = json.loads(each.body)
        article = event["data"]["object"]
        assert (event["type"] == "article.published") is (article["version"] == 1)
        counts[f"{article['id']} {article['version']}"] += 1
    assert counts.keys() == set(changes)
    assert set(counts.values()) == {1}
    assert len(changes) == EVENTS

"""Clients that write and read until they are stopped, and a record of the responses."""

import asyncio
import time
from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial

import httpx2

from tests.cluster.installation import Cluster
from tests.support.cast import Client, Json
from tests.support.deliveries import connect
from tests.support.http import Response, body_of
from tests.support.webhook_receiver import Receiver

# Each bot has a key, a writer of articles, a writer of tasks, a reader and an endpoint.
BOTS = 4
CLIENTS = 3 * BOTS
VERSIONS = 5
# The pause between two calls, and before a refused call is repeated.
PAUSE_SECONDS = 0.2
# The client's timeout; those of pooled connections, PgBouncer and HAProxy are shorter.
TIMEOUT_SECONDS = 60


@dataclass
class Load:
    """The clients' results in each phase; a phase is named after its fault."""

    phase: str = ""
    # The start of each phase, in wall time and on the monotonic clock.
    beginnings: dict[str, tuple[datetime, float]] = field(default_factory=dict)
    is_over: bool = False
    # The phase in which each write was acknowledged.
    acknowledged: dict[str, str] = field(default_factory=dict)
    # The times of successful calls, by phase and client.
    answered: dict[str, dict[str, list[float]]] = field(
        default_factory=lambda: defaultdict(lambda: defaultdict(list))
    )
    refused: Counter[str] = field(default_factory=Counter)
    # Refusals without the hint that clients may retry.
    unmarked: list[str] = field(default_factory=list)

    def begin(self, phase: str) -> None:
        self.phase = phase
        self.beginnings[phase] = datetime.now(UTC), time.monotonic()

    def phase_at(self, moment: datetime) -> str:
        """The phase that was current at this moment, or the first one if none had begun."""
        begun = [phase for phase, (beginning, _) in self.beginnings.items() if beginning <= moment]
        return begun[-1] if begun else next(iter(self.beginnings))

    def acknowledge(self, name: str) -> None:
        self.acknowledged[name] = self.phase

    async def insist(self, client: str, call: Callable[[], Awaitable[Response]]) -> tuple[Response, bool]:
        """Call until the response is no outage; the second value is True if earlier calls failed."""
        is_repeated = False
        while True:
            answer = None
            with suppress(httpx2.TransportError):
                answer = await call()
            if answer is not None and answer.status_code < 500:
                self.answered[self.phase][client].append(time.monotonic())
                return answer, is_repeated
            if answer is not None and (answer.status_code != 503 or "Retry-After" not in answer.headers):
                self.unmarked.append(f"{self.phase}: {answer.status_code} {answer.text}")
            self.refused[self.phase] += 1
            is_repeated = True
            await asyncio.sleep(PAUSE_SECONDS)


@dataclass(frozen=True, slots=True)
class Bot:
    number: int
    slug: str
    client: Client


@asynccontextmanager
async def loaded(cluster: Cluster, receiver: Receiver, phase: str) -> AsyncIterator[Load]:
    """Run all clients, starting with this phase; in the end, each one finishes its current work."""
    load = Load()
    load.begin(phase)
    async with bots(cluster, receiver) as clients, asyncio.TaskGroup() as working:
        for bot in clients:
            for work in (write_articles, write_tasks, read):
                working.create_task(work(bot, load))
        yield load
        load.is_over = True


@asynccontextmanager
async def bots(cluster: Cluster, receiver: Receiver) -> AsyncIterator[list[Bot]]:
    async with AsyncExitStack() as opened:
        made = []
        for number in range(BOTS):
            row = cluster.run("bot", "create", f"Bot {number}")
            key = cluster.run("key", "create", "w", "--scope", "content:write", "--bot", row["id"])["key"]
            client = httpx2.AsyncClient(
                base_url=cluster.url, headers={"Authorization": f"Bearer {key}"}, timeout=TIMEOUT_SECONDS
            )
            made.append(Bot(number, row["slug"], await opened.enter_async_context(client)))
            await connect(client, receiver, f"/{number}")
        yield made


async def write_articles(bot: Bot, load: Load) -> None:
    """Create, publish and change articles; each write is unique."""
    name, number = f"articles {bot.number}", 0
    while not load.is_over:
        number += 1
        slug = f"written-{bot.number}-{number}"
        article = await create_article(bot, load, name, slug)
        load.acknowledge(f"{slug} 1")
        path = f"/v1/articles/{article['id']}"
        await succeed(load, name, partial(bot.client.post, f"{path}/publish"))
        for version in range(2, VERSIONS + 1):
            body = {"contentMarkdown": f"{slug} {version}"}
            await succeed(load, name, partial(bot.client.patch, path, json=body))
            load.acknowledge(f"{slug} {version}")
            await asyncio.sleep(PAUSE_SECONDS)


async def create_article(bot: Bot, load: Load, name: str, slug: str) -> Json:
    """Create an article; if the response was lost, the retry reports that the slug is taken."""
    body = {"title": slug, "slug": slug, "contentMarkdown": f"{slug} 1"}
    answer, is_repeated = await load.insist(name, partial(bot.client.post, "/v1/articles", json=body))
    if is_repeated and answer.status_code == 400 and body_of(answer)["code"] == "slug_taken":
        return await succeed(load, name, partial(bot.client.get, f"/v1/articles/{slug}"))
    assert answer.status_code == 201, answer.text
    return body_of(answer)


async def write_tasks(bot: Bot, load: Load) -> None:
    """Request articles with idempotency keys."""
    name, number = f"tasks {bot.number}", 0
    while not load.is_over:
        number += 1
        key = f"task-{bot.number}-{number}"
        body = {"article": {"title": key}}
        call = partial(bot.client.post, "/v1/tasks", json=body, headers={"Idempotency-Key": key})
        await succeed(load, name, call)
        load.acknowledge(key)
        await asyncio.sleep(5 * PAUSE_SECONDS)


async def read(bot: Bot, load: Load) -> None:
    """Read a page of the help center."""
    while not load.is_over:
        await succeed(load, f"reads {bot.number}", partial(bot.client.get, f"/help/{bot.slug}/"))
        await asyncio.sleep(PAUSE_SECONDS)


async def succeed(load: Load, name: str, call: Callable[[], Awaitable[Response]]) -> Json:
    answer, _ = await load.insist(name, call)
    assert answer.is_success, answer.text
    return body_of(answer) if answer.headers["content-type"].startswith("application/json") else {}

"""Writes succeed soon after a process is killed under load, with none lost or made twice."""

import asyncio
import statistics
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import httpx2
import pytest

from tests.chaos.conftest import Tell
from tests.support.cast import Client
from tests.support.http import all_pages, at_once
from tests.support.installation import READY_SECONDS, Installation, Process, installed, kill

pytestmark = pytest.mark.chaos

WRITERS = 20
KILLS_OF_EACH_KIND = 5
# The goal is 10 seconds on an idle machine; this leaves room for a busy one.
MAX_RECOVERY_SECONDS = 30
LOAD_SECONDS = 1.5
PAUSE_SECONDS = 0.1


@dataclass
class Service:
    """The processes of an installation under load: a server without jobs and a worker."""

    installation: Installation
    server: Process
    worker: Process

    def kill_postgres(self) -> None:
        kill(self.installation.postmaster)

    def kill_server(self) -> None:
        kill(self.server.pid)
        self.server.wait()
        self.server = self.installation.start("serve", "--port", str(self.installation.port), "--no-jobs")

    def kill_worker(self) -> None:
        kill(self.worker.pid)
        self.worker.wait()
        self.worker = self.installation.start("worker")

    def kill_all(self) -> None:
        kill(self.server.pid, self.worker.pid, *self.installation.postgres)
        for process in (self.server, self.worker):
            process.wait()
        self.server = self.installation.start("serve", "--port", str(self.installation.port), "--no-jobs")
        self.worker = self.installation.start("worker")


@dataclass
class Writes:
    """The slugs of acknowledged writes, and the time of each writer's last success."""

    acknowledged: list[str] = field(default_factory=list)
    # The start of each writer's last acknowledged write, on the monotonic clock.
    last_begun: dict[int, float] = field(default_factory=dict)
    is_over: bool = False


@dataclass(frozen=True, slots=True)
class Recovery:
    """Seconds from a kill until a later write succeeded: for the first and for the last writer."""

    first: float
    last: float


@pytest.fixture
def service() -> Iterator[Service]:
    with installed() as installation:
        server = installation.serve("--no-jobs")
        yield Service(installation, server, installation.start("worker"))


async def test_writes_are_taken_again_soon_after_each_kind_of_death(service: Service, tell: Tell) -> None:
    installation = service.installation
    installation.client()
    headers = {"Authorization": f"Bearer {installation.key}"}
    kinds: dict[str, Callable[[], None]] = {
        "PostgreSQL": service.kill_postgres,
        "server": service.kill_server,
        "worker": service.kill_worker,
        "all": service.kill_all,
    }
    recoveries: dict[str, list[Recovery]] = {}
    writes = Writes()
    async with httpx2.AsyncClient(base_url=installation.url, headers=headers, timeout=60) as client:
        writing = asyncio.create_task(at_once(WRITERS, lambda number: write(client, number, writes)))
        for kind, strike in kinds.items():
            recoveries[kind] = [await recover_from(strike, writes) for _ in range(KILLS_OF_EACH_KIND)]
        writes.is_over = True
        await writing
        slug_counts = Counter(
            article["slug"] for article in await all_pages(client, "/v1/articles?page_size=100")
        )

    tell(table_of(recoveries) + f"\n{len(writes.acknowledged):,} writes acknowledged")
    assert set(writes.acknowledged) <= set(slug_counts)
    assert set(slug_counts.values()) == {1}
    assert max(recovery.last for each in recoveries.values() for recovery in each) < MAX_RECOVERY_SECONDS


async def write(client: Client, writer: int, writes: Writes) -> None:
    """Create articles one after another, each until it is known to exist."""
    number = 0
    while not writes.is_over:
        number += 1
        slug = f"written-{writer}-{number}"
        while not await is_written(client, slug, writer, writes):
            await asyncio.sleep(PAUSE_SECONDS)


async def is_written(client: Client, slug: str, writer: int, writes: Writes) -> bool:
    """True if the article now exists; if the response was lost, the retry reports that the slug is taken."""
    begun = time.monotonic()
    try:
        answer = await client.post("/v1/articles", json={"title": slug, "slug": slug, "contentMarkdown": "x"})
    except httpx2.TransportError:
        return False
    if answer.status_code == 503:
        return False
    assert answer.status_code == 201 or answer.json()["code"] == "slug_taken", answer.text
    writes.acknowledged.append(slug)
    writes.last_begun[writer] = begun
    return True


async def recover_from(strike: Callable[[], None], writes: Writes) -> Recovery:
    await asyncio.sleep(LOAD_SECONDS)
    struck = time.monotonic()
    strike()
    first = 0.0
    async with asyncio.timeout(READY_SECONDS):
        while True:
            begun_since = [begun for begun in writes.last_begun.values() if begun > struck]
            first = first or (time.monotonic() - struck if begun_since else 0.0)
            if len(begun_since) == WRITERS:
                return Recovery(first, time.monotonic() - struck)
            await asyncio.sleep(0.02)


def table_of(recoveries: dict[str, list[Recovery]]) -> str:
    """Medians and maxima in seconds, one line per kind of kill."""
    lines = [f"{'killed':<12}{'first write':>22}{'all ' + str(WRITERS) + ' writers':>22}"]
    for kind, each in recoveries.items():
        cells = [
            f"{statistics.median(seconds):.1f} (max {max(seconds):.1f})"
            for seconds in ([timing.first for timing in each], [timing.last for timing in each])
        ]
        lines.append(f"{kind:<12}" + "".join(f"{cell:>22}" for cell in cells))
    return "\n".join(lines)

"""`GET /metrics`: the counters of this installation, in Prometheus's text format (contract section 10)."""

import hmac
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from ipaddress import ip_address

from fastapi import HTTPException
from prometheus_client import (
    CONTENT_TYPE_LATEST,
    CollectorRegistry,
    ProcessCollector,
    generate_latest,
    start_http_server,
)
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.registry import Collector
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from instep.platform.core.database import Database
from instep.platform.core.errors import Unavailable, Unusable
from instep.platform.core.metrics import REGISTRY
from instep.platform.core.settings import Settings
from instep.platform.web.public import public
from instep.search.index.cache import MAX_UNFLUSHED_ARTICLES

LOOPBACK = "127.0.0.1"
FORWARDING_HEADERS = {"forwarded", "via", "x-real-ip", "cf-connecting-ip", "true-client-ip"}
# The metric name and the description for each queue of `waiting_work`.
QUEUES = {
    "jobs": ("instep_jobs_waiting", "due jobs that no worker has begun"),
    "dead_jobs": ("instep_jobs_dead", "jobs that were given up"),
    "deliveries": ("instep_webhook_deliveries_waiting", "due webhook deliveries that no process has begun"),
    "search_indexes": (
        "instep_search_indexes_behind",
        "help centers whose stored index lacks changes",
    ),
}


@dataclass(frozen=True, slots=True)
class WaitingWork:
    """The number of entries in a queue, and how many seconds its oldest entry has been due."""

    queue: str
    kind: str
    number: int
    oldest_seconds: float


# Registries keep collectors by identity.
@dataclass(frozen=True, slots=True, eq=False)
class Snapshot(Collector):
    """Numbers that are read on demand: of the pool, and of the queues in the database."""

    pool: dict[str, int]
    # None if the database did not answer, or in a process that does not report the queues.
    waiting_work: list[WaitingWork] | None = None
    is_database_up: bool | None = None

    def collect(self) -> Iterable[Metric]:
        yield from self.pool_families()
        if self.is_database_up is not None:
            yield GaugeMetricFamily(
                "instep_database_up", "1 if the database answered.", float(self.is_database_up)
            )
        if self.waiting_work is not None:
            yield from queue_families(self.waiting_work)

    def pool_families(self) -> Iterator[Metric]:
        size, free = self.pool.get("pool_size", 0), self.pool.get("pool_available", 0)
        connections = GaugeMetricFamily(
            "instep_database_connections", "Connections of this process's pool.", labels=["state"]
        )
        connections.add_metric(["used"], size - free)
        connections.add_metric(["idle"], free)
        yield connections
        yield GaugeMetricFamily(
            "instep_database_connections_max",
            "The maximum number of connections of this process.",
            self.pool.get("pool_max", 0),
        )
        yield GaugeMetricFamily(
            "instep_database_waiting",
            "Requests and jobs of this process that wait for a connection.",
            self.pool.get("requests_waiting", 0),
        )


def queue_families(rows: list[WaitingWork]) -> Iterator[Metric]:
    for queue, (name, words) in QUEUES.items():
        labels = ["kind"] if queue in ("jobs", "dead_jobs") else []
        number = GaugeMetricFamily(name, f"The number of {words}.", labels=labels)
        oldest = GaugeMetricFamily(
            f"{name}_oldest_seconds", f"The age in seconds of the oldest of the {words}.", labels=labels
        )
        for row in rows:
            if row.queue == queue:
                number.add_metric([row.kind] if labels else [], row.number)
                oldest.add_metric([row.kind] if labels else [], row.oldest_seconds)
        yield number
        yield oldest


# Anyone may call this, but callers whom `may_read` refuses only learn that the path doesn't exist.
@public
async def show_metrics(request: Request) -> Response:
    if not may_read(request):
        raise HTTPException(404)
    database: Database = request.app.state.database
    snapshot = await take_snapshot(database)
    return Response(
        render(snapshot), headers={"Content-Type": CONTENT_TYPE_LATEST, "Cache-Control": "no-store"}
    )


def may_read(request: Request) -> bool:
    """True if the caller has the token, or is on this machine and not behind a proxy."""
    token = request.app.state.settings.metrics_token
    scheme, _, credential = request.headers.get("authorization", "").partition(" ")
    if token and scheme.lower() == "bearer":
        return hmac.compare_digest(credential.strip().encode(), token.encode())
    return is_loopback(request) and not any(map(is_forwarding, request.headers))


def is_loopback(request: Request) -> bool:
    try:
        return request.client is not None and ip_address(request.client.host).is_loopback
    except ValueError:
        return False


def is_forwarding(header: str) -> bool:
    return header in FORWARDING_HEADERS or header.startswith("x-forwarded-")


async def take_snapshot(database: Database) -> Snapshot:
    try:
        async with database.enter_workspace("") as tx:
            rows = await tx.all(
                WaitingWork,
                "select queue, kind, number, oldest_seconds from waiting_work(%(few)s)",
                few=MAX_UNFLUSHED_ARTICLES,
            )
    except Unavailable:
        # The process counters matter most while the database is down.
        return Snapshot(database.pool.get_stats(), None, is_database_up=False)
    return Snapshot(database.pool.get_stats(), rows, is_database_up=True)


def render(snapshot: Snapshot) -> bytes:
    """The counters of all server processes; memory and pool are those of the answering process."""
    answer = CollectorRegistry()
    answer.register(snapshot)
    ProcessCollector(registry=answer)
    counts = REGISTRY
    if "PROMETHEUS_MULTIPROC_DIR" in os.environ:
        counts = CollectorRegistry()
        # The library has no types.
        MultiProcessCollector(counts)  # type: ignore[no-untyped-call]
    return generate_latest(counts) + generate_latest(answer)


class PoolOfWorker(Collector):
    """The pool of a worker, read whenever its metrics are requested."""

    def __init__(self, database: Database) -> None:
        self.database = database

    def collect(self) -> Iterable[Metric]:
        return Snapshot(self.database.pool.get_stats()).collect()


@contextmanager
def serving_worker_metrics(settings: Settings, database: Database) -> Iterator[None]:
    """Serve the metrics of a worker, which has no other server, on `INSTEP_METRICS_PORT` of the loopback."""
    if settings.metrics_port is None:
        yield
        return
    answer = CollectorRegistry()
    for collector in (REGISTRY, PoolOfWorker(database)):
        answer.register(collector)
    ProcessCollector(registry=answer)
    try:
        server, thread = start_http_server(settings.metrics_port, LOOPBACK, answer)
    except OSError as error:
        raise Unusable(
            f"INSTEP_METRICS_PORT is {settings.metrics_port}, where this machine can't listen "
            f"({error.strerror}): set it to a free port."
        ) from None
    try:
        yield
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


routes = [Route("/metrics", show_metrics)]

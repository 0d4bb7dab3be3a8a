"""`make bench-webhooks`: deliveries per second of one worker to a local receiver, and their CPU cost."""

import asyncio
import multiprocessing
import os
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing.sharedctypes import Synchronized
from pathlib import Path
from typing import Any, TypeAlias

import psycopg
import uvloop

from instep.accounts.workspaces import actions
from instep.platform.core.config import read_settings
from instep.platform.core.crypto import KeyRing
from instep.platform.core.database import Tx
from instep.platform.core.embedded import EmbeddedPostgres, processes
from instep.platform.core.ids import new_id
from instep.platform.core.secret_keys import secret_key
from instep.platform.migrations import migrate

ROUNDS = 3
DELIVERIES = 4_000
BODY_BYTES = 6_000
CASES = {"1 endpoint": (1, 1), "20 endpoints in 4 workspaces": (4, 5)}
TIMEOUT_SECONDS = 120
RESPONSE = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
TICKS = os.sysconf("SC_CLK_TCK")

FILL = """
with new as (
  insert into events (id, workspace_id, type, body, created_at)
  select 'evt_' || %(endpoint)s || n, %(workspace)s, 'article.updated',
    convert_to('{"text": "' || repeat('x', %(bytes)s) || '"}', 'UTF8'), now()
  from generate_series(1, %(count)s) as n returning id
)
insert into deliveries (id, workspace_id, endpoint_id, event_id, status, next_attempt_at, created_at)
select replace(id, 'evt_', 'dlv_'), %(workspace)s, %(endpoint)s, id, 'pending', 'infinity', now() from new
"""

Count: TypeAlias = "Synchronized[int]"


@dataclass(frozen=True, slots=True)
class Run:
    """Deliveries per second, and CPU milliseconds per delivery of the worker and of the database."""

    per_second: float
    worker: float
    database: float


class Receiver(asyncio.Protocol):
    """Counts requests, and responds to them at the least cost."""

    def __init__(self, count: Count) -> None:
        self.count = count
        self.left = -1
        self.head = b""

    def connection_made(self, transport: Any) -> None:
        self.transport = transport

    def data_received(self, data: bytes) -> None:
        if self.left < 0:
            self.head += data
            head, end, data = self.head.partition(b"\r\n\r\n")
            if not end:
                return
            _, _, after = head.lower().partition(b"\r\ncontent-length: ")
            self.left = int(after.split(b"\r\n", 1)[0])
        self.left -= len(data)
        if self.left == 0:
            self.count.value += 1
            self.transport.write(RESPONSE)
            self.transport.close()


def main() -> None:
    print(f"load of this machine before the run: {os.getloadavg()[0]:.1f}")
    heading = f"median of {ROUNDS} rounds"
    print(f"{heading:30} {'per second':>10} {'CPU ms of worker':>17} {'of database':>12}")
    runs: dict[str, list[Run]] = {name: [] for name in CASES}
    with tempfile.TemporaryDirectory(prefix="instep-bench-") as folder, database(Path(folder)) as url:
        for _ in range(ROUNDS):
            for name, case in CASES.items():
                runs[name].append(run(url, Path(folder), *case))
    for name, results in runs.items():
        median = [statistics.median(getattr(result, field) for result in results) for field in Run.__slots__]
        print(f"{name:30} {median[0]:10.0f} {median[1]:17.2f} {median[2]:12.2f}")


def run(url: str, folder: Path, workspaces: int, endpoints: int) -> Run:
    with receiving() as (port, count):
        asyncio.run(fill(url, folder, f"http://127.0.0.1:{port}/", workspaces, endpoints))
        with worker(folder) as pid:
            return measure(url, folder, pid, count)


@contextmanager
def receiving() -> Iterator[tuple[int, Count]]:
    """The port of a receiver in its own process, and its count of deliveries."""
    context = multiprocessing.get_context("spawn")
    count = context.Value("q", 0)
    with socket.create_server(("127.0.0.1", 0), backlog=1_000) as listener:
        process = context.Process(target=receive, args=(listener, count), daemon=True)
        process.start()
        try:
            yield listener.getsockname()[1], count
        finally:
            process.terminate()
            process.join()


def receive(listener: socket.socket, count: Count) -> None:
    async def serve() -> None:
        server = await asyncio.get_running_loop().create_server(lambda: Receiver(count), sock=listener)
        await server.serve_forever()

    uvloop.run(serve())


@contextmanager
def database(folder: Path) -> Iterator[str]:
    folder.chmod(0o711)
    with EmbeddedPostgres.attach(folder) as embedded:
        migrate(embedded.url)
        yield embedded.url


async def fill(url: str, folder: Path, receiver: str, workspaces: int, endpoints: int) -> None:
    """Replace all deliveries by waiting ones, the same number for each endpoint."""
    settings = read_settings({"INSTEP_DATA_DIR": str(folder)}, folder / "none")
    keys = KeyRing(secret_key(settings))
    count = DELIVERIES // (workspaces * endpoints)
    async with await psycopg.AsyncConnection.connect(url, autocommit=True) as connection:
        tx = Tx(connection)
        await tx.execute("truncate webhook_endpoints, events cascade")
        for number in range(workspaces):
            workspace = await actions.create_workspace(tx, f"Workspace {number}")
            for _ in range(endpoints):
                endpoint = await add_endpoint(tx, keys, workspace.id, receiver)
                await tx.execute(
                    FILL, endpoint=endpoint, workspace=workspace.id, count=count, bytes=BODY_BYTES
                )
        await tx.execute("vacuum analyze")


async def add_endpoint(tx: Tx, keys: KeyRing, workspace_id: str, url: str) -> str:
    endpoint, secret = new_id("wh"), new_id("whs")
    ids: dict[str, Any] = {"workspace": workspace_id, "endpoint": endpoint}
    await tx.execute(
        """
        insert into webhook_endpoints (id, workspace_id, url, events, status, created_at, updated_at)
        values (%(endpoint)s, %(workspace)s, %(url)s, '{*}', 'enabled', now(), now())
        """,
        url=url,
        **ids,
    )
    await tx.execute(
        """
        insert into webhook_secrets (id, workspace_id, endpoint_id, sealed, created_at)
        values (%(id)s, %(workspace)s, %(endpoint)s, %(sealed)s, now())
        """,
        id=secret,
        sealed=keys.seal("whsec_bench", "webhook_secrets", "sealed", workspace_id, secret),
        **ids,
    )
    return endpoint


@contextmanager
def worker(folder: Path) -> Iterator[int]:
    environment = {**os.environ, "INSTEP_DATA_DIR": str(folder), "INSTEP_WEBHOOK_ALLOW": "127.0.0.1/32"}
    command = [str(Path(sys.executable).parent / "instep"), "worker"]
    process = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        yield process.pid
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(20)


def measure(url: str, folder: Path, pid: int, count: Count) -> Run:
    """Time from when all are due until all have arrived; one earlier delivery warms up the worker."""
    with psycopg.connect(url, autocommit=True) as connection:
        first = "(select min(id) from deliveries)"
        connection.execute(f"update deliveries set next_attempt_at = now() where id = {first}")
        await_delivered(connection, 1)
        before = cpu(pid), cpu(*database_processes(folder))
        start = time.monotonic()
        connection.execute("update deliveries set next_attempt_at = now() where status = 'pending'")
        while count.value < DELIVERIES:
            assert time.monotonic() - start < TIMEOUT_SECONDS, f"only {count.value} deliveries arrived"
            time.sleep(0.005)
        seconds = time.monotonic() - start
        await_delivered(connection, DELIVERIES)
        after = cpu(pid), cpu(*database_processes(folder))
    assert count.value == DELIVERIES, "a delivery was sent twice"
    costs = [(late - early) * 1_000 / DELIVERIES for early, late in zip(before, after, strict=True)]
    return Run(DELIVERIES / seconds, *costs)


def await_delivered(connection: psycopg.Connection, number: int) -> None:
    deadline = time.monotonic() + TIMEOUT_SECONDS
    sql = "select count(*) from deliveries where status = 'delivered'"
    while (row := connection.execute(sql).fetchone()) is None or row[0] < number:
        assert time.monotonic() < deadline, f"fewer than {number} deliveries were recorded"
        time.sleep(0.05)


def database_processes(folder: Path) -> list[int]:
    return processes.running_in(folder / "postgres")


def cpu(*pids: int) -> float:
    """CPU seconds of these processes and of their children that have ended."""
    return sum(sum(map(int, fields(pid)[11:15])) for pid in pids) / TICKS


def fields(pid: int) -> list[str]:
    """The fields after the name (proc(5)), which may contain spaces."""
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()


if __name__ == "__main__":
    main()

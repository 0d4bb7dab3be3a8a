"""Guarantees of the job queue, on a real PostgreSQL and with a role that owns nothing."""

import asyncio
import logging
import os
import signal
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

import psycopg
import pytest
from psycopg.rows import dict_row
from psycopg_pool import AsyncConnectionPool

from instep.platform.core import limits
from instep.platform.core.database import Tx
from instep.platform.core.embedded import EmbeddedPostgres
from instep.platform.core.jobs import MAX_ATTEMPTS, Job, Postponed, Worker, defer, queue, worker
from tests.support.limits import SetLimit

Pool = AsyncConnectionPool[psycopg.AsyncConnection[Any]]

TABLE = """
    create role instep_app;
    create table jobs (
        id bigint generated always as identity primary key,
        kind text not null,
        payload jsonb not null,
        dedupe text,
        run_at timestamptz default now(),
        attempts integer not null default 0,
        worker text,
        request_id text,
        error text,
        created_at timestamptz not null default now(),
        workspace_id text not null generated always as (coalesce(payload ->> 'workspace', '')) stored
    ) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);
    create index jobs_due on jobs (run_at, id) where run_at is not null;
    create index jobs_of_workspace on jobs (workspace_id, run_at, id) where run_at is not null;
    create unique index jobs_waiting on jobs (kind, dedupe) where dedupe is not null and attempts = 0;
    grant select, insert, update, delete on jobs to instep_app;
"""
OPTIONS = "-c role=instep_app"
LEASE = timedelta(seconds=0.9)


@pytest.fixture(scope="module")
def cluster() -> Iterator[EmbeddedPostgres]:
    # PostgreSQL's user can't enter pytest's own folder if root runs the tests.
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o711)
        server = EmbeddedPostgres.attach(Path(folder))
        with psycopg.connect(server.url, autocommit=True) as conn:
            conn.execute(TABLE)
        yield server
        server.close()


@pytest.fixture
async def pool(cluster: EmbeddedPostgres) -> AsyncIterator[Pool]:
    kwargs = {"autocommit": True, "options": OPTIONS}
    async with AsyncConnectionPool(cluster.url, kwargs=kwargs, min_size=1, max_size=12) as pool:
        yield pool
        await sql(pool, "delete from jobs")


class Recorder:
    """A handler that records its jobs and runs a test's function."""

    def __init__(self, act: Callable[[Job], Awaitable[None]] | None = None) -> None:
        self.jobs: list[Job] = []
        self.ended: list[Job] = []
        self._act = act

    async def __call__(self, job: Job) -> None:
        self.jobs.append(job)
        if self._act:
            await self._act(job)
        self.ended.append(job)

    @property
    def attempts(self) -> list[int]:
        return [job.attempts for job in self.jobs]


async def forever(job: Job) -> None:
    await asyncio.Event().wait()


async def break_down(job: Job) -> None:
    raise RuntimeError("no\0good")


async def until(condition: Callable[[], bool], seconds: float = 10) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it did not happen in time"
        await asyncio.sleep(0.01)


def has_more(jobs: list[Job], than: int) -> bool:
    return len(jobs) > than


async def sql(pool: Pool, statement: str) -> int:
    async with pool.connection() as conn:
        return (await conn.execute(statement)).rowcount


async def rows(pool: Pool) -> list[dict[str, Any]]:
    async with pool.connection() as conn, conn.cursor(row_factory=dict_row) as cursor:
        await cursor.execute("select *, run_at - now() as due_in from jobs order by id")
        return await cursor.fetchall()


async def put(pool: Pool, kind: str = "work", **options: Any) -> None:
    async with pool.connection() as conn:
        await defer(Tx(conn), kind, {"n": 1}, **options)


@asynccontextmanager
async def running(*workers: Worker) -> AsyncIterator[asyncio.Event]:
    stop = asyncio.Event()
    async with asyncio.TaskGroup() as group:
        for each in workers:
            group.create_task(each.run(stop))
        try:
            yield stop
        finally:
            stop.set()


async def test_a_job_of_a_rolled_back_transaction_never_runs(pool: Pool) -> None:
    work = Recorder()
    async with pool.connection() as conn:
        async with conn.transaction():
            await defer(Tx(conn), "work", {"undone": True})
            raise psycopg.Rollback
        async with conn.transaction():
            await defer(Tx(conn), "work", {"undone": False})
            assert await Worker(pool, {"work": work}).run_due() == 0
    assert await Worker(pool, {"work": work}).run_due() == 1
    assert [job.payload for job in work.jobs] == [{"undone": False}]
    assert await rows(pool) == []


async def test_an_idle_worker_starts_a_new_job_at_once(pool: Pool) -> None:
    work = Recorder()
    async with running(Worker(pool, {"work": work})):
        await put(pool)
        await until(lambda: bool(work.ended), seconds=1)

    assert len(work.ended) == 1


async def test_the_job_of_a_killed_worker_runs_again_once(
    cluster: EmbeddedPostgres, pool: Pool, caplog: pytest.LogCaptureFixture
) -> None:
    await put(pool)
    doomed = await asyncio.create_subprocess_exec(
        sys.executable, "-c", DOOMED, cluster.url, stdout=asyncio.subprocess.PIPE
    )
    assert doomed.stdout
    assert await asyncio.wait_for(doomed.stdout.readline(), 10) == b"attempt 1\n"
    doomed.send_signal(signal.SIGKILL)
    await doomed.wait()

    work = Recorder()
    async with running(Worker(pool, {"work": work}), Worker(pool, {"work": work})):
        await until(lambda: bool(work.ended))
    assert work.attempts == [2]
    assert await rows(pool) == []
    [warning] = [message for message in caplog.messages if "taken over" in message]
    assert f":{doomed.pid} " in warning


DOOMED = f"""
import asyncio, sys
from datetime import timedelta
from psycopg_pool import AsyncConnectionPool
from instep.platform.core.jobs import Worker

async def hang(job):
    print("attempt", job.attempts, flush=True)
    await asyncio.Event().wait()

async def main():
    kwargs = dict(autocommit=True, options="{OPTIONS}")
    async with AsyncConnectionPool(sys.argv[1], kwargs=kwargs, min_size=1) as pool:
        lease = timedelta(seconds={LEASE.total_seconds()})
        await Worker(pool, dict(work=hang), lease=lease).run(asyncio.Event())

asyncio.run(main())
"""


def test_by_default_a_killed_workers_job_waits_less_than_a_minute() -> None:
    assert worker.LEASE + timedelta(seconds=worker.POLL_SECONDS + worker.OUTAGE_SECONDS) < timedelta(
        minutes=1
    )


async def test_a_slow_job_of_a_live_worker_is_not_taken_twice(pool: Pool) -> None:
    async def outlive_the_lease(job: Job) -> None:
        begun = time.monotonic()
        await until(lambda: time.monotonic() > begun + 2.5 * LEASE.total_seconds())

    work = Recorder(outlive_the_lease)
    await put(pool)
    async with running(*(Worker(pool, {"work": work}, lease=LEASE) for _ in range(3))):
        await until(lambda: bool(work.ended))
    assert work.attempts == [1]
    assert await rows(pool) == []


async def test_worker_that_lost_the_lease_changes_nothing(pool: Pool) -> None:
    await put(pool)
    async with pool.connection() as conn:
        [late] = await queue.claim(conn, "late", 1, timedelta())
        [job] = await queue.claim(conn, "next", 1, timedelta(minutes=1))
        before = await rows(pool)
        assert not await queue.finish(conn, late)
        assert not await queue.fail(conn, late, "too late", timedelta())
        assert await queue.renew(conn, [late], timedelta(hours=1)) == set()
        await queue.release(conn, [late])
        after = await rows(pool)
        assert [row | {"due_in": None} for row in after] == [row | {"due_in": None} for row in before]
        assert await queue.renew(conn, [job], timedelta(hours=1)) == {job.id}
        assert await queue.finish(conn, job)


async def test_a_settled_job_cannot_be_renewed(pool: Pool) -> None:
    await put(pool)
    async with pool.connection() as conn:
        [job] = await queue.claim(conn, "me", 1, timedelta(minutes=1))
        assert await queue.fail(conn, job, "boom", None)
        assert await queue.renew(conn, [job], timedelta(minutes=1)) == set()
    [row] = await rows(pool)
    assert row["run_at"] is None


async def test_a_worker_cuts_off_a_job_that_another_one_has(pool: Pool) -> None:
    work = Recorder(forever)
    slow = Worker(pool, {"work": work}, lease=LEASE)
    await put(pool)
    async with running(slow):
        await until(lambda: bool(work.jobs))
        await sql(pool, "update jobs set attempts = 2, run_at = now() + interval '1 hour'")
        await until(lambda: not slow._running)
    [row] = await rows(pool)
    assert (row["attempts"], work.ended) == (2, [])


async def test_a_failing_job_is_retried_later_and_later_and_then_kept_as_dead(
    pool: Pool, caplog: pytest.LogCaptureFixture
) -> None:
    work = Recorder(break_down)
    due = Worker(pool, {"work": work})
    await put(pool)
    waits = []
    for _ in range(MAX_ATTEMPTS):
        assert await due.run_due() == 1
        assert await due.run_due() == 0
        waits += [row["due_in"] for row in await rows(pool)]
        await sql(pool, "update jobs set run_at = now() where run_at is not null")
    assert work.attempts == list(range(1, MAX_ATTEMPTS + 1))
    assert waits.pop() is None
    assert waits == sorted(waits)
    assert waits[0] > timedelta(seconds=1)
    [dead] = await rows(pool)
    assert (dead["error"], dead["worker"]) == (r"RuntimeError('no\x00good')", None)
    levels = [record.levelno for record in caplog.records]
    assert levels == [logging.WARNING] * (MAX_ATTEMPTS - 1) + [logging.ERROR]


async def test_a_job_that_kills_its_workers_dies_too(pool: Pool) -> None:
    work = Recorder()
    await put(pool)
    await sql(pool, f"update jobs set attempts = {MAX_ATTEMPTS}, worker = 'killed'")
    assert await Worker(pool, {"work": work}).run_due() == 1
    [dead] = await rows(pool)
    assert (dead["run_at"], dead["error"], work.jobs) == (None, "WorkerDied()", [])


async def test_an_unknown_kind_fails_alone(pool: Pool) -> None:
    work = Recorder()
    await put(pool, "of_a_newer_version")
    await put(pool)
    assert await Worker(pool, {"work": work}).run_due() == 2
    [unknown] = await rows(pool)
    assert unknown["error"] == "UnknownKind('of_a_newer_version')"
    assert len(work.ended) == 1


async def test_a_waiting_job_is_joined_and_a_running_one_is_not(pool: Pool) -> None:
    async def change_again(job: Job) -> None:
        if len(work.jobs) == 1:
            await put(pool, dedupe="bot 1")

    work = Recorder(change_again)
    await put(pool, dedupe="bot 1", run_at=datetime.now(UTC) + timedelta(hours=1))
    await put(pool, dedupe="bot 1")
    await put(pool, dedupe="bot 2")
    await put(pool, dedupe="bot 2", run_at=datetime.now(UTC) + timedelta(hours=1))
    await put(pool, "other", dedupe="bot 1", run_at=datetime.now(UTC) + timedelta(hours=1))
    assert await Worker(pool, {"work": work}).run_due() == 3
    assert [row["kind"] for row in await rows(pool)] == ["other"]


async def test_a_joined_job_does_not_run_before_the_change_that_joined_it_is_visible(pool: Pool) -> None:
    work = Recorder()
    due = Worker(pool, {"work": work})
    await put(pool, dedupe="bot 1")
    async with pool.connection() as conn, conn.transaction():
        await defer(Tx(conn), "work", {"n": 2}, dedupe="bot 1")
        assert await due.run_due() == 0
    assert await due.run_due() == 1
    assert [job.payload for job in work.jobs] == [{"n": 2}]


async def test_transactions_that_join_the_same_jobs_in_any_order_do_not_wait_for_each_other(
    pool: Pool,
) -> None:
    async def join(names: list[str]) -> None:
        async with pool.connection() as conn:
            tx = Tx(conn)
            for _ in range(20):
                async with tx.transaction():
                    for name in names:
                        await defer(tx, "work", {}, dedupe=name)

    names = ["bot 1", "bot 2", "bot 3"]
    await asyncio.gather(join(names), join(names[::-1]), join(names), join(names[::-1]))

    assert len(await rows(pool)) == 3


async def test_a_job_for_later_waits_until_then(pool: Pool) -> None:
    work = Recorder()
    moment = datetime.now(UTC) + timedelta(seconds=0.6)
    await put(pool, run_at=moment)
    async with running(Worker(pool, {"work": work})):
        await until(lambda: bool(work.jobs))
        assert timedelta() <= datetime.now(UTC) - moment < timedelta(seconds=0.5)


async def test_a_job_waits_by_the_clock_of_the_database_when_that_of_its_machine_is_wrong(
    pool: Pool, monkeypatch: pytest.MonkeyPatch
) -> None:
    moment = datetime.now(UTC) - timedelta(days=2)
    monkeypatch.setattr(queue, "utc_now", lambda: moment)

    await put(pool, run_at=moment + timedelta(hours=1))

    [row] = await rows(pool)
    assert timedelta(minutes=59) < row["due_in"] <= timedelta(hours=1)


async def test_parallel_workers_run_every_job_once(pool: Pool) -> None:
    work = Recorder()
    async with pool.connection() as conn, conn.transaction():
        for number in range(200):
            await defer(Tx(conn), "work", {"number": number})
    async with running(*(Worker(pool, {"work": work}, concurrency=7) for _ in range(3))):
        await until(lambda: len(work.ended) >= 200)
    assert sorted(job.payload["number"] for job in work.jobs) == list(range(200))


async def test_a_full_worker_takes_the_next_job_as_soon_as_one_place_is_free(pool: Pool) -> None:
    async def wait_if_first(job: Job) -> None:
        if job.payload["number"] == 0:
            await until(lambda: len(work.ended) >= 50)

    work = Recorder(wait_if_first)
    async with pool.connection() as conn, conn.transaction():
        for number in range(51):
            await defer(Tx(conn), "work", {"number": number})
    async with running(Worker(pool, {"work": work}, concurrency=2)):
        await until(lambda: len(work.ended) == 51, seconds=3)

    assert work.attempts == [1] * 51


async def test_a_worker_survives_a_restart_of_the_database(cluster: EmbeddedPostgres, pool: Pool) -> None:
    release = asyncio.Event()

    async def wait(job: Job) -> None:
        await release.wait()

    across, work = Recorder(wait), Recorder()
    await put(pool, "across")
    async with AsyncExitStack() as full_pool:
        for _ in range(pool.max_size):
            await full_pool.enter_async_context(pool.connection())
    async with running(Worker(pool, {"across": across, "work": work})):
        await until(lambda: bool(across.jobs))
        stop_server(cluster)
        release.set()
        await until(lambda: bool(across.ended))
        cluster.ensure_running()
        with psycopg.connect(cluster.url, autocommit=True, options=OPTIONS) as conn:
            conn.execute("insert into jobs (kind, payload) values ('work', '{}')")
        await until(lambda: bool(work.ended), seconds=30)
        # The result of the job that ran without a database is recorded too.
        async with asyncio.timeout(30):
            while await rows(pool):
                await asyncio.sleep(0.05)
    assert across.attempts == [1]


def stop_server(cluster: EmbeddedPostgres) -> None:
    with psycopg.connect(cluster.url) as conn:
        row = conn.execute("show data_directory").fetchone()
    assert row is not None
    pid_file = Path(row[0]) / "postmaster.pid"
    os.kill(int(pid_file.read_text().split()[0]), signal.SIGINT)
    deadline = time.monotonic() + 30
    while pid_file.exists():
        assert time.monotonic() < deadline
        time.sleep(0.01)


async def test_stopping_lets_running_jobs_end(pool: Pool) -> None:
    release = asyncio.Event()

    async def wait(job: Job) -> None:
        await release.wait()

    work = Recorder(wait)
    await put(pool)
    async with running(Worker(pool, {"work": work}, concurrency=1)) as stop:
        await until(lambda: bool(work.jobs))
        await put(pool)
        stop.set()
        asyncio.get_running_loop().call_later(0.3, release.set)
    assert len(work.ended) == 1
    assert [row["attempts"] for row in await rows(pool)] == [0]


async def test_a_job_that_outlives_the_grace_is_free_for_others_at_once(
    pool: Pool, set_limit: SetLimit
) -> None:
    set_limit("GRACE_SECONDS", 0.05, worker)
    endless, work = Recorder(forever), Recorder()
    await put(pool)
    async with running(Worker(pool, {"work": endless})):
        await until(lambda: bool(endless.jobs))
    assert await Worker(pool, {"work": work}).run_due() == 1
    assert (endless.ended, work.attempts) == ([], [1])


@pytest.mark.parametrize("dedupe", [None, "one"])
async def test_a_job_survives_any_number_of_restarts(
    pool: Pool, set_limit: SetLimit, dedupe: str | None
) -> None:
    set_limit("GRACE_SECONDS", 0.01, worker)
    endless, work = Recorder(forever), Recorder()
    await put(pool, dedupe=dedupe)
    for _ in range(MAX_ATTEMPTS + 1):
        begun = len(endless.jobs)
        async with running(Worker(pool, {"work": endless})):
            await until(partial(has_more, endless.jobs, begun))

    assert await Worker(pool, {"work": work}).run_due() == 1
    assert (len(work.ended), await rows(pool)) == (1, [])


async def test_a_stopped_job_that_does_not_end_is_not_begun_beside_itself(
    pool: Pool, set_limit: SetLimit
) -> None:
    set_limit("GRACE_SECONDS", 0.01, worker)
    set_limit("CLEANUP_SECONDS", 0.01, worker)
    end = asyncio.Event()

    async def hold_out(job: Job) -> None:
        while not end.is_set():
            with suppress(asyncio.CancelledError):
                await end.wait()

    stubborn, work = Recorder(hold_out), Recorder()
    await put(pool)
    stopped = Worker(pool, {"work": stubborn})
    async with running(stopped):
        await until(lambda: bool(stubborn.jobs))

    count = await Worker(pool, {"work": work}).run_due()
    end.set()
    await until(lambda: not stopped._running)
    assert (count, len(stubborn.ended), await rows(pool)) == (0, 1, [])


async def put_of(pool: Pool, workspace: str, count: int = 1) -> None:
    async with pool.connection() as conn:
        for _ in range(count):
            await defer(Tx(conn), "work", {"workspace": workspace})


@pytest.mark.parametrize("count", [30, queue.FAIRNESS_WINDOW + 20])
async def test_a_workspace_with_many_slow_jobs_does_not_hold_up_another(pool: Pool, count: int) -> None:
    released = asyncio.Event()

    async def hold_flood(job: Job) -> None:
        if job.workspace_id == "flood":
            await released.wait()

    work = Recorder(hold_flood)
    await put_of(pool, "flood", count)
    async with running(Worker(pool, {"work": work})):
        await until(lambda: len(work.jobs) == limits.MAX_CONCURRENT_WORKSPACE_JOBS)
        await put_of(pool, "quiet")
        await until(lambda: bool(work.ended), seconds=2)
        assert [job.workspace_id for job in work.ended] == ["quiet"]
        assert len(work.jobs) == limits.MAX_CONCURRENT_WORKSPACE_JOBS + 1
        released.set()
        await until(lambda: len(work.ended) == count + 1)
    assert await rows(pool) == []


async def test_a_workspace_takes_no_more_of_several_workers_than_their_shares(pool: Pool) -> None:
    released = asyncio.Event()

    async def hold_flood(job: Job) -> None:
        if job.workspace_id == "flood":
            await released.wait()

    works = [Recorder(hold_flood) for _ in range(3)]
    await put_of(pool, "flood", queue.FAIRNESS_WINDOW + 20)
    async with running(*(Worker(pool, {"work": work}) for work in works)):
        shares = [limits.MAX_CONCURRENT_WORKSPACE_JOBS] * len(works)
        await until(lambda: [len(work.jobs) for work in works] == shares)
        for workspace in ("quiet", "other", "third"):
            await put_of(pool, workspace, 2)
        await until(lambda: sum(len(work.ended) for work in works) == 6, seconds=2)
        assert sum(job.workspace_id == "flood" for work in works for job in work.jobs) == sum(shares)
        released.set()


async def test_workspaces_are_served_in_turn(pool: Pool) -> None:
    for workspace in "abc":
        await put_of(pool, workspace, 3)

    async with pool.connection() as conn:
        jobs = await queue.claim(conn, "me", 4, LEASE, {"a": 1})

    assert sorted(job.workspace_id for job in jobs) == ["a", "b", "b", "c"]


async def test_two_workers_never_take_the_same_job(pool: Pool) -> None:
    for workspace in "abcd":
        await put_of(pool, workspace, queue.FAIRNESS_WINDOW)

    async def claim(number: int) -> list[Job]:
        async with pool.connection() as conn:
            return await queue.claim(conn, f"worker {number}", 10, timedelta(minutes=1))

    claimed = [job.id for jobs in await asyncio.gather(*map(claim, range(10))) for job in jobs]

    assert len(claimed) == len(set(claimed)) > 10


async def test_a_job_that_can_not_begin_yet_uses_up_no_attempt(pool: Pool) -> None:
    async def postpone(job: Job) -> None:
        raise Postponed(timedelta())

    work = Recorder(postpone)
    await put(pool)
    for _ in range(MAX_ATTEMPTS + 2):
        async with running(Worker(pool, {"work": work})):
            await until(lambda: bool(work.jobs))
        work.jobs.clear()
        await sql(pool, "update jobs set run_at = now()")

    [row] = await rows(pool)
    assert (row["attempts"], row["error"], row["worker"]) == (0, None, None)


async def test_a_postponed_job_and_the_one_that_was_deferred_meanwhile_both_stand(pool: Pool) -> None:
    async def postpone(job: Job) -> None:
        if len(work.jobs) == 1:
            await put(pool, dedupe="one")
            raise Postponed(timedelta())

    work = Recorder(postpone)
    await put(pool, dedupe="one")

    assert await Worker(pool, {"work": work}).run_due() >= 2

    assert await rows(pool) == []

"""The table `jobs`, one row per job: `run_at` is the due time or, once claimed, the end of its lease.

Webhook deliveries have their own lease queue, `webhooks.outbox`, because they take turns by endpoint.
"""

from collections.abc import Awaitable, Callable, Collection, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import psycopg
from psycopg.rows import class_row, scalar_row
from psycopg.types.json import Jsonb

from instep.platform.core import limits
from instep.platform.core.clock import utc_now
from instep.platform.core.database import Database, Tx
from instep.platform.core.errors import Unavailable
from instep.platform.core.ids import present_request_id

Connection = psycopg.AsyncConnection[Any]

# Up to this many due jobs are ranked directly; beyond that, only each workspace's first ones.
FAIRNESS_WINDOW = 100
# A job is given up after its sixth attempt, about eleven minutes after the first.
MAX_ATTEMPTS = 6
# The wait if not even the next run of a recurring job can be scheduled, for example because the disk is full.
SCHEDULE_RETRY_DELAY = timedelta(minutes=1)


class Postponed(Exception):
    """Raised by a handler that can't begin yet: the job is due after `wait`, without counting an attempt."""

    def __init__(self, wait: timedelta) -> None:
        super().__init__(f"postponed by {wait}")
        self.wait = wait


@dataclass(frozen=True, slots=True)
class Job:
    """One attempt at a job; `attempts` is its number, from 1.

    The number is also a fencing token: an attempt whose successor has begun changes nothing.
    `workspace_id` is that of the payload; it is empty for jobs of the installation.
    """

    id: int
    kind: str
    payload: dict[str, Any]
    attempts: int
    workspace_id: str = ""
    # The request that created the job, if any, for the log.
    request_id: str | None = None
    # The worker of the previous attempt if its lease has ended; it probably died.
    former_worker: str | None = None


async def defer(
    tx: Tx,
    kind: str,
    payload: Mapping[str, Any],
    *,
    run_at: datetime | None = None,
    dedupe: str | None = None,
) -> None:
    """Add a job for a worker, in the caller's transaction.

    If a job of this kind with the same `dedupe` waits for its first attempt, it gets the new payload and
    the earlier time instead. A job that has begun is never reused, because it may already have read data that
    is now changing.
    """
    # The database's clock decides when a job is due, and the clock of this machine may differ from it.
    wait = None if run_at is None else run_at - utc_now()
    values = {"kind": kind, "payload": Jsonb(dict(payload)), "wait": wait, "dedupe": dedupe}
    values |= {"request_id": present_request_id()}
    if dedupe is None:
        await tx.execute(DEFER, **values)
    else:
        # Another transaction may hold the waiting job: it is the last lock, after the bot's.
        await tx.execute_at_commit(DEFER, lock=("jobs", kind, dedupe), **values)


async def schedule_recurring(database: Database, kind: str, wait: timedelta) -> None:
    """Schedule one run of a job of the installation after a wait, however many processes call this.

    Of two times, the earlier one counts.
    """
    async with database.enter_workspace("") as tx:
        await defer(tx, kind, {}, run_at=utc_now() + wait, dedupe=kind)


async def schedule_next(schedule: Callable[[], Awaitable[None]]) -> None:
    """Schedule the next run of a recurring job, before the work of this one.

    Runs may fail for longer than a job is retried. Raises `Postponed` if the database accepts no writes.
    """
    try:
        await schedule()
    except Unavailable as outage:
        raise Postponed(SCHEDULE_RETRY_DELAY) from outage


# `do update` locks the waiting job until the caller commits, even if nothing changes. With `do nothing` a
# worker could run the job before the commit, without seeing the caller's change.
DEFER = """
    insert into jobs (kind, payload, run_at, dedupe, request_id)
    values (%(kind)s, %(payload)s, coalesce(clock_timestamp() + %(wait)s::interval, now()),
        %(dedupe)s, %(request_id)s)
    on conflict (kind, dedupe) where dedupe is not null and attempts = 0
    do update set payload = excluded.payload, run_at = least(jobs.run_at, excluded.run_at),
        request_id = excluded.request_id
"""


async def claim(
    conn: Connection, worker: str, limit: int, lease: timedelta, running: Mapping[str, int] | None = None
) -> list[Job]:
    """Claim up to `limit` due jobs; jobs whose lease has expired are due again.

    Workspaces take turns: first those with the fewest jobs in `running`, which counts the jobs that this
    worker runs, then those whose jobs have been due the longest. No workspace gets more than
    `limits.MAX_CONCURRENT_WORKSPACE_JOBS` slots of a worker.
    """
    running = running or {}
    values = {
        "worker": worker,
        "limit": limit,
        "lease": lease,
        "window": FAIRNESS_WINDOW,
        "most": limits.MAX_CONCURRENT_WORKSPACE_JOBS,
        "workspaces": list(running),
        "numbers": list(running.values()),
    }
    async with conn.cursor(row_factory=class_row(Job)) as cursor:
        await cursor.execute(CLAIM, values)
        return await cursor.fetchall()


# A short queue is ranked directly. In a long one the query skips in the index from workspace to workspace (a
# loose index scan), so that many jobs of one workspace do not hide the others'. The unneeded branch
# is empty and costs nothing. Rows are locked in the order of turns, so other workers can claim the rest.
CLAIM = """
    with recursive queue as materialized (
        select id, workspace_id, run_at from jobs where run_at <= now()
        order by run_at, id limit %(window)s
    ), size as materialized (
        select count(*) = %(window)s as is_long from queue
    ), workspaces as (
        (select workspace_id from jobs where run_at is not null and (select is_long from size)
            order by workspace_id limit 1)
        union all
        select n.workspace_id from workspaces w cross join lateral (
            select j.workspace_id from jobs j
            where j.run_at is not null and j.workspace_id > w.workspace_id
            order by j.workspace_id limit 1) n
    ), candidates as (
        select id, workspace_id, run_at from queue where not (select is_long from size)
        union all
        select f.id, w.workspace_id, f.run_at from workspaces w cross join lateral (
            select j.id, j.run_at from jobs j
            where j.workspace_id = w.workspace_id and j.run_at <= now()
            order by j.run_at, j.id limit %(limit)s) f
    ), mine as (
        select workspace_id, number
        from unnest(%(workspaces)s::text[], %(numbers)s::int[]) as held (workspace_id, number)
    ), turns as (
        select c.id, c.workspace_id, c.run_at, coalesce(m.number, 0) + row_number() over (
            partition by c.workspace_id order by c.run_at, c.id) as place
        from candidates c left join mine m on m.workspace_id = c.workspace_id
    ), due as (
        select j.id, j.worker from turns t join jobs j on j.id = t.id
        where j.run_at <= now() and (t.workspace_id = '' or t.place <= %(most)s)
        order by t.place, t.run_at, t.id limit %(limit)s for update of j skip locked
    )
    update jobs set attempts = attempts + 1, worker = %(worker)s, run_at = now() + %(lease)s
    from due where jobs.id = due.id
    returning jobs.id, jobs.kind, jobs.payload, jobs.attempts, jobs.workspace_id, jobs.request_id,
        due.worker as former_worker
"""


async def renew(conn: Connection, jobs: Collection[Job], lease: timedelta) -> set[int]:
    """Extend the leases; returns the ids of the jobs that are still leased."""
    async with conn.cursor(row_factory=scalar_row) as cursor:
        await cursor.execute(RENEW, job_params(jobs) | {"lease": lease})
        return set(await cursor.fetchall())


async def release(conn: Connection, jobs: Collection[Job]) -> None:
    """Return unfinished jobs to the queue, due at once, as if these attempts had not begun."""
    await conn.execute(RELEASE, job_params(jobs))


def job_params(jobs: Collection[Job]) -> dict[str, Any]:
    return {"ids": [job.id for job in jobs], "attempts": [job.attempts for job in jobs]}


RENEW = """
    update jobs set run_at = now() + %(lease)s
    from unnest(%(ids)s::bigint[], %(attempts)s::int[]) as mine (id, attempts)
    where jobs.id = mine.id and jobs.attempts = mine.attempts and jobs.worker is not null
    returning jobs.id
"""

# A newer job with the same `dedupe` may be waiting. Then this one keeps its count, because the unique index
# covers only jobs without attempts.
UNDO_ATTEMPT = "jobs.attempts - case when jobs.dedupe is null or jobs.attempts > 1 then 1 else 0 end"

# Being stopped with its process is not a job's failure, however often it happens.
RELEASE = f"""
    update jobs set run_at = now(), worker = null, attempts = {UNDO_ATTEMPT}
    from unnest(%(ids)s::bigint[], %(attempts)s::int[]) as mine (id, attempts)
    where jobs.id = mine.id and jobs.attempts = mine.attempts and jobs.worker is not null
"""


async def postpone(conn: Connection, job: Job, wait: timedelta) -> bool:
    """Reschedule a job as if this attempt had not begun; return False if its lease was lost."""
    cursor = await conn.execute(POSTPONE, {"id": job.id, "attempts": job.attempts, "wait": wait})
    return cursor.rowcount == 1


POSTPONE = f"""
    update jobs set run_at = now() + %(wait)s, worker = null, attempts = {UNDO_ATTEMPT}
    where id = %(id)s and attempts = %(attempts)s and worker is not null
"""


async def finish(conn: Connection, job: Job) -> bool:
    """Delete a finished job; return False if its lease was lost."""
    cursor = await conn.execute(FINISH, {"id": job.id, "attempts": job.attempts})
    return cursor.rowcount == 1


FINISH = "delete from jobs where id = %(id)s and attempts = %(attempts)s and worker is not null"


async def fail(conn: Connection, job: Job, error: str, retry_in: timedelta | None) -> bool:
    """Reschedule a failed job, or mark it dead if `retry_in` is None; return False if its lease was lost."""
    values = {"id": job.id, "attempts": job.attempts, "error": error, "retry_in": retry_in}
    cursor = await conn.execute(FAIL, values)
    return cursor.rowcount == 1


# A dead job has no `run_at`, so it is never due again.
FAIL = """
    update jobs set run_at = now() + %(retry_in)s::interval, worker = null, error = %(error)s
    where id = %(id)s and attempts = %(attempts)s and worker is not null
"""

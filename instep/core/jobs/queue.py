"""The table `jobs`: one row a job, whose `run_at` is when it is due and, once taken, when its lease ends."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import psycopg
from psycopg.rows import class_row, scalar_row
from psycopg.types.json import Jsonb

Connection = psycopg.AsyncConnection[Any]

# A job is given up after its sixth attempt, about eleven minutes after the first.
MAX_ATTEMPTS = 6


@dataclass(frozen=True, slots=True)
class Job:
    """One attempt at a job; `attempts` counts it too, so that the first one says 1.

    The number is also the fence: whoever comes back after the next attempt has begun touches nothing.
    """

    id: int
    kind: str
    payload: dict[str, Any]
    attempts: int


async def defer(
    conn: Connection,
    kind: str,
    payload: Mapping[str, Any],
    *,
    run_at: datetime | None = None,
    dedupe: str | None = None,
) -> None:
    """Leave a job for a worker: it exists only if the caller's transaction commits.

    While a job of this kind with the same `dedupe` waits for its first attempt, that one takes the new
    payload and the earlier time instead. A job that has begun is never joined: it may already have read
    what is now changing.
    """
    await conn.execute(
        DEFER, {"kind": kind, "payload": Jsonb(dict(payload)), "run_at": run_at, "dedupe": dedupe}
    )


# `do update` even where nothing changes: it locks the waiting job until the caller commits. With `do nothing`
# a worker could run the job in between, without seeing the change that relied on it.
DEFER = """
    insert into jobs (kind, payload, run_at, dedupe)
    values (%(kind)s, %(payload)s, coalesce(%(run_at)s, now()), %(dedupe)s)
    on conflict (kind, dedupe) where dedupe is not null and attempts = 0
    do update set payload = excluded.payload, run_at = least(jobs.run_at, excluded.run_at)
"""


async def claim(conn: Connection, worker: str, limit: int, lease: timedelta) -> list[Job]:
    """Take up to `limit` due jobs, the longest due first; those whose lease has run out are due again."""
    async with conn.cursor(row_factory=class_row(Job)) as cursor:
        await cursor.execute(CLAIM, {"worker": worker, "limit": limit, "lease": lease})
        return await cursor.fetchall()


CLAIM = """
    with due as (
        select id from jobs where run_at <= now()
        order by run_at, id limit %(limit)s for update skip locked
    )
    update jobs set attempts = attempts + 1, worker = %(worker)s, run_at = now() + %(lease)s
    from due where jobs.id = due.id
    returning jobs.id, jobs.kind, jobs.payload, jobs.attempts
"""


async def renew(conn: Connection, jobs: Collection[Job], lease: timedelta) -> set[int]:
    """Prolong the leases; the ids of those that are still held."""
    async with conn.cursor(row_factory=scalar_row) as cursor:
        await cursor.execute(RENEW, held(jobs) | {"lease": lease})
        return set(await cursor.fetchall())


async def release(conn: Connection, jobs: Collection[Job]) -> None:
    """Give the jobs back unfinished, due at once."""
    await conn.execute(RELEASE, held(jobs))


def held(jobs: Collection[Job]) -> dict[str, Any]:
    return {"ids": [job.id for job in jobs], "attempts": [job.attempts for job in jobs]}


RENEW = """
    update jobs set run_at = now() + %(lease)s
    from unnest(%(ids)s::bigint[], %(attempts)s::int[]) as mine (id, attempts)
    where jobs.id = mine.id and jobs.attempts = mine.attempts and jobs.worker is not null
    returning jobs.id
"""

RELEASE = """
    update jobs set run_at = now(), worker = null
    from unnest(%(ids)s::bigint[], %(attempts)s::int[]) as mine (id, attempts)
    where jobs.id = mine.id and jobs.attempts = mine.attempts and jobs.worker is not null
"""


async def finish(conn: Connection, job: Job) -> bool:
    """Remove a job that is done; False when its lease was lost."""
    cursor = await conn.execute(FINISH, {"id": job.id, "attempts": job.attempts})
    return cursor.rowcount == 1


FINISH = "delete from jobs where id = %(id)s and attempts = %(attempts)s and worker is not null"


async def fail(conn: Connection, job: Job, error: str, retry_in: timedelta | None) -> bool:
    """Put a failed job back for later; without `retry_in` keep it as dead. False when its lease was lost."""
    values = {"id": job.id, "attempts": job.attempts, "error": error, "retry_in": retry_in}
    cursor = await conn.execute(FAIL, values)
    return cursor.rowcount == 1


# A dead job has no `run_at`, so it is never due again.
FAIL = """
    update jobs set run_at = now() + %(retry_in)s::interval, worker = null, error = %(error)s
    where id = %(id)s and attempts = %(attempts)s and worker is not null
"""

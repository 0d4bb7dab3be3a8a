"""The worker claims due jobs, renews their leases while it runs them, and records their outcomes."""

import asyncio
import logging
import os
import random
import socket
import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping
from contextlib import asynccontextmanager, suppress
from datetime import timedelta
from functools import partial
from typing import Protocol, TypeVar

import psycopg
from psycopg_pool import AsyncConnectionPool
from structlog.contextvars import bind_contextvars

from instep.platform.core import limits, metrics
from instep.platform.core.database import OUTAGES
from instep.platform.core.ids import REQUEST_ID_FIELD
from instep.platform.core.jobs import queue
from instep.platform.core.jobs.queue import MAX_ATTEMPTS, Connection, Job, Postponed
from instep.platform.core.outages import OutageLog, outage_of
from instep.platform.core.places import QueueFull
from instep.platform.core.tracing import span

logger = logging.getLogger(__name__)

Result = TypeVar("Result")

CONCURRENCY = 10
# Leases are renewed three times as often. The job of a killed worker waits at most this long.
LEASE = timedelta(seconds=10)
POLL_SECONDS = 0.1
OUTAGE_SECONDS = 1.0
GRACE_SECONDS = 10.0
# Canceled jobs may clean up for this long.
CLEANUP_SECONDS = 1.0
MAX_ERROR_CHARACTERS = 2_000


class Handler(Protocol):
    async def __call__(self, job: Job) -> None: ...


class Worker:
    """Runs jobs on one event loop; a handler that blocks the loop for longer than a lease loses its job."""

    def __init__(
        self,
        pool: AsyncConnectionPool[Connection],
        handlers: Mapping[str, Handler],
        *,
        on_dead: Mapping[str, Handler] | None = None,
        max_attempts: Mapping[str, int] | None = None,
        concurrency: int = CONCURRENCY,
        lease: timedelta = LEASE,
    ) -> None:
        self._pool = pool
        self._handlers = handlers
        self._on_dead = on_dead or {}
        # Kinds of jobs with another number: fewer if others wait for them, more if the other side needs time.
        self._max_attempts = max_attempts or {}
        self._concurrency = concurrency
        self._lease = lease
        self._name = f"{socket.gethostname()}:{os.getpid()}"
        self._outage_log = OutageLog()
        self._running: dict[asyncio.Task[None], Job] = {}
        # The running jobs whose outcome is not being recorded yet.
        self._leases: dict[asyncio.Task[None], Job] = {}

    async def run(self, stop: asyncio.Event) -> None:
        """Work until `stop`; then wait ten seconds for running jobs, and return the rest to the queue."""
        async with self._keep_leases():
            await self._work_until(stop)
            if self._running:
                await asyncio.wait(self._running, timeout=GRACE_SECONDS)

    async def run_due(self) -> int:
        """Run due jobs, and those that they make due; return the number of attempts."""
        count = 0
        async with self._keep_leases():
            while tasks := await self._start_due():
                await asyncio.wait(tasks)
                count += len(tasks)
        return count

    async def _work_until(self, stop: asyncio.Event) -> None:
        stopping = asyncio.ensure_future(stop.wait())
        try:
            while not stop.is_set():
                pause = await self._fill_slots()
                # A finished job frees a slot, and lets another job of its workspace begin.
                waiting = {stopping, *(() if pause == OUTAGE_SECONDS else self._running)}
                await asyncio.wait(waiting, timeout=pause, return_when=asyncio.FIRST_COMPLETED)
        finally:
            stopping.cancel()

    async def _fill_slots(self) -> float | None:
        """Start due jobs; return the seconds until the next check, None while all slots are taken."""
        free = self._free_slots()
        try:
            started = await self._start_due()
        except OUTAGES as error:
            self._outage_log.log(outage_of(error), error)
            await self._drop_broken_connections(error)
            return OUTAGE_SECONDS
        if len(started) < free:
            return POLL_SECONDS
        return 0 if self._free_slots() else None

    async def _start_due(self) -> list[asyncio.Task[None]]:
        free = self._free_slots()
        if not free:
            return []
        async with self._pool.connection() as connection:
            jobs = await queue.claim(connection, self._name, free, self._lease, self._running_by_workspace())
        return [self._start(job) for job in jobs]

    def _free_slots(self) -> int:
        return self._concurrency - len(self._running)

    def _running_by_workspace(self) -> Counter[str]:
        """The number of running jobs of each workspace."""
        return Counter(job.workspace_id for job in self._running.values())

    def _start(self, job: Job) -> asyncio.Task[None]:
        task = asyncio.create_task(self._perform(job), name=f"job {job.id} {job.kind}")
        self._running[task] = self._leases[task] = job
        task.add_done_callback(self._forget)
        return task

    def _forget(self, task: asyncio.Task[None]) -> None:
        self._leases.pop(task, None)
        self._running.pop(task, None)
        if not task.cancelled() and (error := task.exception()):
            logger.error("The outcome of %s could not be recorded", task.get_name(), exc_info=error)

    async def _perform(self, job: Job) -> None:
        began = time.perf_counter()
        # The job has its own task, and so its own context.
        bind_contextvars(**({REQUEST_ID_FIELD: job.request_id} if job.request_id else {}), job=job.kind)
        if job.former_worker is not None:
            logger.warning("Job %s is taken over: the worker %s did not end it", job.id, job.former_worker)
        kind = job.kind if job.kind in self._handlers else "unknown"
        with span(f"job {kind}") as recorded_span:
            error = await self._attempt(job)
            if recorded_span:
                recorded_span.set_attribute("instep.outcome", self._outcome_of(job, error))
        metrics.count_job(kind, self._outcome_of(job, error), time.perf_counter() - began)
        # From here on the lease is not renewed: a renewal would miss a finished job and cancel this task.
        self._leases = {task: leased for task, leased in self._leases.items() if leased is not job}
        if error is None:
            is_recorded = await self._retry_until_recorded(partial(queue.finish, job=job))
        elif isinstance(error, Postponed):
            is_recorded = await self._retry_until_recorded(partial(queue.postpone, job=job, wait=error.wait))
        else:
            retry_in = self._retry_delay(job)
            report(job, error, retry_in)
            if retry_in is None:
                await self._dead_letter(job)
            # `repr` escapes characters that PostgreSQL refuses.
            text = repr(error)[:MAX_ERROR_CHARACTERS]
            is_recorded = await self._retry_until_recorded(
                partial(queue.fail, job=job, error=text, retry_in=retry_in)
            )
        if not is_recorded:
            logger.warning("Job %s (%s): attempt %s ended after its lease", job.id, job.kind, job.attempts)

    async def _attempt(self, job: Job) -> Exception | None:
        """Run the handler; return its error, if any."""
        try:
            if job.attempts > self._most_of(job):
                raise WorkerDied
            if job.kind not in self._handlers:
                raise UnknownKind(job.kind)
            await self._handlers[job.kind](job)
        except QueueFull:
            return Postponed(timedelta(seconds=limits.WORK_RETRY_SECONDS))
        except Exception as error:
            return error
        return None

    def _most_of(self, job: Job) -> int:
        return self._max_attempts.get(job.kind, MAX_ATTEMPTS)

    def _retry_delay(self, job: Job) -> timedelta | None:
        """The wait after a failed attempt; None after the last one."""
        return backoff(job.attempts) if job.attempts < self._most_of(job) else None

    def _outcome_of(self, job: Job, error: Exception | None) -> str:
        """The outcome of an attempt in metrics."""
        if error is None:
            return "done"
        if isinstance(error, Postponed):
            return "postponed"
        return "failed" if self._retry_delay(job) else "dead"

    async def _dead_letter(self, job: Job) -> None:
        """Notify the slice that deferred the job that it is dead."""
        if job.kind not in self._on_dead:
            return
        try:
            await self._on_dead[job.kind](job)
        except Exception:
            logger.exception("The handler for the dead job %s (%s) failed", job.id, job.kind)

    async def _retry_until_recorded(self, step: Callable[[Connection], Awaitable[Result]]) -> Result:
        """Record an outcome; retry while the database is unavailable, because the work itself is done."""
        while True:
            try:
                async with self._pool.connection() as connection:
                    return await step(connection)
            except OUTAGES as error:
                logger.warning("The outcome of a job waits for the database: %s", error)
                await self._drop_broken_connections(error)
            await asyncio.sleep(OUTAGE_SECONDS)

    async def _drop_broken_connections(self, error: psycopg.Error) -> None:
        # A restart of PostgreSQL breaks all pooled connections; otherwise each would cost one failed round.
        # Those to a former primary are whole: they are replaced to find the present one.
        is_read_only = isinstance(error, psycopg.errors.ReadOnlySqlTransaction)
        with suppress(*OUTAGES):
            await (self._pool.drain() if is_read_only else self._pool.check())

    @asynccontextmanager
    async def _keep_leases(self) -> AsyncIterator[None]:
        renewing = asyncio.create_task(self._renew_leases())
        try:
            yield
        finally:
            renewing.cancel()
            await asyncio.wait({renewing})
            await self._return_unfinished()

    async def _renew_leases(self) -> None:
        while True:
            await asyncio.sleep(self._lease.total_seconds() / 3)
            leases = dict(self._leases)
            if not leases:
                continue
            try:
                async with self._pool.connection() as connection:
                    renewed_ids = await queue.renew(connection, leases.values(), self._lease)
            except psycopg.Error as error:
                logger.warning("Leases of jobs could not be renewed: %s", error)
                continue
            self._cancel_lost(task for task, job in leases.items() if job.id not in renewed_ids)

    def _cancel_lost(self, tasks: Iterable[asyncio.Task[None]]) -> None:
        for task in tasks:
            if task in self._leases:
                logger.warning("%s has lost its lease and is cancelled", task.get_name())
                task.cancel()

    async def _return_unfinished(self) -> None:
        """Cancel jobs that still run, and return them to the queue."""
        if not self._running:
            return
        leases = dict(self._leases)
        for task in self._running:
            task.cancel()
        ended, _ = await asyncio.wait(self._running, timeout=CLEANUP_SECONDS)
        try:
            async with self._pool.connection() as connection:
                # The next attempt gets this one's number, so this one must not be able to end later.
                await queue.release(connection, [job for task, job in leases.items() if task in ended])
        except psycopg.Error as error:
            logger.warning("Unfinished jobs wait until their leases end: %s", error)


class UnknownKind(Exception):
    """No handler exists for this kind of job: another version of Instep may have deferred it."""


class WorkerDied(Exception):
    """The worker died during every attempt at this job."""


def report(job: Job, error: Exception, retry_in: timedelta | None) -> None:
    level, fate = (logging.WARNING, f"runs again in {retry_in}") if retry_in else (logging.ERROR, "is dead")
    logger.log(
        level, "Job %s (%s), attempt %s failed, %s", job.id, job.kind, job.attempts, fate, exc_info=error
    )


def backoff(attempts: int) -> timedelta:
    """The delay after this many attempts: 2, 8, 32, 128, 512 seconds plus up to 25 %."""
    return timedelta(seconds=round(2 * 4 ** (attempts - 1) * random.uniform(1, 1.25), 1))

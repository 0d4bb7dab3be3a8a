"""Health checks of a running server: `/healthz` and `/readyz`."""

import asyncio
import time
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from math import inf

from psycopg.errors import InsufficientPrivilege
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from instep.platform.core.database import Database, Tx
from instep.platform.core.errors import AppError
from instep.platform.migrations import head
from instep.platform.web.public import public

LAG_SECONDS = 120
# Anyone may call `/readyz`: callers within this time get the same answer.
ANSWER_SECONDS = 1.0
# A trial write costs the database more than a query.
TRIAL_WRITE_SECONDS = 10.0


@dataclass(frozen=True, slots=True)
class State:
    """The schema's revision, and the lag of jobs: seconds since the oldest due job became due."""

    revision: str | None
    lag: float | None


STATE = """
    (select version_num from alembic_version) as revision,
    (select extract(epoch from now() - min(run_at))::float8 from jobs) as lag
"""


@public
async def healthz(request: Request) -> Response:
    """Report that the process is up."""
    return JSONResponse({"status": "ok"})


@public
async def readyz(request: Request) -> Response:
    """Report whether the database answers, its schema is current and jobs run."""
    problems = await request.app.state.readiness.find_problems()
    return JSONResponse(
        {"status": "not ready" if problems else "ok", "problems": problems}, 503 if problems else 200
    )


class Readiness:
    """The last answer about the readiness of a process; one caller asks, and the others wait for it."""

    def __init__(self, database: Database) -> None:
        self.database = database
        self.asking = asyncio.Lock()
        self.asked_at = -inf
        self.problems: list[str] = []

    async def find_problems(self) -> list[str]:
        async with self.asking:
            if time.monotonic() - self.asked_at >= ANSWER_SECONDS:
                self.problems = await find_problems(self.database)
                self.asked_at = time.monotonic()
            return self.problems


async def find_problems(database: Database) -> list[str]:
    try:
        async with database.enter_workspace("") as tx:
            state = await tx.fetch_one(State, f"select {STATE}")
            if is_trial_due(database):
                await try_to_write(tx)
                database.written_at = time.monotonic()
            return problems_of(state)
    except AppError as error:
        return [error.message]


def is_trial_due(database: Database) -> bool:
    return time.monotonic() - database.written_at >= TRIAL_WRITE_SECONDS


async def try_to_write(tx: Tx) -> None:
    """Raise PostgreSQL's error if it can't write, for example because its disk is full.

    A new table always needs space on disk, while a changed row may fit into an allocated page. If the
    database role may not create temporary tables, nothing is tested.
    """
    with suppress(InsufficientPrivilege):
        async with tx.transaction():
            await tx.execute(
                "create temp table trial_write on commit drop as select generate_series(1, 2000)"
            )


def problems_of(state: State) -> list[str]:
    """Problems that prevent an installation from working, in sentences for its operator."""
    problems = []
    newest = newest_revision()
    if state.revision is not None and state.revision > newest:
        problems.append("The schema is newer than this version of Instep: use the version that made it.")
    elif state.revision != newest:
        problems.append("The schema is not current: run `instep migrate`.")
    if state.lag is not None and state.lag > LAG_SECONDS:
        problems.append(f"Jobs have been waiting for {state.lag:.0f} seconds: is a worker running?")
    return problems


@cache
def newest_revision() -> str:
    return head()


routes = [
    Route("/healthz", healthz),
    Route("/readyz", readyz),
]

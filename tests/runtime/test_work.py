"""Jobs and deliveries of a running server when they can't proceed."""

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import aclosing
from typing import Any

import pytest
from fastapi import FastAPI
from structlog.testing import capture_logs

from instep import app as server
from instep import runtime
from instep.operations.ops.prune import PRUNE, schedule_prune
from instep.platform.core.config import settings
from instep.platform.core.database import Database, Tx
from instep.platform.core.jobs import defer
from instep.platform.core.outages import DatabaseFull
from instep.platform.core.outbound.allowed import read_allow_list
from instep.platform.core.outbound.client import OutboundClient
from instep.runtime import Runtime
from instep.search.jobs import STORE_INDEXES
from instep.visitors.privacy.visitor_data import KEEP_ERASURES
from tests.support.limits import SetLimit, SetSetting
from tests.support.wording import like


async def test_a_server_whose_jobs_have_failed_says_so(
    database_url: str, set_setting: SetSetting, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fail(runtime: Runtime, stop: asyncio.Event) -> None:
        raise OSError("no certificates")

    set_setting("INSTEP_DATABASE_URL", database_url)
    monkeypatch.setattr(server, "work", fail)

    with capture_logs() as lines, pytest.raises(OSError, match="no certificates"):
        await serve_until(lines, like("jobs…restart this process"))


async def serve_until(lines: Sequence[Mapping[str, Any]], event: str) -> None:
    async with server.lifespan(FastAPI()), asyncio.timeout(30):
        while event not in events(lines):
            await asyncio.sleep(0)


def events(lines: Sequence[Mapping[str, Any]]) -> list[Any]:
    return [line["event"] for line in lines if line["log_level"] == "error"]


async def test_jobs_run_while_the_database_takes_no_new_ones_and_those_that_return_do_later(
    database: Database, owner: Tx, set_limit: SetLimit, monkeypatch: pytest.MonkeyPatch
) -> None:
    set_limit("SCHEDULE_RETRY_SECONDS", 0.01, runtime)
    is_freed, stop = asyncio.Event(), asyncio.Event()

    async def schedule(database: Database) -> None:
        if not is_freed.is_set():
            raise DatabaseFull
        await schedule_prune(database)

    monkeypatch.setattr(runtime, "schedule_prune", schedule)
    async with database.enter_workspace("") as tx:
        await defer(tx, KEEP_ERASURES, {})
    kinds = "select coalesce(array_agg(kind), '{}') from jobs"

    async with aclosing(OutboundClient(read_allow_list(""))) as outbound, asyncio.timeout(30):
        resources = Runtime(settings(), database, b"a key for the cursors of the tests", outbound=outbound)
        working = asyncio.create_task(runtime.work(resources, stop))
        while await owner.value(kinds):
            await asyncio.sleep(0.01)
        is_freed.set()
        while not {PRUNE, STORE_INDEXES} <= set(await owner.value(kinds)):
            await asyncio.sleep(0.01)
        stop.set()
        await working

    assert {PRUNE, STORE_INDEXES} <= set(await owner.value(kinds))

"""Jobs and deliveries beside a server, when they can't go on."""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from fastapi import FastAPI
from structlog.testing import capture_logs

from instep import app as server
from instep.runtime import Runtime
from tests.support.limits import SetSetting


async def test_a_server_whose_jobs_have_failed_says_so(
    database_url: str, set_setting: SetSetting, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fail(runtime: Runtime, stop: asyncio.Event) -> None:
        raise OSError("no certificates")

    set_setting("INSTEP_DATABASE_URL", database_url)
    monkeypatch.setattr(server, "work", fail)

    with capture_logs() as lines, pytest.raises(OSError, match="no certificates"):
        await serve_until(lines, "jobs and deliveries have ended: restart this process")


async def serve_until(lines: Sequence[Mapping[str, Any]], event: str) -> None:
    async with server.lifespan(FastAPI()), asyncio.timeout(5):
        while event not in events(lines):
            await asyncio.sleep(0)


def events(lines: Sequence[Mapping[str, Any]]) -> list[Any]:
    return [line["event"] for line in lines if line["log_level"] == "error"]

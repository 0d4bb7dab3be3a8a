"""The id of a request: where it comes from, and its presence in every log line of the request."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import structlog
from structlog.testing import capture_logs

from instep.drafting.tasks.actions import RUN_TASK
from instep.platform.core.database import Database, Tx
from instep.platform.core.jobs import Job, Worker
from instep.platform.web.log import configure_logging
from tests.support.cast import Cast, Client


def log_lines(capsys: pytest.CaptureFixture[str]) -> list[dict[str, Any]]:
    return [json.loads(line) for line in capsys.readouterr().err.splitlines() if line.startswith("{")]


@pytest.mark.parametrize("request_id", ["7f9c2ba4-e88f-11ef", "req_06h08fbcwv6m743pd6yxw19tfw", "a" * 64])
async def test_a_well_formed_id_of_the_caller_is_kept(
    visitor: Client, request_id: str, capsys: pytest.CaptureFixture[str]
) -> None:
    answer = await visitor.get("/healthz", headers={"X-Request-Id": request_id})

    [line] = [line for line in log_lines(capsys) if line["event"] == "request"]
    assert answer.headers["Request-Id"] == line["request_id"] == request_id


@pytest.mark.parametrize(
    "request_id", ["", "short", "a" * 65, 'quo"te-quote', "two words here", "-dash-first"]
)
async def test_any_other_is_replaced(visitor: Client, request_id: str) -> None:
    answer = await visitor.get("/healthz", headers={"X-Request-Id": request_id})

    assert answer.headers["Request-Id"].startswith("req_")


async def test_a_job_logs_with_the_id_of_the_request_that_it_came_of(
    client: Client, database: Database, owner: Tx, capsys: pytest.CaptureFixture[str]
) -> None:
    async def work(job: Job) -> None:
        structlog.get_logger().info("at work")

    change = {"change": {"kind": "pr", "title": "Rename it"}}
    answer = await client.post("/v1/tasks", json=change)
    assert answer.status_code == 202
    await Worker(database.pool, {RUN_TASK: work}).run_due()

    [line] = [line for line in log_lines(capsys) if line["event"] == "at work"]
    assert (line["job"], line["request_id"]) == (RUN_TASK, answer.headers["Request-Id"])


@pytest.mark.parametrize("rest", ["", "/", "/articles/setup", "/no/such/page"])
async def test_a_token_in_a_path_is_no_part_of_the_log(
    visitor: Client, cast: Cast, capsys: pytest.CaptureFixture[str], rest: str
) -> None:
    await visitor.get(f"/preview/a-token-that-opens-drafts{rest}")

    [line] = [line for line in log_lines(capsys) if line["event"] == "request"]
    assert line["path"] == f"/preview/…{rest}"


@pytest.mark.parametrize(("form", "is_json"), [("json", True), ("text", False)])
def test_a_setting_chooses_the_form_of_lines(form: str, is_json: bool, tmp_path: Path) -> None:
    environment = {"INSTEP_LOG_FORMAT": form, "INSTEP_DATA_DIR": str(tmp_path), "PATH": os.environ["PATH"]}
    program = """
import structlog
from instep.platform.web.log import configure_logging
configure_logging()
structlog.get_logger().info("request", method="GET", path="/", status=200, ms=1, request_id="req_0123456789")
"""

    process = subprocess.run(
        [sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True
    )

    assert process.stderr.startswith("{") == is_json
    assert ("GET / 200 in 1 ms …23456789" in process.stderr) != is_json


def test_a_logger_in_use_follows_another_configuration() -> None:
    configure_logging()
    log = structlog.get_logger()
    log.info("before")
    configure_logging()

    with capture_logs() as lines:
        log.info("after")

    assert [line["event"] for line in lines] == ["after"]

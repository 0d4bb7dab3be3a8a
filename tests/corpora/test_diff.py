"""Diffs from many tools, intact and broken, as the change of a task."""

import re
from collections import Counter
from pathlib import Path

import pytest

from tests.corpora.requests import Sender
from tests.support.api_table import TABLE
from tests.support.cast import RunJobs
from tests.support.changes import write_articles
from tests.support.http import all_pages, error

pytestmark = pytest.mark.corpora


async def test_each_diff_is_worked_on_to_the_end_or_refused_with_its_line(
    corpora: Path, sender: Sender, run_jobs: RunJobs
) -> None:
    await write_articles(sender.client)
    [operation] = [row for row in TABLE if (row.method, row.path) == ("POST", "/tasks")]
    accepted = set()
    for name, diff in diffs(corpora):
        change = {"kind": "pr", "title": name, "diff": diff}
        answer = await sender.send(operation, json={"change": change})
        if answer.status_code == 202:
            accepted.add(answer.json()["id"])
        else:
            assert error(answer) == (400, "invalid_request"), name
            assert re.match(r"Line \d+ of the diff: ", answer.json()["error"]), (name, answer.text)

    await run_jobs()

    tasks = [
        task for task in await all_pages(sender.client, "/v1/tasks", page_size=100) if task["id"] in accepted
    ]
    for task in tasks:
        sender.meter.statuses[task["status"]] += 1
    assert Counter(task["status"] for task in tasks) == {"completed": len(accepted)}
    assert len(accepted) > 30


def diffs(corpora: Path) -> list[tuple[str, str]]:
    files = sorted(file for file in (corpora / "diff").rglob("*") if file.is_file())
    assert len(files) > 60
    # Clients decode files that are not UTF-8 with an encoding that accepts any byte.
    return [(file.name, readable(file.read_bytes())) for file in files]


def readable(content: bytes) -> str:
    try:
        return content.decode()
    except UnicodeDecodeError:
        return content.decode("latin-1")

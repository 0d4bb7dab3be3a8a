"""The commands of an operator for alert targets, as processes of their own."""

import asyncio
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from instep.core.database import Database, Tx
from tests.alerts.chat import Chat, Nearby
from tests.alerts.targets import ADDRESSES, TOKENS, add_target, send_due
from tests.cast import Cast, Json

INSTEP = Path(sys.executable).with_name("instep")

Done = subprocess.CompletedProcess[str]


class Operator:
    """Runs `instep alert` on the database of the tests, in the workspace of Acme."""

    def __init__(self, database_url: str, workspace_id: str) -> None:
        self.settings = {"INSTEP_DATABASE_URL": database_url}
        self.workspace = ("--workspace", workspace_id)

    async def run(self, *arguments: str, typed: str = "") -> Done:
        return await asyncio.to_thread(self.run_here, arguments, typed)

    def run_here(self, arguments: tuple[str, ...], typed: str) -> Done:
        return subprocess.run(
            [INSTEP, "alert", *arguments, *self.workspace],
            env=os.environ | self.settings,
            input=typed,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )

    async def json(self, *arguments: str, typed: str = "") -> Json:
        done = await self.run(*arguments, "--json", typed=typed)
        assert done.returncode == 0, done.stderr
        answer: Json = json.loads(done.stdout)
        return answer

    async def refused(self, *arguments: str) -> str:
        done = await self.run(*arguments)
        assert (done.returncode, done.stdout) == (1, "")
        [line] = done.stderr.splitlines()
        assert line.startswith("instep: ")
        return line


@pytest.fixture
def operator(database_url: str, cast: Cast) -> Operator:
    return Operator(database_url, cast.acme.workspace_id)


async def test_a_channel_is_added_tested_listed_and_removed(
    operator: Operator, database: Database, cast: Cast, chat: Chat, nearby: Nearby
) -> None:
    bot = str(cast.acme.bot_id)
    await add_target(database, cast.globex)

    added = await operator.json("add", bot, ADDRESSES["slack"], "--for", "handoff")
    assert added == {
        "id": added["id"],
        "botId": bot,
        "tool": "slack",
        "address": "https://hooks.slack.com/…4bcd",
        "alerts": ["handoff"],
        "status": "untried",
        "lastError": None,
        "sentAt": None,
        "createdAt": added["createdAt"],
    }

    tested = await operator.run("test", added["id"])
    assert tested.stdout == (
        f"{added['id']} gets a test message: `instep alert list` shows what became of it.\n"
    )
    await send_due(database, nearby)
    assert len(chat.posted) == 1

    [listed] = (await operator.json("list"))["results"]
    assert listed == {**added, "status": "working", "sentAt": listed["sentAt"]}
    assert (await operator.run("list")).stdout == (
        f"{added['id']}  {bot}  handoff  https://hooks.slack.com/…4bcd  working  -\n"
    )

    assert (await operator.json("remove", added["id"]))["id"] == added["id"]
    assert (await operator.json("list"))["results"] == []


async def test_the_address_can_be_kept_off_the_command_line(operator: Operator, cast: Cast) -> None:
    """What stands there, others on the machine can see, and the shell remembers."""
    typed = ADDRESSES["mattermost"] + "\n"

    done = await operator.run("add", str(cast.acme.bot_id), "-", typed=typed)

    [listed] = (await operator.json("list"))["results"]
    assert done.stdout == f"{listed['id']}  https://chat.example.com/…smno\n"
    assert (listed["tool"], listed["alerts"]) == ("mattermost", ["handoff", "lead"])


async def test_what_is_wrong_is_said_in_one_sentence(
    operator: Operator, database: Database, cast: Cast, owner: Tx
) -> None:
    bot = str(cast.acme.bot_id)
    foreign = await add_target(database, cast.globex)

    wrong = ADDRESSES["slack"].replace("/services", "/elsewhere")
    cases: dict[tuple[str, ...], str] = {
        ("add", bot, wrong): "incoming webhook",
        ("add", bot, ADDRESSES["slack"], "--for", "everything"): "handoff, lead",
        ("add", str(cast.globex.bot_id), ADDRESSES["slack"]): "instep bot list",
        ("add", "acme", ADDRESSES["slack"]): "instep bot list",
        ("remove", foreign.id): "instep alert list",
        ("test", foreign.id): "instep alert list",
    }

    for arguments, words in cases.items():
        refusal = await operator.refused(*arguments)
        assert words in refusal
        assert TOKENS["slack"] not in refusal
    assert await owner.value("select count(*) from jobs") == 0

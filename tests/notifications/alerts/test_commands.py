"""An operator's commands for alert targets."""

import pytest

from instep.platform.core.database import Database, Tx
from tests.notifications.alerts.chat import Chat, Nearby
from tests.support.alert_targets import ADDRESSES, TOKENS, add_target, send_due
from tests.support.cast import Cast
from tests.support.commands import CommandResult, Operator
from tests.support.wording import like


class Alerts:
    """An operator's `instep alert` in the workspace of Acme."""

    def __init__(self, operator: Operator, cast: Cast) -> None:
        self.operator = operator
        self.workspace = ("--workspace", cast.acme.workspace_id)

    async def run(self, *arguments: str, typed: str = "") -> CommandResult:
        return await self.operator.run("alert", *arguments, *self.workspace, typed=typed)


@pytest.fixture
def alerts(operator: Operator, cast: Cast) -> Alerts:
    return Alerts(operator, cast)


async def test_a_channel_is_added_tested_listed_and_removed(
    alerts: Alerts, database: Database, cast: Cast, chat: Chat, nearby: Nearby
) -> None:
    bot = str(cast.acme.bot_id)
    await add_target(database, cast.globex)

    added = (await alerts.run("add", bot, ADDRESSES["slack"], "--for", "handoff", "--json")).json
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

    tested = await alerts.run("test", added["id"])
    assert tested.text == like(f"{added['id']}…`instep alert list`…\n")
    await send_due(database, nearby)
    assert len(chat.posted) == 1

    [listed] = (await alerts.run("list", "--json")).json["results"]
    assert listed == {**added, "status": "working", "sentAt": listed["sentAt"]}
    header, row = (await alerts.run("list")).text.splitlines()
    assert header.startswith("ID  ")
    assert row == f"{added['id']}  {bot}  handoff  https://hooks.slack.com/…4bcd  working  -"

    assert (await alerts.run("remove", added["id"], "--json")).json["id"] == added["id"]
    assert (await alerts.run("list", "--json")).json["results"] == []


async def test_the_address_can_be_kept_off_the_command_line(alerts: Alerts, cast: Cast) -> None:
    """Others on the machine can see the command line, and the shell stores it."""
    typed = ADDRESSES["mattermost"] + "\n"

    result = await alerts.run("add", str(cast.acme.bot_id), "-", typed=typed)

    [listed] = (await alerts.run("list", "--json")).json["results"]
    assert result.text == f"{listed['id']}  https://chat.example.com/…smno\n"
    assert (listed["tool"], listed["alerts"]) == ("mattermost", ["handoff", "lead"])


async def test_invalid_arguments_are_refused_in_one_sentence(
    alerts: Alerts, database: Database, cast: Cast, owner: Tx
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
        refusal = (await alerts.run(*arguments)).refusal
        assert words in refusal
        assert TOKENS["slack"] not in refusal
    assert await owner.value("select count(*) from jobs") == 0

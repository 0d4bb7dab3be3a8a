"""`instep alert …`."""

import sys
from typing import Annotated

import typer

from instep.cli.admin_session import in_bot, in_workspace, operator_ctx
from instep.cli.helping import Area, command
from instep.cli.options import AsJson, BotArgument, InWorkspace
from instep.cli.output import say, say_list
from instep.notifications.alerts import actions
from instep.notifications.alerts.actions import list_alert_targets
from instep.notifications.alerts.queries import bot_of
from instep.notifications.alerts.schemas import AlertTarget, AlertTargetOut
from instep.platform.core.database import Tx
from instep.platform.core.errors import NotFound
from instep.platform.identity.schemas import Ctx

app = typer.Typer(cls=Area)


@command(
    app,
    "add",
    "instep alert add acme-help https://hooks.slack.com/services/…",
    "instep alert add acme-help - --for handoff < address.txt",
)
def add_alert(
    bot: BotArgument,
    url: Annotated[
        str, typer.Argument(metavar="URL", help="The webhook's URL; `-` reads it from standard input.")
    ],
    kinds: Annotated[
        list[str] | None,
        typer.Option(
            "--for", help="The kind of alert: handoff, lead or review; repeatable, the first two by default."
        ),
    ] = None,
    workspace: InWorkspace = None,
    as_json: AsJson = False,
) -> None:
    """Send alerts about handoffs and leads to a channel in Slack, Discord, Teams or Mattermost."""
    address = sys.stdin.readline().strip() if url == "-" else url
    alert_kinds = kinds or actions.DEFAULT_ALERTS
    target = AlertTargetOut.of(in_bot(workspace, bot, actions.add_alert_target, address, alert_kinds))
    say(target, f"{target.id}  {target.address}", as_json)


@command(app, "list", "instep alert list")
def show_alerts(workspace: InWorkspace = None, as_json: AsJson = False) -> None:
    """List the channels, without their secret addresses."""
    targets = in_workspace(workspace, list_alert_targets)
    columns = ("id", "bot_id", "alerts", "address", "status", "last_error")
    rows = [AlertTargetOut.of(target) for target in targets]
    say_list(rows, columns, as_json, "instep alert add BOT URL")


@command(app, "remove", "instep alert remove alt_…")
def remove_alert(
    target_id: Annotated[str, typer.Argument(metavar="ID")],
    workspace: InWorkspace = None,
    as_json: AsJson = False,
) -> None:
    """Stop sending alerts to a channel."""

    async def remove(tx: Tx, workspace_id: str) -> AlertTarget:
        return await actions.remove_alert_target(await target_ctx(tx, workspace_id, target_id), target_id)

    target = AlertTargetOut.of(in_workspace(workspace, remove))
    say(target, f"{target.id} no longer gets alerts.", as_json)


@command(app, "test", "instep alert test alt_…")
def send_test_alert(
    target_id: Annotated[str, typer.Argument(metavar="ID")],
    workspace: InWorkspace = None,
    as_json: AsJson = False,
) -> None:
    """Send a test alert to a channel; `instep alert list` shows whether it arrived."""

    async def test(tx: Tx, workspace_id: str) -> AlertTarget:
        return await actions.test_alert_target(await target_ctx(tx, workspace_id, target_id), target_id)

    target = AlertTargetOut.of(in_workspace(workspace, test))
    say(target, f"{target.id} gets a test alert: `instep alert list` shows whether it arrives.", as_json)


async def target_ctx(tx: Tx, workspace_id: str, target_id: str) -> Ctx:
    """The context of an operator, on the bot of an alert target."""
    bot_id = await bot_of(tx, workspace_id, target_id)
    if bot_id is None:
        raise NotFound(f"No alert target has the id {target_id}: `instep alert list` shows them.")
    return await operator_ctx(tx, workspace_id, str(bot_id))

"""`instep key …`."""

from typing import Annotated

import typer

from instep.accounts.workspaces import actions
from instep.accounts.workspaces.queries import list_keys
from instep.accounts.workspaces.schemas import NewKey, key_out, new_key_out
from instep.cli.admin_session import in_workspace
from instep.cli.helping import Area, command
from instep.cli.options import AsJson, InWorkspace
from instep.cli.output import as_lines, say, say_list
from instep.platform.core.database import Tx
from instep.platform.identity.scopes import Scope

app = typer.Typer(cls=Area)


@command(
    app,
    "create",
    "instep key create ci --scope content:propose --bot acme-help",
    "instep key create reporting --scope content:read",
)
def create_key(
    name: str,
    scope: Annotated[Scope, typer.Option(help="The permissions of the key.")],
    bot: Annotated[
        list[str] | None,
        typer.Option(help="The id or slug of a bot that the key covers; repeatable, all by default."),
    ] = None,
    workspace: InWorkspace = None,
    as_json: AsJson = False,
) -> None:
    """Create an API key. It can't be shown again."""

    async def create(tx: Tx, workspace_id: str) -> NewKey:
        bots = [
            (await actions.find_bot_by_reference(tx, workspace_id, reference)).id for reference in bot or []
        ]
        return await actions.create_key(tx, workspace_id, name, scope, bots)

    key = new_key_out(in_workspace(workspace, create))
    say(key, as_lines(key), as_json)


@command(app, "list", "instep key list", "instep key list --json")
def show_keys(workspace: InWorkspace = None, as_json: AsJson = False) -> None:
    """List the API keys, without their secrets."""
    keys = in_workspace(workspace, list_keys)
    columns = ("id", "scope", "last_four", "revoked_at", "name")
    say_list([key_out(key) for key in keys], columns, as_json, "instep key create NAME --scope content:write")


@command(app, "revoke", "instep key revoke key_…")
def revoke_key(
    key_id: Annotated[str, typer.Argument(metavar="ID")],
    workspace: InWorkspace = None,
    as_json: AsJson = False,
) -> None:
    """Revoke an API key: the next call with it is refused."""
    key = in_workspace(workspace, actions.revoke_key, key_id)
    say(key_out(key), f"{key_id} was revoked.", as_json)

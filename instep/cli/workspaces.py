"""`instep workspace …`."""

from typing import Annotated

import typer

from instep.accounts.workspaces import actions
from instep.accounts.workspaces.deletion import delete_workspace
from instep.accounts.workspaces.queries import list_workspaces
from instep.accounts.workspaces.schemas import workspace_out
from instep.cli.admin_session import as_owner
from instep.cli.helping import Area, command
from instep.cli.options import AsJson
from instep.cli.output import say, say_list

app = typer.Typer(cls=Area)


@command(app, "create", 'instep workspace create "Acme"')
def create_workspace(name: str, as_json: AsJson = False) -> None:
    """Create a workspace."""
    workspace = workspace_out(as_owner(lambda tx: actions.create_workspace(tx, name)))
    say(workspace, f"{workspace.id}  {workspace.name}", as_json)


@command(app, "list", "instep workspace list")
def show_workspaces(as_json: AsJson = False) -> None:
    """List the workspaces."""
    workspaces = as_owner(list_workspaces)
    rows = [workspace_out(workspace) for workspace in workspaces]
    say_list(rows, ("id", "paused_at", "name"), as_json, "instep workspace create NAME")


@command(app, "pause", "instep workspace pause", "instep workspace pause Acme")
def pause_workspace(
    workspace: Annotated[
        str | None, typer.Argument(metavar="WORKSPACE", help="The workspace's id or name.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Pause a workspace: writes are refused; reads, the site and answers still work."""
    out = workspace_out(as_owner(lambda tx: actions.pause_workspace(tx, workspace)))
    say(out, f"{out.id} is paused.", as_json)


@command(app, "resume", "instep workspace resume", "instep workspace resume Acme")
def resume_workspace(
    workspace: Annotated[
        str | None, typer.Argument(metavar="WORKSPACE", help="The workspace's id or name.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Resume a paused workspace: writes are accepted again."""
    out = workspace_out(as_owner(lambda tx: actions.resume_workspace(tx, workspace)))
    say(out, f"{out.id} is resumed.", as_json)


@command(app, "delete", 'instep workspace delete ws_… --yes-delete "Acme"')
def remove_workspace(
    workspace: Annotated[str, typer.Argument(metavar="WORKSPACE", help="The workspace's id or name.")],
    name: Annotated[str, typer.Option("--yes-delete", metavar="NAME", help="The name, to confirm it.")],
    as_json: AsJson = False,
) -> None:
    """Delete a paused workspace with all its content, keys and people. This can't be undone."""
    out = workspace_out(as_owner(lambda tx: delete_workspace(tx, workspace, name)))
    say(out, f"{out.id} is deleted.", as_json)

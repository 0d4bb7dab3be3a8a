"""`instep key …`."""

from typing import Annotated

import typer

from instep.cli.options import AsJson, InWorkspace
from instep.cli.owner import as_bot_id, in_workspace
from instep.cli.saying import as_lines, say, say_list
from instep.identity.scopes import Scope

app = typer.Typer(no_args_is_help=True, help="API keys.")


@app.command("create")
def create_key(
    name: str,
    scope: Annotated[Scope, typer.Option(help="What the key may do.")],
    bot: Annotated[list[str] | None, typer.Option(help="A bot that it covers; all when not given.")] = None,
    workspace: InWorkspace = None,
    as_json: AsJson = False,
) -> None:
    """Make an API key. It is shown this once."""
    from instep.workspaces import actions
    from instep.workspaces.schemas import new_key_out

    bots = [as_bot_id(given) for given in bot or []]
    made = in_workspace(workspace, lambda tx, own: actions.create_key(tx, own, name, scope, bots))
    key = new_key_out(made)
    say(key, as_lines(key), as_json)


@app.command("list")
def show_keys(workspace: InWorkspace = None, as_json: AsJson = False) -> None:
    """List the API keys, without their secrets."""
    from instep.workspaces.queries import list_keys
    from instep.workspaces.schemas import key_out

    keys = in_workspace(workspace, list_keys)
    say_list([key_out(key) for key in keys], ("id", "scope", "last_four", "revoked_at", "name"), as_json)


@app.command("revoke")
def revoke_key(
    key_id: Annotated[str, typer.Argument(metavar="ID")],
    workspace: InWorkspace = None,
    as_json: AsJson = False,
) -> None:
    """End an API key: the next call with it is refused."""
    from instep.workspaces import actions
    from instep.workspaces.schemas import key_out

    revoked = in_workspace(workspace, lambda tx, own: actions.revoke_key(tx, own, key_id))
    say(key_out(revoked), f"{key_id} is revoked.", as_json)

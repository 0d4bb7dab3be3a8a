"""`instep bot …`."""

from typing import TYPE_CHECKING, Annotated

import typer

from instep.cli.options import AsJson, InWorkspace
from instep.cli.owner import acting, as_bot_id, in_workspace
from instep.cli.saying import as_lines, say, say_list

if TYPE_CHECKING:
    from instep.core.database import Tx

app = typer.Typer(no_args_is_help=True, help="Help centers.")


@app.command("create")
def create_bot(
    name: str,
    slug: Annotated[
        str | None, typer.Option(help="Its place in addresses; made from the name by default.")
    ] = None,
    locale: Annotated[str, typer.Option(help="The language that its articles are written in.")] = "en",
    origin: Annotated[
        list[str] | None, typer.Option(help="Whose pages may ask it, such as https://example.com.")
    ] = None,
    workspace: InWorkspace = None,
    as_json: AsJson = False,
) -> None:
    """Make a help center."""
    from instep.workspaces import actions
    from instep.workspaces.schemas import bot_out

    made = in_workspace(
        workspace, lambda tx, own: actions.create_bot(tx, own, name, slug, locale, origin or [])
    )
    bot = bot_out(made)
    say(bot, as_lines(bot), as_json)


@app.command("list")
def show_bots(workspace: InWorkspace = None, as_json: AsJson = False) -> None:
    """List the help centers."""
    from instep.workspaces.queries import list_bots
    from instep.workspaces.schemas import bot_out

    bots = in_workspace(workspace, list_bots)
    say_list([bot_out(bot) for bot in bots], ("id", "slug", "bot_key", "name"), as_json)


@app.command("origins")
def change_origins(
    bot_id: Annotated[str, typer.Argument(metavar="ID")],
    add: Annotated[list[str] | None, typer.Option(help="Open it to pages of this origin.")] = None,
    remove: Annotated[list[str] | None, typer.Option(help="Close it to pages of this origin.")] = None,
    workspace: InWorkspace = None,
    as_json: AsJson = False,
) -> None:
    """Change whose pages may ask a bot; without options only show it."""
    from instep.workspaces import actions
    from instep.workspaces.schemas import bot_out

    bot = as_bot_id(bot_id)
    changed = in_workspace(
        workspace, lambda tx, own: actions.change_origins(tx, own, bot, add or [], remove or [])
    )
    shown = bot_out(changed)
    say(shown, as_lines(shown), as_json)


@app.command("visitor-secret")
def show_visitor_secret(
    bot_id: Annotated[str, typer.Argument(metavar="ID")],
    rotate: Annotated[
        bool, typer.Option("--rotate", help="Make a new one; tokens signed with the old one are refused.")
    ] = False,
    workspace: InWorkspace = None,
    as_json: AsJson = False,
) -> None:
    """Show the secret by which your server proves who is signed in; keep it on your server."""
    from instep.answers.schemas import VisitorSecretOut
    from instep.answers.visitor_tokens import visitor_secret

    async def show(tx: "Tx", own: str) -> str:
        return await visitor_secret(await acting(tx, own, as_bot_id(bot_id)), rotate)

    shown = VisitorSecretOut(bot_id=bot_id, visitor_secret=in_workspace(workspace, show))
    say(shown, shown.visitor_secret, as_json)

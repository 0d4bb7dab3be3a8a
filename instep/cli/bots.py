"""`instep bot …`."""

from typing import Annotated

import typer

from instep.accounts.workspaces import actions, domain_claims
from instep.accounts.workspaces.queries import list_bots
from instep.accounts.workspaces.schemas import BotRow, DomainOut, bot_out
from instep.cli.admin_session import in_bot, in_workspace
from instep.cli.helping import Area, command
from instep.cli.options import AsJson, BotArgument, InWorkspace
from instep.cli.output import as_lines, say, say_list
from instep.platform.core.database import Tx
from instep.platform.core.errors import InvalidRequest
from instep.platform.identity.schemas import Ctx
from instep.visitors.answers.schemas import VisitorSecretOut
from instep.visitors.answers.visitor_tokens import visitor_secret

app = typer.Typer(cls=Area)


@command(
    app,
    "create",
    'instep bot create "Acme Help"',
    'instep bot create "Acme Hilfe" --slug hilfe --locale de --origin https://acme.example',
)
def create_bot(
    name: str,
    slug: Annotated[
        str | None, typer.Option(help="The slug in its URLs; by default generated from the name.")
    ] = None,
    locale: Annotated[str, typer.Option(help="The language of its articles.")] = "en",
    origin: Annotated[
        list[str] | None,
        typer.Option(help="An origin whose pages can use it, such as https://example.com; repeatable."),
    ] = None,
    workspace: InWorkspace = None,
    as_json: AsJson = False,
) -> None:
    """Create a help center."""
    out = bot_out(in_workspace(workspace, actions.create_bot, name, slug, locale, origin or []))
    say(out, as_lines(out), as_json)


@command(app, "list", "instep bot list", "instep bot list --json")
def show_bots(workspace: InWorkspace = None, as_json: AsJson = False) -> None:
    """List the help centers."""
    bots = in_workspace(workspace, list_bots)
    columns = ("id", "slug", "bot_key", "name")
    say_list([bot_out(bot) for bot in bots], columns, as_json, "instep bot create NAME")


@command(app, "origins", "instep bot origins acme-help --add https://app.acme.example")
def change_origins(
    bot: BotArgument,
    add: Annotated[list[str] | None, typer.Option(help="Allow pages of this origin; repeatable.")] = None,
    remove: Annotated[
        list[str] | None, typer.Option(help="No longer allow pages of this origin; repeatable.")
    ] = None,
    workspace: InWorkspace = None,
    as_json: AsJson = False,
) -> None:
    """Change the origins whose pages can use a bot; without options, show them."""

    async def change(tx: Tx, workspace_id: str) -> BotRow:
        row = await actions.find_bot_by_reference(tx, workspace_id, bot)
        return await actions.change_origins(tx, workspace_id, row.id, add or [], remove or [])

    out = bot_out(in_workspace(workspace, change))
    say(out, as_lines(out), as_json)


@command(
    app,
    "accent",
    'instep bot accent acme-help --set "#e8b500"',
    "instep bot accent acme-help --remove",
)
def change_accent(
    bot: BotArgument,
    colour: Annotated[
        str | None,
        typer.Option("--set", help="Any opaque CSS color; light and dark mode each get a readable shade."),
    ] = None,
    remove: Annotated[bool, typer.Option("--remove", help="Reset to the default blue.")] = False,
    workspace: InWorkspace = None,
    as_json: AsJson = False,
) -> None:
    """Change the color of links, focus rings and highlights in a help center; without options, show it."""
    if colour is not None and remove:
        raise InvalidRequest("Use `--set` or `--remove`, not both.")

    async def change(tx: Tx, workspace_id: str) -> BotRow:
        row = await actions.find_bot_by_reference(tx, workspace_id, bot)
        if colour is None and not remove:
            return row
        return await actions.change_accent(tx, workspace_id, row.id, colour)

    out = bot_out(in_workspace(workspace, change))
    say(out, as_lines(out), as_json)


@command(
    app,
    "domain",
    "instep bot domain acme-help --set help.acme.com",
    "instep bot domain acme-help --remove",
)
def change_domain(
    bot: BotArgument,
    host: Annotated[
        str | None,
        typer.Option("--set", help="The host name, such as help.acme.com; no DNS record is checked."),
    ] = None,
    remove: Annotated[bool, typer.Option("--remove", help="Go back to this server's address.")] = False,
    workspace: InWorkspace = None,
    as_json: AsJson = False,
) -> None:
    """Give a help center its own host name, as the operator; without options, show it."""
    if host is not None and remove:
        raise InvalidRequest("Use `--set` or `--remove`, not both.")

    async def change(tx: Tx, workspace_id: str) -> BotRow:
        row = await actions.find_bot_by_reference(tx, workspace_id, bot)
        if host is None and not remove:
            return row
        return await domain_claims.change_domain(tx, workspace_id, row.id, host)

    row = in_workspace(workspace, change)
    out = DomainOut(bot_id=str(row.id), domain=row.domain, claimed_domain=row.claimed_domain)
    say(out, as_lines(out), as_json)


@command(
    app,
    "visitor-secret",
    "instep bot visitor-secret acme-help",
    "instep bot visitor-secret acme-help --rotate",
)
def show_visitor_secret(
    bot: BotArgument,
    rotate: Annotated[
        bool, typer.Option("--rotate", help="Replace the secret; tokens signed with the old one are refused.")
    ] = False,
    workspace: InWorkspace = None,
    as_json: AsJson = False,
) -> None:
    """Show the secret with which your server signs visitor tokens; keep it on your server."""

    async def show(ctx: Ctx) -> VisitorSecretOut:
        secret = await visitor_secret(ctx, rotate)
        return VisitorSecretOut(bot_id=str(ctx.bot.id), visitor_secret=secret)

    out = in_bot(workspace, bot, show)
    say(out, out.visitor_secret, as_json)

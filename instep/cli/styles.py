"""`instep style …`."""

from pathlib import Path
from typing import Annotated

import typer

from instep.cli.admin_session import ctx_of_bot, in_workspace
from instep.cli.helping import Area, command
from instep.cli.options import InBot, InWorkspace
from instep.content.style import actions
from instep.content.style.actions import find_style
from instep.content.style.files import read_style
from instep.content.style.schemas import Style
from instep.content.style.vale import read_vale
from instep.platform.core.database import Tx

app = typer.Typer(cls=Area)


@command(app, "export", "instep style export > style.json", "instep style export --bot acme-help")
def export_style(bot: InBot = None, workspace: InWorkspace = None) -> None:
    """Print the style of a help center as JSON, for `instep check --style`."""

    async def find(tx: Tx, workspace_id: str) -> Style:
        return await find_style(await ctx_of_bot(tx, workspace_id, bot))

    typer.echo(in_workspace(workspace, find).model_dump_json(by_alias=True, indent=2))


@command(
    app, "import", "instep style import .vale/styles/Acme", "instep style import style.json --bot acme-help"
)
def import_style(
    path: Annotated[
        Path, typer.Argument(metavar="PATH", help="A folder of Vale, or a file of `instep style export`.")
    ],
    bot: InBot = None,
    workspace: InWorkspace = None,
) -> None:
    """Add a Vale style to that of a help center, or replace it with an exported one."""
    vale = read_vale(path) if path.is_dir() else None

    async def store(tx: Tx, workspace_id: str) -> Style:
        ctx = await ctx_of_bot(tx, workspace_id, bot)
        style = vale.added_to(await actions.find_style(ctx, lock=True)) if vale else read_style(path)
        await actions.update_style(ctx, style)
        return style

    style = in_workspace(workspace, store)
    for sentence in vale.skipped if vale else ():
        typer.echo(f"Left out: {sentence}.", err=True)
    typer.echo(f"The style has {len(style.terms):,} terms and {len(style.avoid_words):,} words to avoid.")

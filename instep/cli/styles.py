"""`instep style …`."""

from pathlib import Path
from typing import Annotated

import typer

from instep.cli.admin_session import in_bot
from instep.cli.helping import Area, command
from instep.cli.options import InBot, InWorkspace
from instep.content.style import actions
from instep.content.style.files import read_style
from instep.content.style.schemas import Style
from instep.content.style.vale import read_vale
from instep.platform.identity.schemas import Ctx

app = typer.Typer(cls=Area)


@command(app, "export", "instep style export > style.json", "instep style export --bot acme-help")
def export_style(bot: InBot = None, workspace: InWorkspace = None) -> None:
    """Print the style of a help center as JSON, for `instep check --style`."""
    typer.echo(in_bot(workspace, bot, actions.find_style).model_dump_json(by_alias=True, indent=2))


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

    async def store(ctx: Ctx) -> Style:
        style = vale.added_to(await actions.find_style(ctx, lock=True)) if vale else read_style(path)
        await actions.update_style(ctx, style)
        return style

    style = in_bot(workspace, bot, store)
    for sentence in vale.skipped if vale else ():
        typer.echo(f"Left out: {sentence}.", err=True)
    typer.echo(f"The style has {len(style.terms):,} terms and {len(style.avoid_words):,} words to avoid.")

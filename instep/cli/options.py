"""Options that many commands have."""

from typing import Annotated

import typer

AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")]
InWorkspace = Annotated[
    str | None,
    typer.Option("--workspace", help="The workspace's id or name; required if there are several."),
]
BotArgument = Annotated[str, typer.Argument(metavar="BOT", help="The bot's id or slug.")]
InBot = Annotated[
    str | None, typer.Option("--bot", help="The bot's id or slug; required if there are several.")
]

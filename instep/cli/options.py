"""Options that many commands have."""

from typing import Annotated

import typer

AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")]
InWorkspace = Annotated[
    str | None,
    typer.Option("--workspace", help="Its id or name; required if there are several."),
]
BotArgument = Annotated[str, typer.Argument(metavar="BOT", help="Its id or slug.")]
InBot = Annotated[str | None, typer.Option("--bot", help="Its id or slug; required if there are several.")]

"""Options that many commands have."""

from typing import Annotated

import typer

AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")]
InWorkspace = Annotated[str | None, typer.Option("--workspace", help="Needed once there are several.")]

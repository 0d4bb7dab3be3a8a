"""`instep drift`, for a checkout."""

import os
from pathlib import Path
from typing import Annotated

import typer

from instep.cli.options import AsJson


def drift(
    path: Annotated[
        Path, typer.Argument(metavar="PATH", help="The checkout; by default the current folder.")
    ] = Path(),
    bot: Annotated[
        str | None,
        typer.Option(
            envvar="INSTEP_BOT", metavar="BOT", help="The bot's id or slug, if the key covers several bots."
        ),
    ] = None,
    since: Annotated[
        str | None,
        typer.Option(metavar="REV", help="Only consider changes to the code since this revision."),
    ] = None,
    limit: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="The maximum number of findings.")
    ] = None,
    as_json: AsJson = False,
    as_sarif: Annotated[bool, typer.Option("--sarif", help="Print SARIF 2.1.0 and nothing else.")] = False,
) -> None:
    """Find statements in articles at INSTEP_URL that the code contradicts; exits with 3 if there are any."""
    from instep.client.drift.command import DriftOptions, run_drift

    raise typer.Exit(run_drift(DriftOptions(path, bot, since, limit, as_json, as_sarif), os.environ))

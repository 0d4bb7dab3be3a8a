"""`instep sync`, for CI."""

import os
from pathlib import Path
from typing import Annotated

import typer

from instep.cli.options import AsJson


def sync(
    path: Annotated[
        Path, typer.Argument(metavar="PATH", help="A folder of Markdown files in a git checkout.")
    ],
    bot: Annotated[
        str | None,
        typer.Option(
            envvar="INSTEP_BOT", metavar="BOT", help="The bot's id or slug, if the key covers several bots."
        ),
    ] = None,
    drafts: Annotated[
        bool,
        typer.Option("--draft", help="Propose the changes from git as drafts instead of publishing them."),
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show what would change; the exit code is 3 if anything would.")
    ] = False,
    restart: Annotated[
        bool,
        typer.Option(
            "--restart", help="After a forced push: forget the last sync; differences become drafts."
        ),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Sync a folder in git with the help center at INSTEP_URL, with INSTEP_API_KEY, usually in CI.

    Changes in git go live. Changes in Instep are written to the files, for you to commit.
    """
    from instep.client.ci.folder_sync import SyncOptions, run_sync

    raise typer.Exit(run_sync(SyncOptions(path, bot, drafts, dry_run, restart, as_json), os.environ))

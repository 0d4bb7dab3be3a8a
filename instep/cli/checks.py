"""`instep check`, for folders of Markdown."""

import os
from pathlib import Path
from typing import Annotated

import typer

AsJson = Annotated[bool, typer.Option("--json", help="Print all findings as JSON, for programs.")]


def check(
    path: Annotated[Path, typer.Argument(metavar="PATH", help="A folder, or one file.")],
    style: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Also check a style that `instep style export` has written."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Find broken links, anchors, images and front matter in Markdown files, without a server."""
    from instep.transfer.linting.command import check_folder

    raise typer.Exit(check_folder(path, os.environ, style, as_json=as_json))

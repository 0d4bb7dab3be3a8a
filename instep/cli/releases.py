"""`instep release`, for jobs that deploy."""

import os
from typing import Annotated

import typer

from instep.cli.options import AsJson


def release(
    url: Annotated[
        list[str] | None,
        typer.Option(metavar="URL", help="The web page of a shipped change; repeatable."),
    ] = None,
    revisions: Annotated[
        str | None,
        typer.Option(
            "--range",
            metavar="A..B",
            help="The shipped commits: includes their pull requests, commits and tags.",
        ),
    ] = None,
    bot: Annotated[
        str | None,
        typer.Option(
            envvar="INSTEP_BOT", metavar="BOT", help="The bot's id or slug, if the key covers several bots."
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Apply the drafts approved for shipped changes, at INSTEP_URL, with INSTEP_API_KEY."""
    from instep.client.review.release import ReleaseOptions, run_release

    options = ReleaseOptions(url or (), revisions, bot, as_json)
    raise typer.Exit(run_release(options, os.environ))

"""`instep change`, for CI."""

import os
from typing import Annotated

import typer

from instep.cli.options import AsJson
from instep.client.ci.environment import Kind
from instep.platform.core import limits


def change(
    base: Annotated[
        str | None, typer.Option(metavar="REV", help="The revision to compare with; by default from the CI.")
    ] = None,
    head: Annotated[
        str | None, typer.Option(metavar="REV", help="The last commit; by default from the CI, or HEAD.")
    ] = None,
    title: Annotated[str | None, typer.Option(help="Its title; by default from the CI.")] = None,
    url: Annotated[str | None, typer.Option(help="Its web page; by default from the CI.")] = None,
    kind: Annotated[Kind | None, typer.Option(help="Its kind; by default from the CI.")] = None,
    path: Annotated[
        list[str] | None,
        typer.Option(metavar="PATH", help="Only send files in this folder of the checkout; repeatable."),
    ] = None,
    bot: Annotated[
        str | None,
        typer.Option(
            envvar="INSTEP_BOT", metavar="BOT", help="Its id or slug, for a key that covers several."
        ),
    ] = None,
    wait: Annotated[bool, typer.Option("--wait", help="Wait for drafts and places, and show them.")] = False,
    check: Annotated[
        bool,
        typer.Option("--check", help="Wait, and exit with code 3 if articles need an edit or new text."),
    ] = False,
    comment: Annotated[
        bool,
        typer.Option(
            "--comment", help="Wait, and post drafts and places as a comment on the pull or merge request."
        ),
    ] = False,
    timeout: Annotated[
        int, typer.Option(min=1, metavar="SECONDS", help="How long to wait; then the exit code is 4.")
    ] = limits.TASK_WAIT_SECONDS,
    as_json: AsJson = False,
) -> None:
    """Send the code change of this checkout as a task to INSTEP_URL, with INSTEP_API_KEY, usually in CI."""
    from instep.client.ci.command import Options, send_change

    options = Options(base, head, title, url, kind, bot, path or (), wait, check, comment, timeout, as_json)
    raise typer.Exit(send_change(options, os.environ))

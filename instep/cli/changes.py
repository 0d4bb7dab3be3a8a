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
    title: Annotated[str | None, typer.Option(help="The change's title; by default from the CI.")] = None,
    url: Annotated[str | None, typer.Option(help="The change's web page; by default from the CI.")] = None,
    kind: Annotated[Kind | None, typer.Option(help="The kind of change; by default from the CI.")] = None,
    path: Annotated[
        list[str] | None,
        typer.Option(metavar="PATH", help="Only send files in this folder of the checkout; repeatable."),
    ] = None,
    label: Annotated[
        list[str] | None,
        typer.Option(metavar="LABEL", help="A label of the change; repeatable; by default from the CI."),
    ] = None,
    branch: Annotated[
        str | None,
        typer.Option(
            metavar="BRANCH",
            help="The branch it goes to, which decides about its version; by default from the CI.",
        ),
    ] = None,
    bot: Annotated[
        str | None,
        typer.Option(
            envvar="INSTEP_BOT", metavar="BOT", help="The bot's id or slug, if the key covers several bots."
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
        int, typer.Option(min=1, metavar="SECONDS", help="How long to wait; after that, the exit code is 4.")
    ] = limits.TASK_WAIT_SECONDS,
    since: Annotated[
        str | None,
        typer.Option(metavar="TIME", help="Send each change merged since then: 30d, 2w, 12h, 2026-10-31."),
    ] = None,
    last: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="Send each of the last N merged changes.")
    ] = None,
    range: Annotated[
        str | None, typer.Option(metavar="A..B", help="Send each change merged between two revisions.")
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Count the merged changes that would be sent, and send none.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Send the code change of this checkout as a task to INSTEP_URL, with INSTEP_API_KEY, usually in CI.

    With --since, --last or --range, each merged change in the history becomes a separate task, oldest first.
    """
    from instep.client.ci.backfill import BackfillOptions
    from instep.client.ci.command import Options

    options = Options(
        *(base, head, title, url, kind, bot, path or (), wait, check, comment, timeout, as_json, label or ()),
        branch=branch,
    )
    raise typer.Exit(BackfillOptions(options, since, last, range, dry_run).run(os.environ))

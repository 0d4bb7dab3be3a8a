"""The commands and options of `instep.pyz`: each does the same as in `instep`."""

import os
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from pathlib import Path
from typing import Any, get_args

from instep import __version__
from instep.client.ci.backfill import BackfillOptions
from instep.client.ci.command import Options
from instep.client.ci.environment import Kind
from instep.client.ci.folder_sync import SyncOptions, run_sync
from instep.client.drift.command import DriftOptions, run_drift
from instep.client.review.release import ReleaseOptions, run_release
from instep.platform.core import limits


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code; a wrong option exits with 2."""
    for stream in (sys.stdout, sys.stderr):
        # In a log with another encoding than UTF-8, characters that it lacks are escaped.
        stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    options = new_parser().parse_args(arguments)
    code: int = options.run(options)
    return code


def new_parser() -> ArgumentParser:
    parser = ArgumentParser(prog="instep", description="Keeps help articles in step with code, from CI.")
    parser.add_argument("--version", action="version", version=f"instep {__version__}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    add_change(commands)
    add_release(commands)
    add_drift(commands)
    add_sync(commands)
    return parser


def add_change(commands: Any) -> None:
    """The options of `instep change`."""
    summary = "Send the code change of this checkout as a task to INSTEP_URL."
    parser = commands.add_parser("change", help=summary, description=summary, allow_abbrev=False)
    parser.set_defaults(run=run_change)
    parser.add_argument("--base", metavar="REV", help="The revision to compare with; by default from the CI.")
    parser.add_argument("--head", metavar="REV", help="The last commit; by default from the CI, or HEAD.")
    parser.add_argument("--title", help="The change's title; by default from the CI.")
    parser.add_argument("--url", help="The change's web page; by default from the CI.")
    parser.add_argument("--kind", choices=get_args(Kind), help="The kind of change; by default from the CI.")
    parser.add_argument(
        "--path",
        action="append",
        default=[],
        help="Only send files in this folder of the checkout; repeatable.",
    )
    parser.add_argument(
        "--label",
        action="append",
        default=[],
        help="A label of the change; repeatable; by default from the CI.",
    )
    parser.add_argument(
        "--branch",
        help="The branch it goes to, which decides about its version; by default from the CI.",
    )
    add_bot(parser)
    parser.add_argument("--wait", action="store_true", help="Wait for drafts and places, and show them.")
    parser.add_argument(
        "--check", action="store_true", help="Wait, and exit with code 3 if articles need an edit."
    )
    parser.add_argument(
        "--comment",
        action="store_true",
        help="Wait, and post drafts and places as a comment on the pull or merge request.",
    )
    parser.add_argument(
        "--timeout",
        type=positive_number,
        default=limits.TASK_WAIT_SECONDS,
        metavar="SECONDS",
        help="How long to wait; after that, the exit code is 4.",
    )
    add_backfill(parser)
    add_json(parser)


def add_backfill(parser: Any) -> None:
    """The options that choose merged changes of the history."""
    parser.add_argument(
        "--since", metavar="TIME", help="Send each change merged since then: 30d, 2w, 12h, 2026-10-31."
    )
    parser.add_argument(
        "--last", type=positive_number, metavar="N", help="Send each of the last N merged changes."
    )
    parser.add_argument("--range", metavar="A..B", help="Send each change merged between two revisions.")
    parser.add_argument(
        "--dry-run",
        action="store_true",
        help="Count the merged changes that would be sent, and send none.",
    )


def run_change(options: Namespace) -> int:
    backfill = BackfillOptions(
        Options(
            base=options.base,
            head=options.head,
            title=options.title,
            url=options.url,
            kind=options.kind,
            bot=options.bot,
            paths=options.path,
            wait=options.wait,
            check=options.check,
            comment=options.comment,
            timeout=options.timeout,
            as_json=options.json,
            labels=options.label,
            branch=options.branch,
        ),
        options.since,
        options.last,
        options.range,
        options.dry_run,
    )
    return backfill.run(os.environ)


def add_release(commands: Any) -> None:
    """The options of `instep release`."""
    summary = "Apply the drafts that were approved for shipped changes, at INSTEP_URL."
    parser = commands.add_parser("release", help=summary, description=summary, allow_abbrev=False)
    parser.set_defaults(run=lambda given: run_release(release_options(given), os.environ))
    parser.add_argument(
        "--url", action="append", default=[], help="The web page of a shipped change; repeatable."
    )
    parser.add_argument(
        "--range",
        metavar="A..B",
        help="The shipped commits: includes their pull requests, commits and tags.",
    )
    add_bot(parser)
    add_json(parser)


def release_options(options: Namespace) -> ReleaseOptions:
    return ReleaseOptions(options.url, options.range, options.bot, options.json)


def add_drift(commands: Any) -> None:
    """The options of `instep drift`."""
    summary = "Find statements in articles at INSTEP_URL that the code of this checkout contradicts."
    parser = commands.add_parser("drift", help=summary, description=summary, allow_abbrev=False)
    parser.set_defaults(run=lambda given: run_drift(drift_options(given), os.environ))
    parser.add_argument(
        "path",
        metavar="PATH",
        type=Path,
        nargs="?",
        default=Path(),
        help="The checkout; by default the current folder.",
    )
    parser.add_argument(
        "--since", metavar="REV", help="Only consider changes to the code since this revision."
    )
    parser.add_argument("--limit", type=positive_number, metavar="N", help="The maximum number of findings.")
    add_bot(parser)
    add_json(parser)
    parser.add_argument("--sarif", action="store_true", help="Print SARIF 2.1.0 and nothing else.")


def drift_options(options: Namespace) -> DriftOptions:
    return DriftOptions(options.path, options.bot, options.since, options.limit, options.json, options.sarif)


def add_sync(commands: Any) -> None:
    """The options of `instep sync`."""
    summary = "Sync a folder in git with the help center at INSTEP_URL."
    parser = commands.add_parser("sync", help=summary, description=summary, allow_abbrev=False)
    parser.set_defaults(run=lambda given: run_sync(sync_options(given), os.environ))
    parser.add_argument(
        "path", metavar="PATH", type=Path, help="A folder of Markdown files in a git checkout."
    )
    parser.add_argument(
        "--draft",
        action="store_true",
        help="Propose the changes from git as drafts instead of publishing them.",
    )
    parser.add_argument(
        "--dry-run",
        action="store_true",
        help="Show what would change; the exit code is 3 if anything would.",
    )
    parser.add_argument(
        "--restart",
        action="store_true",
        help="After a forced push: forget the last sync; differences become drafts.",
    )
    add_bot(parser)
    add_json(parser)


def sync_options(options: Namespace) -> SyncOptions:
    return SyncOptions(
        options.path, options.bot, options.draft, options.dry_run, options.restart, options.json
    )


def add_bot(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--bot",
        default=os.environ.get("INSTEP_BOT"),
        help="The bot's id or slug, if the key covers several bots.",
    )


def add_json(parser: ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="Print one JSON object and nothing else.")


def positive_number(text: str) -> int:
    """A whole number, at least 1; anything else is a wrong option."""
    number = int(text)
    if number < 1:
        raise ValueError
    return number

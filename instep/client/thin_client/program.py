"""The commands of `instep.pyz`: each does the same as in `instep`, with the same options."""

import os
import sys
from argparse import ArgumentParser
from collections.abc import Callable, Mapping, Sequence
from typing import Any, get_args

from instep import __version__
from instep.client.ci.backfill import run_change
from instep.client.ci.environment import Kind
from instep.client.ci.folder_sync import run_sync
from instep.client.ci.options import (
    ChangeOptions,
    DeclaredOption,
    DriftOptions,
    ReleaseOptions,
    SyncOptions,
    declared_options,
)
from instep.client.drift.command import run_drift
from instep.client.review.release import run_release

Run = Callable[[Any, Mapping[str, str]], int]
COMMANDS: dict[str, tuple[type[Any], Run, str]] = {
    "change": (
        ChangeOptions,
        run_change,
        "Send the code change of this checkout as a task to INSTEP_URL.",
    ),
    "release": (
        ReleaseOptions,
        run_release,
        "Apply the drafts that were approved for shipped changes, at INSTEP_URL.",
    ),
    "drift": (
        DriftOptions,
        run_drift,
        "Find statements in articles at INSTEP_URL that the code of this checkout contradicts.",
    ),
    "sync": (SyncOptions, run_sync, "Sync a folder in git with the help center at INSTEP_URL."),
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code; a wrong option exits with 2."""
    for stream in (sys.stdout, sys.stderr):
        # In a log with another encoding than UTF-8, characters that it lacks are escaped.
        stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    given = vars(new_parser().parse_args(arguments))
    options, run, _ = COMMANDS[given.pop("command")]
    return run(options(**given), os.environ)


def new_parser() -> ArgumentParser:
    parser = ArgumentParser(prog="instep", description="Keeps help articles in step with code, from CI.")
    parser.add_argument("--version", action="version", version=f"instep {__version__}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND", dest="command")
    for name, (options, _, summary) in COMMANDS.items():
        command = commands.add_parser(name, help=summary, description=summary, allow_abbrev=False)
        for option in declared_options(options):
            add_option(command, option)
    return parser


def add_option(command: ArgumentParser, option: DeclaredOption) -> None:
    settings: dict[str, Any] = {"help": option.help.text, "default": option.default}
    if option.help.is_argument:
        count = None if option.is_required else "?"
        command.add_argument(
            option.field, metavar=option.help.value, type=option.kind, nargs=count, **settings
        )
        return
    if option.kind is bool:
        settings["action"] = "store_true"
    elif option.is_repeatable:
        settings |= {"action": "append", "default": [], "metavar": option.help.value}
    elif option.kind == Kind | None:
        settings["choices"] = get_args(Kind)
    else:
        settings["metavar"] = option.help.value
    if option.kind in (int, int | None):
        settings["type"] = positive_number
    if option.help.variable:
        settings["default"] = os.environ.get(option.help.variable)
    command.add_argument(option.flag, dest=option.field, **settings)


def positive_number(text: str) -> int:
    """A whole number, at least 1; anything else is a wrong option."""
    number = int(text)
    if number < 1:
        raise ValueError
    return number

"""The article about all commands, from the application that `instep` runs."""

import inspect
from collections.abc import Iterator

import typer
from typer.core import TyperArgument, TyperCommand, TyperGroup, TyperOption

from instep.cli import app
from instep.cli.helping import name_values
from scripts.reference.tables import code, table

PAGE = "06-reference/01-commands.md"
BEGINNING = """\
---
title: Commands
description: Every command of Instep with its arguments, options, defaults and examples.
---
`instep help` prints the same in a terminal, and `instep help key create` prints the help of one command. \
`instep --version` prints the version.

With `--json`, commands print one JSON object and nothing else. Commands with `--workspace` \
work on the installation itself: run them on the server, with its settings. `--workspace` is required only \
if there are several workspaces.
"""


def commands_page() -> str:
    root = typer.main.get_command(app)
    assert isinstance(root, TyperGroup)
    return "\n".join([BEGINNING, *parts_of(root, "instep", level=2)])


def parts_of(group: TyperGroup, words: str, level: int) -> Iterator[str]:
    """The headings, sentences, tables and examples of all commands of a group, in its own order."""
    context = typer.Context(group)
    for name in group.list_commands(context):
        command = group.commands[name]
        assert isinstance(command, TyperCommand | TyperGroup)
        yield f"{'#' * level} {words} {name}\n"
        yield f"{sentences_of(command)}\n"
        if isinstance(command, TyperGroup):
            yield from parts_of(command, f"{words} {name}", level + 1)
        else:
            yield from details_of(command)


def sentences_of(command: TyperCommand | TyperGroup) -> str:
    paragraphs = inspect.cleandoc(command.help or "").split("\n\n")
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in paragraphs)


def details_of(command: TyperCommand) -> Iterator[str]:
    parameters = [parameter for parameter in command.params if not getattr(parameter, "hidden", False)]
    name_values(parameters)
    if rows := [row_of(parameter) for parameter in parameters]:
        yield f"{table(('option', 'default', 'meaning'), rows)}\n"
    if command.epilog:
        yield f"```text\n{command.epilog}\n```\n"


def row_of(parameter: object) -> tuple[str, str, str]:
    assert isinstance(parameter, TyperArgument | TyperOption)
    meaning = parameter.help or ""
    if isinstance(parameter, TyperArgument):
        return code(parameter.metavar), "required" if parameter.required else "", meaning
    if parameter.envvar:
        meaning += f" Or the variable `{parameter.envvar}`."
    words = f"{parameter.opts[-1]} {parameter.metavar or ''}".strip()
    return code(words), default_of(parameter), meaning


def default_of(option: TyperOption) -> str:
    if option.required:
        return "required"
    if option.is_flag or option.default is None or option.multiple:
        return ""
    return code(option.default)

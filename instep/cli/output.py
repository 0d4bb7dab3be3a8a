"""Prints the results of commands, as text or as JSON."""

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import typer

from instep.cli.table import table

if TYPE_CHECKING:
    from pydantic import BaseModel


def say(out: "BaseModel", text: str, as_json: bool) -> None:
    typer.echo(out.model_dump_json(by_alias=True) if as_json else text)


def as_lines(out: "BaseModel") -> str:
    """The non-empty fields, with their names in the API."""
    fields = out.model_dump(mode="json", by_alias=True)
    return "\n".join(f"{name}: {as_text(value)}" for name, value in fields.items() if value not in (None, []))


def as_text(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{name}={text}" for name, text in value.items())
    return ", ".join(value) if isinstance(value, list) else str(value)


def say_list(rows: "Sequence[BaseModel]", columns: tuple[str, ...], as_json: bool, creation: str) -> None:
    """Print rows as a table or as JSON; without rows, the command for the `creation` of the first."""
    if as_json:
        say_json_list(rows)
        return
    if not rows:
        typer.echo(f"None yet. Create the first one: {creation}")
        return
    fields = [row.model_dump(mode="json") for row in rows]
    cells = [[as_cell(row[column]) for column in columns] for row in fields]
    typer.echo(table([column.replace("_", " ") for column in columns], cells))


def say_json_list(rows: "Sequence[BaseModel]") -> None:
    typer.echo(json.dumps({"results": [row.model_dump(mode="json", by_alias=True) for row in rows]}))


def as_cell(value: str | list[str] | dict[str, str] | None) -> str:
    if isinstance(value, list):
        return ",".join(value)
    if isinstance(value, dict):
        return as_text(value)
    return "-" if value is None else value

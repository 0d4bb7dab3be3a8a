"""The JSON that an API answered, saved as files: every file is a page of a list, or one object."""

import json
from collections.abc import Container, Iterator, Sequence
from itertools import islice
from typing import Any

from instep.transfer.imports.tree.json_values import load_json
from instep.transfer.imports.tree.schemas import Losses, SourceFiles, UnreadableSource

Row = dict[str, Any]
# Files that are read to detect the product.
SAMPLE_FILES = 12


def json_paths(files: SourceFiles) -> Iterator[str]:
    return (path for path in files.paths() if path.lower().endswith(".json"))


def read_json(files: SourceFiles, path: str) -> Any:
    """The document in a file; raises `UnreadableSource`, which names the line."""
    try:
        return load_json(files.read(path).decode("utf-8-sig"))
    except json.JSONDecodeError as error:
        raise UnreadableSource(
            f"{path} is not valid JSON (line {error.lineno}: {error.msg}): save the response again."
        ) from None
    # A number of thousands of digits is an error of its own.
    except (ValueError, RecursionError):
        raise UnreadableSource(f"{path} is not valid JSON in UTF-8: save the response again.") from None


def sample(files: SourceFiles) -> Iterator[Any]:
    """The first documents of a source; those that can't be read are left out."""
    for path in islice(json_paths(files), SAMPLE_FILES):
        try:
            yield read_json(files, path)
        except UnreadableSource:
            continue


def documents(files: SourceFiles) -> Iterator[tuple[str, Any]]:
    return ((path, read_json(files, path)) for path in json_paths(files))


def rows(document: Any, plural: str, singular: str | None = None) -> list[Row]:
    """The objects of a kind: a list under its name, a list of `items` or `data` in that, or a single one."""
    if not isinstance(document, dict):
        return []
    value = document.get(plural)
    if isinstance(value, dict):
        value = value.get("items", value.get("data"))
    if value is None and singular is not None:
        value = [document.get(singular)]
    return objects(value)


def objects(value: Any) -> list[Row]:
    """The objects of a list that have an id."""
    if not isinstance(value, list):
        return []
    return [row for row in value if isinstance(row, dict) and row.get("id") is not None]


def text(row: Row, *names: str) -> str:
    """The first of the fields that holds text, or nothing."""
    values = (row.get(name) for name in names)
    return next((value for value in values if isinstance(value, str) and value.strip()), "")


def known_place(named: Sequence[str], places: Container[str], path: str, losses: Losses) -> str | None:
    """The key of the first collection that the source has of those that an article names.

    If it is not the first one, that one is reported.
    """
    home = next((place for place in named if place in places), None)
    if named and home != named[0]:
        where = "another one" if home else "no collection"
        losses.add(path, f"collection that isn't in the source ({named[0]}): the article is in {where}")
    return home


def keys(row: Row, *names: str) -> list[str]:
    """The ids in these fields, of which each has one or a list of them, as texts."""
    values = [row.get(name) for name in names]
    ids = [each for value in values for each in (value if isinstance(value, list) else [value])]
    return [str(each) for each in ids if isinstance(each, int | str) and str(each)]


def number(row: Row, name: str) -> float:
    """A number to order by; what has none comes last."""
    value = row.get(name)
    return float(value) if isinstance(value, int | float) else float("inf")


def key(row: Row, name: str = "id") -> str | None:
    """An id as text, whether the API writes it as a number or as text."""
    value = row.get(name)
    return str(value) if isinstance(value, int | str) and str(value) else None

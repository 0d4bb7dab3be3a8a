"""Reads saved JSON responses of an API: each file is a page of a list, or one object."""

import json
from collections import defaultdict
from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any

from instep.transfer.imports.tree.json_values import load_json
from instep.transfer.imports.tree.schemas import ImportedCollection, Losses, SourceFiles, UnreadableSource

Row = dict[str, Any]
# Files that are read to detect the product.
SAMPLE_FILES = 12
# A collection and its sort key among its siblings.
Ordered = tuple[tuple[float, str], ImportedCollection]


def json_paths(files: SourceFiles) -> Iterator[str]:
    return (path for path in files.paths() if path.lower().endswith(".json"))


def read_json(files: SourceFiles, path: str) -> Any:
    """The document in a file; raises `UnreadableSource` with the line."""
    try:
        return load_json(files.read(path).decode("utf-8-sig"))
    except json.JSONDecodeError as error:
        raise UnreadableSource(
            f"{path} is not valid JSON (line {error.lineno}: {error.msg}): save the response again."
        ) from None
    # A number with thousands of digits raises a `ValueError` of its own.
    except (ValueError, RecursionError):
        raise UnreadableSource(f"{path} is not valid JSON in UTF-8: save the response again.") from None


def sample(files: SourceFiles) -> Iterator[Any]:
    """The first documents of a source, without those that can't be read."""
    for path in islice(json_paths(files), SAMPLE_FILES):
        try:
            yield read_json(files, path)
        except UnreadableSource:
            continue


def documents(files: SourceFiles) -> Iterator[tuple[str, Any]]:
    return ((path, read_json(files, path)) for path in json_paths(files))


def rows(document: Any, plural: str, singular: str | None = None) -> list[Row]:
    """The objects of a kind: a list under its name, `items` or `data` in that, or a single object."""
    if not isinstance(document, dict):
        return []
    value = document.get(plural)
    if isinstance(value, dict):
        value = value.get("items", value.get("data"))
    if value is None and singular is not None:
        value = [document.get(singular)]
    return objects(value)


def objects(value: Any) -> list[Row]:
    """The objects in a list that have an id."""
    if not isinstance(value, list):
        return []
    return [row for row in value if isinstance(row, dict) and row.get("id") is not None]


def text(row: Row, *names: str) -> str:
    """The value of the first of these fields that contains text; empty if none does."""
    values = (row.get(name) for name in names)
    return next((value for value in values if isinstance(value, str) and value.strip()), "")


def known_place(named: Sequence[str], places: Container[str], path: str, losses: Losses) -> str | None:
    """The key of the first collection of an article that is in the source.

    If it is not the first one that the article names, that is reported.
    """
    home = next((place for place in named if place in places), None)
    if named and home != named[0]:
        where = "another one" if home else "no collection"
        losses.add(path, f"collection that isn't in the source ({named[0]}): the article is in {where}")
    return home


def keys(row: Row, *names: str) -> list[str]:
    """The ids in these fields as texts; each field contains one or a list of them."""
    values = [row.get(name) for name in names]
    ids = [each for value in values for each in (value if isinstance(value, list) else [value])]
    return [str(each) for each in ids if isinstance(each, int | str) and str(each)]


def number(row: Row, name: str) -> float:
    """A number for sorting; values that are not numbers come last."""
    value = row.get(name)
    return float(value) if isinstance(value, int | float) else float("inf")


def key(row: Row, name: str = "id") -> str | None:
    """An id as text, which the API writes as a number or as text."""
    value = row.get(name)
    return str(value) if isinstance(value, int | str) and str(value) else None


def in_reading_order(ordered: Iterable[Ordered]) -> list[ImportedCollection]:
    """Collections depth first, parents first; one with an unknown or circular parent is at the top."""
    rows = dict[str, Ordered]()
    for place, collection in ordered:
        rows[collection.key] = (place, collection)
    below: defaultdict[str | None, list[Ordered]] = defaultdict(list)
    for place, collection in rows.values():
        below[collection.parent if collection.parent in rows else None].append((place, collection))
    arranged = dict[str, ImportedCollection]()

    def add(parent: str | None) -> None:
        for _, collection in sorted(below.pop(parent, ()), key=lambda row: row[0]):
            arranged[collection.key] = replace(collection, parent=parent)
            add(collection.key)

    add(None)
    for key, (_, collection) in rows.items():
        if key not in arranged:
            arranged[key] = replace(collection, parent=None)
            add(key)
    return list(arranged.values())


def order_of(collections: Iterable[ImportedCollection]) -> dict[str | None, int]:
    """The position of each collection by its key, for sorting pages."""
    return {collection.key: place for place, collection in enumerate(collections)}

"""Sorts collections of any depth into reading order."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import replace

from instep.transfer.imports.tree.schemas import ImportedCollection

# A collection and its sort key among its siblings.
Ordered = tuple[tuple[float, str], ImportedCollection]


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

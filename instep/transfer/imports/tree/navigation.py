"""A declared navigation as collections, and the pages in its order."""

import posixpath
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from instep.transfer.imports.tree.schemas import ImportedCollection, ImportedPage, Losses


@dataclass(slots=True)
class Entry:
    """A place in a navigation: a page, a heading over other entries, or both; `page` is a page's key."""

    title: str
    page: str | None = None
    entries: list["Entry"] = field(default_factory=list)
    description: str | None = None


@dataclass(slots=True)
class _Arranger:
    pages: Mapping[str, ImportedPage]
    collections: list[ImportedCollection] = field(default_factory=list)
    arranged: dict[str, ImportedPage] = field(default_factory=dict)
    keys: set[str] = field(default_factory=set)

    def add(self, entries: Iterable[Entry], parent: str | None) -> None:
        for entry in entries:
            place = parent
            if any(True for _ in pages_of(entry.entries)):
                place = self.add_collection(entry, parent)
            if entry.page and entry.page in self.pages and entry.page not in self.arranged:
                self.arranged[entry.page] = replace(self.pages[entry.page], collection=place)
            self.add(entry.entries, place)

    def add_collection(self, entry: Entry, parent: str | None) -> str:
        key = base = f"{parent}/{entry.title}" if parent else entry.title
        number = 2
        while key in self.keys:
            key, number = f"{base} ({number})", number + 1
        self.keys.add(key)
        self.collections.append(ImportedCollection(key, entry.title, parent, entry.description))
        return key


def arrange(
    entries: Sequence[Entry], pages: Mapping[str, ImportedPage], losses: Losses
) -> tuple[tuple[ImportedPage, ...], tuple[ImportedCollection, ...]]:
    """All pages in the order of a navigation, and the collections that it makes of headings with pages below.

    A page that it names twice stands at the first place, a page with others below it is the first of its
    collection. A page that it doesn't name is reported; it follows at the end, in the collection that holds
    all pages beside it.
    """
    arranger = _Arranger(pages)
    arranger.add(entries, None)
    parents = {collection.key: collection.parent for collection in arranger.collections}
    collection_of_folder: dict[str, str | None] = {}
    for page in arranger.arranged.values():
        folder = posixpath.dirname(page.path)
        collection_of_folder[folder] = _shared(
            page.collection, collection_of_folder.get(folder, page.collection), parents
        )
    for key, page in pages.items():
        if key not in arranger.arranged and page.translation_of is None:
            losses.add(page.path, "page that isn't in the navigation: placed after the others")
            place = _nearest(posixpath.dirname(page.path), collection_of_folder)
            arranger.arranged[key] = replace(page, collection=place)
    arranged = (*arranger.arranged.values(), *_translations(pages, arranger.arranged))
    return arranged, tuple(arranger.collections)


def _translations(
    pages: Mapping[str, ImportedPage], originals: Mapping[str, ImportedPage]
) -> Iterable[ImportedPage]:
    """The translations in the order and the collections of what they translate."""
    order = {key: number for number, key in enumerate(originals)}
    rows = [page for key, page in pages.items() if key not in originals]
    for page in sorted(
        rows, key=lambda page: (page.locale or "", order.get(page.translation_of or "", len(order)))
    ):
        original = originals.get(page.translation_of or "")
        yield replace(page, collection=original.collection if original else None)


def _shared(first: str | None, second: str | None, parents: Mapping[str, str | None]) -> str | None:
    """The deepest collection that holds two, if any does."""
    above = []
    while first is not None:
        above.append(first)
        first = parents[first]
    while second is not None and second not in above:
        second = parents[second]
    return second


def _nearest(folder: str, collection_of_folder: Mapping[str, str | None]) -> str | None:
    """The collection of the pages in a folder, or in the next one above that has pages in a collection."""
    while folder:
        if folder in collection_of_folder:
            return collection_of_folder[folder]
        folder = posixpath.dirname(folder)
    return None


def pages_of(entries: Iterable[Entry]) -> Iterable[str]:
    """The keys of all pages below entries."""
    for entry in entries:
        if entry.page is not None:
            yield entry.page
        yield from pages_of(entry.entries)

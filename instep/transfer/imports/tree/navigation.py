"""Turns a declared navigation into collections, and sorts the pages by it."""

import posixpath
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import dropwhile, groupby

from instep.transfer.imports.tree.schemas import ImportedCollection, ImportedPage, Inclusion, Losses


@dataclass(slots=True)
class Entry:
    """An entry of a navigation: a page, a heading of other entries, or both; `page` is the key of a page."""

    title: str
    page: str | None = None
    entries: list["Entry"] = field(default_factory=list)
    description: str | None = None
    # True for a group that the source does not have, see `ordered_entries`.
    is_added: bool = False


@dataclass(slots=True)
class _Arranger:
    pages: Mapping[str, ImportedPage]
    collections: list[ImportedCollection] = field(default_factory=list)
    arranged: dict[str, ImportedPage] = field(default_factory=dict)
    keys: set[str] = field(default_factory=set)
    added: set[str | None] = field(default_factory=set)

    def add(self, entries: Iterable[Entry], parent: str | None) -> None:
        for entry in entries:
            place = parent
            if any(True for _ in pages_of(entry.entries)):
                place = self.add_collection(entry, parent)
                self.added |= {place} if entry.is_added else set()
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
    """All pages in the order of a navigation, and a collection for each heading with pages below it.

    A repeated page keeps its first position, and a page with subpages is the first one of its collection. A
    page that is not in the navigation is reported. If other pages include its text, it is left out; otherwise
    it is added at the end, in the collection that contains all pages of its folder.
    """
    pages = _without_snippets(entries, pages, losses)
    arranger = _Arranger(pages)
    arranger.add(entries, None)
    parents = {collection.key: collection.parent for collection in arranger.collections}
    collection_of_folder: dict[str, str | None] = {}
    for page in arranger.arranged.values():
        folder = posixpath.dirname(page.path)
        collection = None if page.collection in arranger.added else page.collection
        collection_of_folder[folder] = _shared(
            collection, collection_of_folder.get(folder, collection), parents
        )
    for key, page in pages.items():
        if key not in arranger.arranged and page.translation_of is None:
            losses.add(page.path, "page that isn't in the navigation: placed after the others")
            place = _nearest(posixpath.dirname(page.path), collection_of_folder)
            arranger.arranged[key] = replace(page, collection=place)
    arranged = (*arranger.arranged.values(), *_translations(pages, arranger.arranged))
    return arranged, tuple(arranger.collections)


def ordered_entries(
    entries: Sequence[Entry], pages: Mapping[str, ImportedPage], losses: Losses
) -> list[Entry]:
    """The top of a declared navigation with a collection for each run of pages that stand before a group.

    A help center shows articles without a collection after all collections. The collection has the title of
    its first page. Within a collection, articles are listed apart from subcollections, so pages that follow
    a group are reported.
    """
    runs = [(is_group, list(run)) for is_group, run in groupby(entries, lambda entry: bool(entry.entries))]
    ordered: list[Entry] = []
    for number, (is_group, run) in enumerate(runs, 1):
        title = next((page.title for entry in run if (page := pages.get(entry.page or ""))), None)
        is_before_group = not is_group and number < len(runs)
        ordered += [Entry(title, None, run, is_added=True)] if is_before_group and title is not None else run
    for entry in ordered:
        _tell_late_pages(entry, losses)
    return ordered


def _tell_late_pages(entry: Entry, losses: Losses) -> None:
    late = list(dropwhile(lambda child: not child.entries, entry.entries))
    if number := sum(not child.entries for child in late):
        losses.add(
            entry.title, f"pages after a group ({number:,} in total): articles are listed apart from groups"
        )
    for child in entry.entries:
        _tell_late_pages(child, losses)


def tell_labels(labels: Iterable[tuple[str, ImportedPage]], path: str, losses: Losses) -> None:
    """Report labels in the navigation that differ from the titles: articles have only a title."""
    others = [(label, page.title) for label, page in labels if label and label != page.title]
    if others:
        example = f"such as “{others[0][0]}” for “{others[0][1]}”"
        losses.add(path, f"navigation label other than the title ({len(others):,} in total): {example}")


def _without_snippets(
    entries: Sequence[Entry], pages: Mapping[str, ImportedPage], losses: Losses
) -> dict[str, ImportedPage]:
    """The pages without those whose text arrives only inside other pages, which are reported.

    A page and its translations are left out together, or not at all. Their addresses lead to the first page
    that shows their text.
    """
    listed, included = set(pages_of(entries)), {row.path for row in losses.inclusions}
    candidates = {
        page.path
        for key, page in pages.items()
        if page.path in included and not {key, page.translation_of} & listed
    }
    hosts = _hosts(pages.values(), candidates, losses.inclusions)
    kept = {page.translation_of or key for key, page in pages.items() if page.path not in hosts}
    snippets = [page for key, page in pages.items() if (page.translation_of or key) not in kept]
    addresses: defaultdict[str, list[str]] = defaultdict(list)
    for page in sorted(snippets, key=lambda page: page.path):
        what = "page that isn't in the navigation: left out, because other pages include its text"
        losses.add(page.path, what)
        addresses[hosts[page.path]] += [page.address] if page.address else []
    return {
        key: replace(page, former_addresses=(*page.former_addresses, *addresses[page.path]))
        for key, page in pages.items()
        if (page.translation_of or key) in kept
    }


def _hosts(
    pages: Iterable[ImportedPage], candidates: Collection[str], inclusions: Iterable[Inclusion]
) -> dict[str, str]:
    """The first page that shows the text of each candidate, directly or inside other candidates, by paths.

    Candidates that only include each other have none.
    """
    inner: defaultdict[str, list[str]] = defaultdict(list)
    for row in inclusions:
        inner[row.page].append(row.path)
    hosts: dict[str, str] = {}
    for page in pages:
        waiting = [] if page.path in candidates else [page.path]
        while waiting:
            reached = [path for path in inner[waiting.pop()] if path in candidates and path not in hosts]
            hosts |= dict.fromkeys(reached, page.path)
            waiting += reached
    return hosts


def _translations(
    pages: Mapping[str, ImportedPage], originals: Mapping[str, ImportedPage]
) -> Iterable[ImportedPage]:
    """The translations, in the order and the collections of their originals."""
    order = {key: number for number, key in enumerate(originals)}
    rows = [page for key, page in pages.items() if key not in originals]
    for page in sorted(
        rows, key=lambda page: (page.locale or "", order.get(page.translation_of or "", len(order)))
    ):
        original = originals.get(page.translation_of or "")
        yield replace(page, collection=original.collection if original else None)


def _shared(first: str | None, second: str | None, parents: Mapping[str, str | None]) -> str | None:
    """The deepest common ancestor of two collections, if any."""
    above = []
    while first is not None:
        above.append(first)
        first = parents[first]
    while second is not None and second not in above:
        second = parents[second]
    return second


def _nearest(folder: str, collection_of_folder: Mapping[str, str | None]) -> str | None:
    """The common collection of the pages in a folder, or in the nearest parent folder with such pages."""
    while folder:
        if folder in collection_of_folder:
            return collection_of_folder[folder]
        folder = posixpath.dirname(folder)
    return None


def pages_of(entries: Iterable[Entry]) -> Iterable[str]:
    """The keys of all pages in entries and below them."""
    for entry in entries:
        if entry.page is not None:
            yield entry.page
        yield from pages_of(entry.entries)

"""Turns a declared navigation into collections, and sorts the pages by it."""

import posixpath
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby

from instep.platform.core import limits
from instep.transfer.imports.tree.schemas import ImportedCollection, ImportedPage, Losses

_MARKUP = str.maketrans("", "", "`*\\")


@dataclass(slots=True)
class Entry:
    """An entry of a navigation: a page, a heading of other entries, or both; `page` is the key of a page.

    The title of a page without other entries is its label, or empty if the source gives none.
    """

    title: str
    page: str | None = None
    entries: list["Entry"] = field(default_factory=list)
    description: str | None = None
    # True for a group that the source does not have, see `_with_added_groups`.
    is_added: bool = False


@dataclass(slots=True)
class _Arranger:
    pages: Mapping[str, ImportedPage]
    losses: Losses
    is_declared: bool
    collections: list[ImportedCollection] = field(default_factory=list)
    arranged: dict[str, ImportedPage] = field(default_factory=dict)
    keys: set[str] = field(default_factory=set)
    added: set[str | None] = field(default_factory=set)
    # The titles of the entries of pages, by key.
    labels: dict[str, str] = field(default_factory=dict)

    def add(self, entries: Iterable[Entry], parent: ImportedCollection | None, level: int = 0) -> None:
        """Place the pages in collections of the next level; a page keeps its first position.

        Within a collection, articles are listed apart from subcollections, so pages that follow a group are
        reported. Deeper groups than a help center has become a part of their collection.
        """
        late, is_after_group = 0, False
        for entry in entries:
            number = len(self.arranged)
            is_group = any(key != entry.page for key in pages_of(entry.entries))
            if is_group:
                self._add_group(entry, parent, level)
            else:
                self.labels.setdefault(entry.page or "", entry.title)
                self._add_page(entry, parent)
            is_new = len(self.arranged) > number
            late += is_new and is_after_group and not is_group
            is_after_group = is_after_group or (is_new and is_group)
        if late and self.is_declared and parent and level < limits.MAX_COLLECTION_LEVELS:
            what = f"pages after a group ({late:,} in total): articles are listed apart from groups"
            self.losses.add(parent.title, what)

    def _add_page(self, entry: Entry, collection: ImportedCollection | None) -> None:
        if entry.page and entry.page in self.pages and entry.page not in self.arranged:
            key = collection.key if collection else None
            self.arranged[entry.page] = replace(self.pages[entry.page], collection=key)

    def _add_group(self, entry: Entry, parent: ImportedCollection | None, level: int) -> None:
        """A collection with the pages of a group; none for a group whose pages all have another place."""
        place, number = len(self.collections), len(self.arranged)
        collection = self._add_collection(entry, parent)
        self._add_page(entry, collection)
        self.add(entry.entries, collection, level + 1)
        if len(self.arranged) == number:
            del self.collections[place:]
            self.losses.add(entry.title, "group without pages of its own in the navigation: left out")

    def _add_collection(self, entry: Entry, parent: ImportedCollection | None) -> ImportedCollection:
        key = base = f"{parent.key}/{entry.title}" if parent else entry.title
        number = 2
        while key in self.keys:
            key, number = f"{base} ({number})", number + 1
        self.keys.add(key)
        self.added |= {key} if entry.is_added else set()
        above = parent.key if parent else None
        self.collections.append(ImportedCollection(key, entry.title, above, entry.description))
        return self.collections[-1]


def arrange(
    entries: Sequence[Entry],
    pages: Mapping[str, ImportedPage],
    losses: Losses,
    *,
    is_declared: bool = False,
) -> tuple[tuple[ImportedPage, ...], tuple[ImportedCollection, ...]]:
    """All pages in the order of a navigation, and a collection for each heading with pages below it.

    `is_declared` is true if a person wrote the navigation, in which pages may stand before and after groups.
    A repeated page keeps its first position, and a page with other pages below it is the first one of its
    collection. A page that is not in the navigation is reported. If other pages include its text, it is left
    out; otherwise it is added at the end, in the collection that contains all pages of its folder.
    """
    pages = _without_snippets(entries, pages, losses)
    arranger = _Arranger(pages, losses, is_declared)
    arranger.add(_with_added_groups(entries, pages) if is_declared else entries, None)
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
    _tell_labels(arranged, arranger.labels, losses)
    return arranged, tuple(arranger.collections)


def _with_added_groups(entries: Sequence[Entry], pages: Mapping[str, ImportedPage]) -> list[Entry]:
    """The top of a declared navigation with a group for each run of pages that stand before a group.

    A help center shows articles without a collection after all collections. The group has the title of the
    first page that has no place before it.
    """
    runs = [(is_group, list(run)) for is_group, run in groupby(entries, lambda entry: bool(entry.entries))]
    ordered: list[Entry] = []
    seen = set[str]()
    for number, (is_group, run) in enumerate(runs, 1):
        keys = (key for key in pages_of(run) if key in pages and key not in seen)
        first = None if is_group or number == len(runs) else next(keys, None)
        ordered += run if first is None else [Entry(pages[first].title, None, run, is_added=True)]
        seen.update(pages_of(run))
    return ordered


def _tell_labels(pages: Iterable[ImportedPage], labels: Mapping[str, str], losses: Losses) -> None:
    """Report labels in the navigation that differ from the titles: articles have only a title."""
    others = [
        (page, label)
        for page in pages
        for label in (labels.get(page.key), page.label)
        if label and label.translate(_MARKUP) != page.title.translate(_MARKUP)
    ]
    if others:
        page, label = others[0]
        number = len({each.key for each, _ in others})
        what = f"such as “{label}” for “{page.title}”"
        losses.add(page.path, f"navigation label other than the title ({number:,} in total): {what}")


def _without_snippets(
    entries: Sequence[Entry], pages: Mapping[str, ImportedPage], losses: Losses
) -> dict[str, ImportedPage]:
    """Leave out pages whose text appears only inside other pages, and report them.

    A page and its translations are left out together, or not at all. Their addresses lead to the first page
    that shows their text.
    """
    listed, included = set(pages_of(entries)), set[str]().union(*losses.files_of_page.values())
    candidates = {
        page.path
        for key, page in pages.items()
        if page.path in included and not {key, page.translation_of} & listed
    }
    hosts = _hosts(pages.values(), candidates, losses.files_of_page)
    articles = {page.translation_of or key for key, page in pages.items() if page.path not in hosts}
    snippets = [page for key, page in pages.items() if (page.translation_of or key) not in articles]
    addresses: defaultdict[str, list[str]] = defaultdict(list)
    for page in sorted(snippets, key=lambda page: page.path):
        what = "page that isn't in the navigation: left out, because other pages include its text"
        losses.add(page.path, what)
        addresses[hosts[page.path]] += [page.address] if page.address else []
    return {
        key: replace(page, former_addresses=(*page.former_addresses, *addresses[page.path]))
        for key, page in pages.items()
        if (page.translation_of or key) in articles
    }


def _hosts(
    pages: Iterable[ImportedPage], candidates: Collection[str], files_of_page: Mapping[str, set[str]]
) -> dict[str, str]:
    """The first page that shows the text of each candidate, by paths.

    Candidates that only include each other have none.
    """
    hosts: dict[str, str] = {}
    for page in pages:
        if page.path not in candidates:
            reached = files_of_page.get(page.path, set()).difference(hosts).intersection(candidates)
            hosts |= dict.fromkeys(reached, page.path)
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

"""Finds the pages of a source that are not articles: collections, and the changelog with its entries."""

from dataclasses import dataclass, field

from instep.content.redirects.path_patterns import ANY, segments_of
from instep.transfer.imports.plan.pattern_index import PatternIndex
from instep.transfer.imports.tree.file_names import without_extension
from instep.transfer.imports.tree.schemas import ImportedCollection, ImportedEntry, Tree


@dataclass(frozen=True, slots=True)
class Changelog:
    """The page with all entries."""


OtherPage = ImportedCollection | ImportedEntry | Changelog


@dataclass(slots=True)
class OtherPages:
    """These pages, by file, by public path, and by pattern of paths."""

    by_path: dict[str, OtherPage] = field(default_factory=dict)
    by_address: dict[str, OtherPage] = field(default_factory=dict)
    patterns: PatternIndex[OtherPage] = field(default_factory=PatternIndex)

    def at_address(self, path: str) -> OtherPage | None:
        exact = self.by_address.get(without_slashes(path))
        return exact or self.patterns.first_match(path)


def other_pages_of(tree: Tree) -> OtherPages:
    """Index them; of two pages with the same name, the first one gets it."""
    pages = OtherPages()
    if tree.changelog_folder is not None:
        pages.by_path[tree.changelog_folder] = Changelog()
    for entry in tree.entries:
        pages.by_path.setdefault(entry.path, entry)
    for collection in tree.collections:
        if collection.path is not None:
            pages.by_path.setdefault(collection.path, collection)
        for path in collection.other_paths:
            pages.by_path.setdefault(path, collection)
            pages.by_path.setdefault(without_extension(path), collection)
        for address in collection.addresses:
            if ANY in address:
                pages.patterns.add(address, collection)
            else:
                pages.by_address.setdefault(without_slashes(address), collection)
    return pages


def without_slashes(path: str) -> str:
    """A path in canonical form, without slashes at its ends."""
    return "/".join(segments_of(path))

"""Finds the pages of a source that are not articles: collections, and the changelog with its entries."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from instep.content.redirects.path_patterns import ANY, anchor_of, anchors_of, is_match, segments_of
from instep.transfer.imports.tree.file_names import without_extension
from instep.transfer.imports.tree.schemas import ImportedCollection, ImportedEntry, Tree

Target = TypeVar("Target")


@dataclass(frozen=True, slots=True)
class NumberedPattern(Generic[Target]):
    """A pattern with its number and its value."""

    number: int
    pattern: str
    target: Target


@dataclass(slots=True)
class PatternIndex(Generic[Target]):
    """Patterns by anchor; if several match a path, the one added first counts."""

    by_anchor: dict[str, list[NumberedPattern[Target]]] = field(default_factory=dict)
    count: int = 0

    def __iter__(self) -> Iterator[str]:
        return (row.pattern for rows in self.by_anchor.values() for row in rows)

    def add(self, pattern: str, target: Target) -> None:
        row = NumberedPattern(self.count, pattern, target)
        self.by_anchor.setdefault(anchor_of(pattern), []).append(row)
        self.count += 1

    def first_match(self, path: str) -> Target | None:
        if not self.count:
            return None
        rows = (row for anchor in anchors_of(path) for row in self.by_anchor.get(anchor, ()))
        matches = (row for row in rows if is_match(row.pattern, path))
        first = min(matches, key=lambda row: row.number, default=None)
        return first.target if first is not None else None


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

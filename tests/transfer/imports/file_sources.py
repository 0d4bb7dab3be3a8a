"""Small sources that tests write themselves, and what they ask of the tree that a reader makes."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from instep.transfer.imports.tree.schemas import ImportedPage, Reader, Tree


@dataclass(frozen=True, slots=True)
class WrittenFiles:
    """The files of a source, by their paths, each with its text."""

    texts: Mapping[str, str]

    def paths(self) -> Iterable[str]:
        return sorted(self.texts)

    def read(self, path: str) -> bytes:
        return self.texts[path].encode()


def read_texts(reader: Reader, texts: Mapping[str, str]) -> Tree:
    """The tree of these files, which the reader must recognise."""
    files = WrittenFiles(texts)
    assert reader.recognises(files)
    return reader.read(files)


def page_at(tree: Tree, path: str) -> ImportedPage:
    return next(page for page in tree.pages if page.path == path)


def outline(tree: Tree) -> list[str]:
    """The titles of the pages in their order, below the titles of their collections."""
    collections = {collection.key: collection for collection in tree.collections}

    def titles_above(key: str | None) -> list[str]:
        return [*titles_above(collections[key].parent), collections[key].title] if key else []

    return [" > ".join([*titles_above(page.collection), page.title]) for page in tree.pages]


def told(tree: Tree) -> list[str]:
    """What could not be kept, with the lines."""
    return [f"{loss.path}:{loss.line or ''} {loss.what}" for loss in tree.losses]

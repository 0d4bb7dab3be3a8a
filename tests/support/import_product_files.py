"""Files of a source that a test writes down, and what a reader makes of them."""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from instep.transfer.imports.tree.schemas import ImportedPage, Reader, Tree


@dataclass(frozen=True)
class Files:
    """A source in memory; what is neither text nor bytes is written as JSON."""

    contents: dict[str, Any]

    def paths(self) -> Iterable[str]:
        return sorted(self.contents)

    def read(self, path: str) -> bytes:
        content = self.contents[path]
        if isinstance(content, bytes):
            return content
        return (content if isinstance(content, str) else json.dumps(content)).encode()


def read_tree(reader: Reader, contents: dict[str, Any]) -> Tree:
    """The tree of a source that the reader recognises."""
    files = Files(contents)
    assert reader.recognises(files)
    return reader.read(files)


def page_of(tree: Tree, key: str) -> ImportedPage:
    return next(page for page in tree.pages if page.key == key)


def told(tree: Tree) -> list[tuple[str, str]]:
    return sorted({(loss.path, loss.what) for loss in tree.losses})

"""Queries of import trees, for tests of the product readers."""

from instep.transfer.imports.tree.schemas import ImportedPage, Tree


def page_of(tree: Tree, key: str) -> ImportedPage:
    return next(page for page in tree.pages if page.key == key)


def told(tree: Tree) -> list[tuple[str, str]]:
    return sorted({(loss.path, loss.what) for loss in tree.losses})

"""The questions that tests of products' readers ask about a tree."""

from instep.transfer.imports.tree.schemas import ImportedPage, Tree


def page_of(tree: Tree, key: str) -> ImportedPage:
    return next(page for page in tree.pages if page.key == key)


def told(tree: Tree) -> list[tuple[str, str]]:
    return sorted({(loss.path, loss.what) for loss in tree.losses})

"""What tests of readers ask about addresses and redirects of a tree."""

from instep.transfer.imports.tree.schemas import Tree


def addresses(tree: Tree) -> dict[str, str | None]:
    return {page.path: page.address for page in tree.pages}


def redirects(tree: Tree) -> list[tuple[str, str]]:
    return [(row.source, row.target) for row in tree.redirects]

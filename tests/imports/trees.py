"""What tests ask about a tree."""

from instep.imports.tree import Tree


def outline(tree: Tree) -> list[str]:
    """Each page as "Collection / Collection / Title", in the order of the tree."""
    collections = {collection.key: collection for collection in tree.collections}

    def titles(key: str | None) -> list[str]:
        return [] if key is None else [*titles(collections[key].parent), collections[key].title]

    return [" / ".join([*titles(page.collection), page.title]) for page in tree.pages]


def addresses(tree: Tree) -> dict[str, str | None]:
    return {page.path: page.address for page in tree.pages}


def told(tree: Tree) -> list[str]:
    """Every loss as "path:line: what"."""
    return [f"{loss.path}:{loss.line or ''}: {loss.what}" for loss in tree.losses]


def redirects(tree: Tree) -> list[tuple[str, str]]:
    return [(row.source, row.target) for row in tree.redirects]

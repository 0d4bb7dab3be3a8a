"""Queries of import trees, for tests of readers."""

from instep.transfer.imports.tree.schemas import ImportedPage, Tree


def addresses(tree: Tree) -> dict[str, str | None]:
    return {page.path: page.address for page in tree.pages}


def redirects(tree: Tree) -> list[tuple[str, str]]:
    return [(row.source, row.target) for row in tree.redirects]


def page_at(tree: Tree, path: str) -> ImportedPage:
    return next(page for page in tree.pages if page.path == path)


def outline(tree: Tree) -> list[str]:
    """The pages' titles in order, each prefixed with the titles of its collections."""
    collections = {collection.key: collection for collection in tree.collections}

    def titles_above(key: str | None) -> list[str]:
        return [*titles_above(collections[key].parent), collections[key].title] if key else []

    return [" > ".join([*titles_above(page.collection), page.title]) for page in tree.pages]


def told(tree: Tree) -> list[str]:
    """The losses that a reader reports, with their lines."""
    return [f"{loss.path}:{loss.line or ''} {loss.what}" for loss in tree.losses]

"""Applies the files `_collection.md` of exports and synced folders, whichever reader has read the folders."""

import posixpath
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from instep.transfer.exports.file_contents import NO_COLLECTION, slug_of_name
from instep.transfer.exports.layout import COLLECTION_FILE
from instep.transfer.imports.markdown.own_fields import stated_visibility
from instep.transfer.imports.markdown.source_pages import read_page
from instep.transfer.imports.source.blank_pages import with_parents
from instep.transfer.imports.tree.schemas import ImportedCollection, ImportedPage, Losses, SourceFiles, Tree


def with_collection_files(tree: Tree, files: SourceFiles) -> Tree:
    """The tree whose collections are as their files say, without pages for these files.

    A file at the top describes the whole source, as in a folder of an export. If a navigation puts the pages
    of a folder elsewhere, the folder's visibility becomes that of its pages.
    """
    if tree.format == "instep":
        return tree
    losses = Losses()
    described = {row.key: row for row in _described_collections(files, losses)}
    if COLLECTION_FILE in described:
        tree = _below_top(tree, described[COLLECTION_FILE])
    keys = _keys_of_folders(tree, described)
    by_key = {key: described[path] for path, key in keys.items()}
    collections = (_as_described(row, by_key.get(row.key)) for row in tree.collections)
    pages = [page for page in tree.pages if page.path not in described]
    if described or tree.format == "plain":
        keys_by_slug = {described[path].slug: key for path, key in keys.items()}
        pages = [_in_named_collection(page, keys_by_slug, losses) for page in pages]
    hidden = tuple(
        path.removesuffix(COLLECTION_FILE)
        for path, row in described.items()
        if path not in keys and row.visibility != "public"
    )
    return replace(
        tree,
        collections=tuple(collections),
        pages=tuple(
            replace(page, visibility="authenticated") if page.path.startswith(hidden) else page
            for page in pages
        ),
        losses=(*tree.losses, *losses.rows),
    )


def _described_collections(files: SourceFiles, losses: Losses) -> Iterator[ImportedCollection]:
    """The collections of the files, with their paths as keys; the reader has reported what they lack."""
    for path in files.paths():
        if posixpath.basename(path) != COLLECTION_FILE:
            continue
        page = read_page(path, files.read(path), Losses())
        if not (title := page.fields.text("title")):
            continue
        if page.body.strip():
            losses.add(path, "text of a collection: left out, because only articles have a text")
        yield ImportedCollection(
            key=path,
            title=title,
            description=page.fields.text("description") or None,
            icon=page.fields.text("icon") or None,
            slug=page.fields.text("slug")
            or slug_of_name(posixpath.basename(posixpath.dirname(path)))
            or None,
            visibility=stated_visibility(page.fields, page.losses) or "public",
            path=path,
        )


def _below_top(tree: Tree, top: ImportedCollection) -> Tree:
    """The tree with everything in one collection."""
    below = (replace(row, parent=row.parent or top.key) for row in tree.collections)
    pages = (replace(page, collection=page.collection or top.key) for page in tree.pages)
    return replace(tree, collections=(top, *below), pages=tuple(pages))


def _keys_of_folders(tree: Tree, paths: Iterable[str]) -> dict[str, str]:
    """The key of the collection with only the pages below the folder of a file, by the path of the file."""
    by_key = {row.key: row for row in tree.collections}
    below: defaultdict[str, list[str]] = defaultdict(list)
    for page in tree.pages:
        for key in with_parents(page.collection, by_key):
            below[key].append(page.path)
    homes = {page.path: page.collection for page in tree.pages if page.collection is not None}
    return {
        path: homes[path]
        for path in paths
        if path in homes
        and all(each.startswith(path.removesuffix(COLLECTION_FILE)) for each in below[homes[path]])
    }


def _as_described(row: ImportedCollection, described: ImportedCollection | None) -> ImportedCollection:
    if described is None:
        return row
    return replace(
        described, key=row.key, parent=row.parent, addresses=row.addresses, other_paths=row.other_paths
    )


def _in_named_collection(
    page: ImportedPage, keys_by_slug: Mapping[str | None, str], losses: Losses
) -> ImportedPage:
    """The page in the collection that its front matter names by the slug."""
    name = page.named_collection
    if name is None:
        return page
    if name == NO_COLLECTION:
        return replace(page, collection=None)
    if (key := keys_by_slug.get(name)) is None:
        losses.add(page.path, f"collection “{name}”, which the source doesn't have: the folder's is used")
        return page
    return replace(page, collection=key)

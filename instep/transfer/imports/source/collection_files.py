"""Applies the files `_collection.md` of exports and synced folders, whichever reader has read the folders."""

import posixpath
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from instep.transfer.exports.file_contents import NO_COLLECTION, slug_of_name
from instep.transfer.exports.layout import COLLECTION_FILE
from instep.transfer.imports.markdown.own_fields import HIDDEN_ENTRY, stated_visibility
from instep.transfer.imports.markdown.source_pages import read_page
from instep.transfer.imports.source.blank_pages import with_parents
from instep.transfer.imports.tree.folders import folders_above
from instep.transfer.imports.tree.schemas import (
    ImportedCollection,
    ImportedEntry,
    ImportedPage,
    Losses,
    SourceFiles,
    Tree,
)


def with_collection_files(tree: Tree, files: SourceFiles) -> Tree:
    """The tree whose collections are as their files say, without pages for these files.

    A file at the top describes the whole source, as in a folder of an export. If a navigation puts the pages
    of a folder elsewhere, the folder's visibility becomes that of its pages.
    """
    if tree.format == "instep":
        return tree
    losses = Losses()
    described = {row.key: row for row in _described_collections(files, losses)}
    losses.rows = [row for row in losses.rows if row not in tree.losses]
    top = described.get(COLLECTION_FILE)
    if top is not None and top.title:
        tree = _below_top(tree, top)
    keys = _keys_of_folders(tree, described)
    by_key = {key: described[path] for path, key in keys.items()}
    collections = (_as_described(row, by_key.get(row.key)) for row in tree.collections)
    hidden = {
        posixpath.dirname(path): keys.get(path)
        for path, row in described.items()
        if row.visibility != "public"
    }
    pages = [page for page in _with_hidden_pages(tree, hidden) if page.path not in described]
    if described or tree.format == "plain":
        keys_by_slug = {described[path].slug: key for path, key in keys.items()}
        pages = [_in_named_collection(page, keys_by_slug, losses) for page in pages]
    elif not any(page.visibility or page.version_of for page in pages):
        pages = [_without_foreign_versions(page, losses) for page in pages]
    return replace(
        tree,
        collections=tuple(collections),
        pages=tuple(pages),
        entries=tuple(_with_hidden_entries(tree.entries, hidden, losses)),
        losses=(*tree.losses, *losses.rows),
    )


def _described_collections(files: SourceFiles, losses: Losses) -> Iterator[ImportedCollection]:
    """The collections of the files, with their paths as keys; one may have no title.

    The reader may have reported what the files lack.
    """
    for path in files.paths():
        if posixpath.basename(path) != COLLECTION_FILE:
            continue
        page = read_page(path, files.read(path), losses)
        if not page.fields.values:
            continue
        if page.body.strip():
            losses.add(path, "text of a collection: left out, because only articles have a text")
        yield ImportedCollection(
            key=path,
            title=page.fields.text("title"),
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
    """Map the path of a file to the collection whose pages are all below the folder of the file.

    If the reader made a page of the file, it is the page's collection, else the first one with all pages.
    """
    by_key = {row.key: row for row in tree.collections}
    below: defaultdict[str, list[str]] = defaultdict(list)
    for page in tree.pages:
        for key in with_parents(page.collection, by_key):
            below[key].append(page.path)
    whole = _keys_of_whole_folders(tree, below)
    homes = {page.path: page.collection for page in tree.pages if page.collection is not None}
    paths_by_key: dict[str, str] = {}
    for path in sorted(paths, key=lambda path: path.count("/")):
        folder = path.removesuffix(COLLECTION_FILE)
        candidates = [path] if path in by_key else whole[folder.rstrip("/")]
        if path in homes:
            candidates = [homes[path]] if all(each.startswith(folder) for each in below[homes[path]]) else []
        # A collection is only described once, by the outermost folder.
        free = next((key for key in candidates if key not in paths_by_key), None)
        paths_by_key |= {free: path} if free is not None else {}
    return {path: key for key, path in paths_by_key.items()}


def _keys_of_whole_folders(tree: Tree, below: Mapping[str, list[str]]) -> Mapping[str, list[str]]:
    """The keys of the collections with exactly the pages of a folder, by the folder, ancestors first.

    `below` contains the paths of the pages in each collection and its descendants.
    """
    numbers = Counter(folder for page in tree.pages for folder in folders_above(page.path))
    keys: defaultdict[str, list[str]] = defaultdict(list)
    for row in tree.collections:
        if paths := below.get(row.key):
            shared = posixpath.commonpath(map(posixpath.dirname, paths))
            for folder in folders_above(f"{shared}/"):
                keys[folder] += [row.key] if numbers[folder] == len(paths) else []
    return keys


def _with_hidden_pages(tree: Tree, hidden: Mapping[str, str | None]) -> Iterator[ImportedPage]:
    """The pages; those in hidden folders are hidden themselves, except in the collection of the folder."""
    by_key = {row.key: row for row in tree.collections}
    for page in tree.pages:
        keys = {hidden[folder] for folder in folders_above(page.path) if folder in hidden}
        is_open = not keys.issubset(with_parents(page.collection, by_key))
        yield replace(page, visibility="authenticated") if is_open else page


def _with_hidden_entries(
    entries: Iterable[ImportedEntry], hidden: Mapping[str, str | None], losses: Losses
) -> Iterator[ImportedEntry]:
    for entry in entries:
        is_hidden = entry.status == "published" and not hidden.keys().isdisjoint(folders_above(entry.path))
        if is_hidden:
            losses.add(entry.path, HIDDEN_ENTRY)
        yield replace(entry, status="draft") if is_hidden else entry


def _without_foreign_versions(page: ImportedPage, losses: Losses) -> ImportedPage:
    """The page in all versions: another generator's `since` may mean the version that added a feature."""
    for name, slug in (("since", page.since), ("until", page.until)):
        if slug:
            what = f"`{name}: {slug}`, because nothing else in the source is Instep's: it is in all versions"
            losses.add(page.path, what)
    return replace(page, since=None, until=None)


def _as_described(row: ImportedCollection, described: ImportedCollection | None) -> ImportedCollection:
    if described is None:
        return row
    return replace(
        described,
        key=row.key,
        title=described.title or row.title,
        parent=row.parent,
        addresses=row.addresses,
        other_paths=row.other_paths,
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

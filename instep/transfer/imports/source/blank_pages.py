"""Handles pages whose text shows nothing, so that no empty article goes live."""

import posixpath
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from instep.transfer.imports.markdown.source_pages import SourcePage, read_page
from instep.transfer.imports.source.api_operations import shows_nothing
from instep.transfer.imports.tree.file_names import is_page
from instep.transfer.imports.tree.folders import is_index
from instep.transfer.imports.tree.schemas import (
    ImportedCollection,
    ImportedPage,
    Loss,
    Losses,
    SourceFiles,
    Tree,
)

# In these formats, no Markdown file is an error page, but an article about the error 404 can have its path.
WITHOUT_ERROR_PAGES = ("gitbook", "mintlify", "mkdocs", "plain", "wiki", "wikijs")
TITLE_ALONE = re.compile(r"#{1,6}[ \t][^\n]*|[^\n]+\n(?:=+|-+)")


def without_blank_pages(tree: Tree, files: SourceFiles) -> Tree:
    """The tree without pages that show nothing outside their product, such as pages with only components.

    Error pages for missing addresses are left out too. A page with a description gets that as its text, and
    the first page of a folder gets a list of the others. A file with only a title stays unchanged. Links to
    an omitted page lead to its collection.
    """
    paths = set(files.paths())
    left_out = error_pages(tree)
    what = "error page for missing addresses, because the help center has its own: left out"
    losses = [*tree.losses, *(Loss(page.path, what) for page in left_out)]
    source_pages = [page for page in tree.pages if page not in left_out]
    blank = {
        page.key: page for page in source_pages if page.status == "published" and shows_nothing(page.markdown)
    }
    pages: list[ImportedPage] = []
    for page in source_pages:
        if page.key not in blank:
            pages.append(page)
            continue
        source = read_page(page.path, files.read(page.path), Losses()) if page.path in paths else None
        if (text := text_of(page, source, source_pages, blank.keys())) is not None:
            pages.append(text)
        elif source is not None and is_page(page.path):
            losses.append(Loss(page.path, "page that shows nothing without its product: left out"))
            left_out.append(page)
        else:
            losses.append(Loss(page.path, "page without text: a new article for it is a draft"))
            pages.append(replace(page, status="draft"))
    collections = collections_for(tree.collections, pages, left_out)
    return replace(tree, pages=tuple(pages), collections=collections, losses=tuple(losses))


def error_pages(tree: Tree) -> list[ImportedPage]:
    """The pages that a site shows at missing addresses, also in the folders of its languages."""
    if tree.format in WITHOUT_ERROR_PAGES:
        return []
    folders = {"", *(f"/{page.locale}".lower() for page in tree.pages if page.locale)}
    addresses = {f"{folder}/404{ending}" for folder in folders for ending in ("", ".html")}
    keys = {page.key for page in tree.pages if (page.address or "").lower().rstrip("/") in addresses}
    return [page for page in tree.pages if page.key in keys or page.translation_of in keys]


def text_of(
    page: ImportedPage, source: SourcePage | None, pages: Sequence[ImportedPage], blank: Iterable[str]
) -> ImportedPage | None:
    """The page with a text that shows something; None if there is none."""
    if page.description:
        return replace(page, markdown=f"{page.description}\n", description=None)
    if source is not None and "://" in (url := source.fields.text("url")):
        return replace(page, markdown=f"{link_to(url, page.title)}\n")
    if is_index(page.path) and (links := list_of_pages(page, pages, set(blank))):
        return replace(page, markdown=links)
    has_title = source is not None and is_page(page.path) and TITLE_ALONE.fullmatch(source.body.strip())
    return page if has_title else None


def list_of_pages(index: ImportedPage, pages: Iterable[ImportedPage], blank: set[str]) -> str:
    """Links to the other pages in the folder of a first page, and to the first pages of subfolders.

    If there are none, as in a blog, they are links to all pages in the subfolders.
    """
    folder = posixpath.dirname(index.path)
    others = [page for page in pages if page.key not in blank and page.locale == index.locale]
    linked = [page for page in others if _is_directly_in(page.path, folder)] or [
        page for page in others if folder and posixpath.dirname(posixpath.dirname(page.path)) == folder
    ]
    return "".join(
        f"- {link_to(posixpath.relpath(page.path, folder or '.'), page.title)}\n" for page in linked
    )


def _is_directly_in(path: str, folder: str) -> bool:
    place = posixpath.dirname(path)
    return place == folder or (is_index(path) and posixpath.dirname(place) == folder != place)


def link_to(target: str, title: str) -> str:
    words = re.sub(r"([\[\]\\])", r"\\\1", title)
    return f"[{words}](<{target}>)"


def collections_for(
    collections: Iterable[ImportedCollection], pages: Iterable[ImportedPage], left_out: Iterable[ImportedPage]
) -> tuple[ImportedCollection, ...]:
    """The collections that represent omitted pages, without those that contained nothing else."""
    by_key = {row.key: row for row in collections}
    filled = {key for page in pages for key in with_parents(page.collection, by_key)}
    emptied: set[str] = set()
    for page in left_out:
        above = list(with_parents(page.collection, by_key))
        emptied.update(key for key in above if key not in filled)
        if home := next((key for key in above if key in filled), None):
            row = by_key[home]
            addresses = [page.address] if page.address else []
            by_key[home] = replace(
                row, addresses=(*row.addresses, *addresses), other_paths=(*row.other_paths, page.path)
            )
    return tuple(row for key, row in by_key.items() if key not in emptied)


def with_parents(key: str | None, collections: dict[str, ImportedCollection]) -> Iterator[str]:
    """A collection and its ancestors, nearest first."""
    while key is not None and key in collections:
        yield key
        key = collections[key].parent

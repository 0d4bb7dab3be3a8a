"""Reads Markdown files with Zendesk article ids: folders are categories and sections."""

import posixpath
import re
from dataclasses import replace

from instep.transfer.imports.markdown.plain_pages import plain_page
from instep.transfer.imports.markdown.source_pages import SourcePage, read_page
from instep.transfer.imports.tree.file_names import title_of_name
from instep.transfer.imports.tree.folders import folder_entries, page_paths
from instep.transfer.imports.tree.navigation import arrange
from instep.transfer.imports.tree.schemas import ImportedPage, Losses, Reader, SourceFiles, Tree

_ID = re.compile(
    rb"\A(?:\xef\xbb\xbf)?---[ \t]*\r?\n(?:[^\n]*\n){0,40}?id:[ \t]*[\"']?(\d{6,20})[\"']?[ \t]*\r?\n"
)
_HOST = re.compile(r"https?://[\w.-]+(?=/hc/[\w-]+/articles/(\d+))")


def recognises(files: SourceFiles) -> bool:
    """True if most pages have the id of a Zendesk article, a long number."""
    paths = page_paths(files)
    with_id = sum(_ID.match(files.read(path)) is not None for path in paths)
    return with_id > len(paths) // 2


def read(files: SourceFiles, losses: Losses) -> Tree:
    pages: dict[str, ImportedPage] = {}
    for path in page_paths(files):
        page = _page(read_page(path, files.read(path), losses))
        if page.key in pages:
            losses.add(
                path, f"id {page.key}, also used by {pages[page.key].path}: the path is used as the key"
            )
            page = replace(page, key=path, address=None, former_addresses=())
        pages[page.key] = page
    entries = folder_entries(
        pages,
        _root(pages),
        # Tools for such folders sort files as Git does, not by number.
        order=lambda path: (0, f"{posixpath.basename(path)}."),
        title=lambda folder: posixpath.basename(folder) or title_of_name(folder),
    )
    return Tree("zendesk_markdown", None, *arrange(entries, pages, losses), sites=_sites(pages))


def _page(page: SourcePage) -> ImportedPage:
    plain = plain_page(page, lambda text, code: text)
    article_id = page.fields.text("id")
    # A link may have the title after the id, so each id has two address patterns, for any locale.
    addresses = (f"/hc/*/articles/{article_id}", f"/hc/*/articles/{article_id}-*")
    return replace(
        plain,
        key=article_id or page.path,
        address=addresses[0] if article_id else None,
        former_addresses=addresses[1:] if article_id else (),
    )


def _root(pages: dict[str, ImportedPage]) -> str:
    """The folder that contains all pages."""
    folders = [posixpath.dirname(page.path) for page in pages.values()]
    return posixpath.commonpath(folders) if folders and all(folders) else ""


def _sites(pages: dict[str, ImportedPage]) -> tuple[str, ...]:
    """The sites of links to articles in the source."""
    hosts = {
        match[0] for page in pages.values() for match in _HOST.finditer(page.markdown) if match[1] in pages
    }
    return tuple(sorted(hosts))


READER = Reader("zendesk_markdown", "Markdown files of a Zendesk help center", recognises, read)

"""Reads a folder of Markdown or MDX files: folders are collections, ordered by numbers in names or fields."""

import posixpath
from dataclasses import replace

from instep.transfer.exports.file_contents import ORDER_KEYS
from instep.transfer.imports.javascript.modules import Configuration
from instep.transfer.imports.markdown.callouts import replace_colon_containers
from instep.transfer.imports.markdown.plain_pages import plain_page
from instep.transfer.imports.markdown.source_pages import SourcePage, read_page
from instep.transfer.imports.mdx.included_files import IncludedFiles
from instep.transfer.imports.mdx.pages import ComponentPage, PageReader
from instep.transfer.imports.tree.file_names import without_extension, without_numbers
from instep.transfer.imports.tree.folders import (
    MAIN_LOCALE,
    folder_entries,
    is_index,
    order_by_name,
    page_paths,
    places_by_language,
    translations,
)
from instep.transfer.imports.tree.navigation import arrange
from instep.transfer.imports.tree.own_sites import own_sites
from instep.transfer.imports.tree.schemas import ImportedPage, Losses, Reader, SourceFiles, Tree


def recognises(files: SourceFiles) -> bool:
    return bool(page_paths(files))


def read(files: SourceFiles, losses: Losses) -> Tree:
    places = places_by_language(page_paths(files), "", None)
    locales = {place.locale or MAIN_LOCALE for place in places.values()}
    locale = MAIN_LOCALE if MAIN_LOCALE in locales or not locales else min(locales)
    originals = translations(places, locale)
    components = PageReader(
        IncludedFiles(files, Configuration(files, {"/": ""})), losses, has_bare_titles=True
    )
    sources = {
        path: components.read(path) if path.endswith(".mdx") else read_page(path, files.read(path), losses)
        for path in places
    }
    pages = {path: _page(sources[path], place.locale, originals.get(path)) for path, place in places.items()}
    numbers = {without_extension(path): _order(page) for path, page in sources.items()}

    def order(path: str) -> tuple[float, str]:
        number = numbers.get(path)
        return order_by_name(path) if number is None else (number, posixpath.basename(path))

    folders = {
        place.locale or MAIN_LOCALE: path.partition("/")[0] for path, place in places.items() if "/" in path
    }
    root = folders.get(locale, "") if places_are_folders(pages, folders, locale) else ""
    arranged, collections = arrange(folder_entries(pages, root, order), pages, losses)
    return Tree("plain", None, arranged, collections, sites=own_sites(arranged))


def _order(page: SourcePage | ComponentPage) -> float | None:
    """The position in the page's front matter."""
    return next((number for key in ORDER_KEYS if (number := page.fields.number(key)) is not None), None)


def places_are_folders(pages: dict[str, ImportedPage], folders: dict[str, str], locale: str) -> bool:
    """True if all pages of the main language are in that language's folder."""
    paths = [page.path for page in pages.values() if (page.locale or MAIN_LOCALE) == locale]
    return len(folders) > 1 and all(path.startswith(f"{folders.get(locale, '')}/") for path in paths)


def _page(page: SourcePage | ComponentPage, locale: str | None, original: str | None) -> ImportedPage:
    fields = page.fields
    if isinstance(page, ComponentPage):
        plain = page.imported
    else:
        title = fields.text("sidebar_label", "nav_title")
        plain = plain_page(page, lambda text, code: replace_colon_containers(text), title)
    return replace(
        plain,
        locale=locale,
        address=address_of_path(plain.path),
        slug=fields.text("slug").strip("/") or None,
        translation_of=original,
        description=fields.text("description", "excerpt", "summary") or None,
        status="draft" if fields.text("published") == "false" else plain.status,
    )


def address_of_path(path: str) -> str:
    """The address of a file on most sites: without extension, numbers, and the name of an index file."""
    bare = without_numbers(without_extension(path))
    return "/" + (posixpath.dirname(bare) if is_index(path) else bare)


READER = Reader("plain", "Markdown files", recognises, read)

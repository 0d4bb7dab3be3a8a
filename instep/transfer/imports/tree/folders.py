"""Turns folders of pages into a navigation, and finds languages in the names of folders and files."""

import posixpath
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import NamedTuple
from unicodedata import normalize

from instep.platform.core.locales import valid_locale
from instep.transfer.imports.tree.file_names import is_page, name_order, title_of_name, without_extension
from instep.transfer.imports.tree.navigation import Entry
from instep.transfer.imports.tree.schemas import ImportedPage, SourceFiles

_INDEX_NAMES = frozenset(("index", "_index", "readme"))
# Most sources in several languages, unless configured otherwise, are translated from English.
MAIN_LOCALE = "en"
# Only common languages count without a region: a folder named "api" or "app" is not a language.
_LANGUAGES = frozenset(
    (
        *("ar", "bg", "bn", "ca", "cs", "da", "de", "el", "en", "es", "et", "fa", "fi", "fr", "he", "hi"),
        *("hr", "hu", "id", "it", "ja", "ko", "lt", "lv", "ms", "nb", "nl", "no", "pl", "pt", "ro", "ru"),
        *("sk", "sl", "sr", "sv", "th", "tr", "uk", "ur", "vi", "zh"),
    )
)
_REGION = re.compile(r"[a-z]{2}[-_](?:[A-Za-z]{2}|[A-Za-z]{4})")
# Files of a repository that are about the repository itself.
_REPOSITORY_PAGES = frozenset(
    ("license", "licence", "contributing", "code_of_conduct", "security", "pull_request_template")
)

Order = Callable[[str], tuple[float, str]]


class PagePlace(NamedTuple):
    """A file without its language: `path` is the part that its translations have in common.

    `locale` is None if the source does not state the language.
    """

    path: str
    locale: str | None


def page_paths(files: SourceFiles, root: str = "") -> list[str]:
    """The Markdown files below a folder, except hidden ones and files about the repository itself."""
    prefix = f"{root}/" if root else ""
    return [
        path
        for path in files.paths()
        if path.startswith(prefix) and is_page(path) and not _is_hidden(path.removeprefix(prefix), root)
    ]


def folders_above(path: str) -> Iterator[str]:
    """The root and each folder on the way to a file."""
    folders = posixpath.dirname(path).split("/")
    yield ""
    for number in range(1, len(folders) + 1):
        if folders[0]:
            yield "/".join(folders[:number])


def is_index(path: str) -> bool:
    """True if a file is the page of its folder."""
    return posixpath.basename(without_extension(path)).lower() in _INDEX_NAMES


def join(folder: str, path: str) -> str:
    """A path relative to a folder, as a path from the root that never leads out of it."""
    return normalize("NFC", posixpath.normpath(posixpath.join("/", folder, path)).lstrip("/"))


def locale_of_name(name: str) -> str | None:
    """The language in the name of a folder or a suffix; None for any other name."""
    if name in _LANGUAGES or _REGION.fullmatch(name):
        return valid_locale(name.replace("_", "-"))
    return None


def order_by_name(path: str) -> tuple[float, str]:
    """The sort key of a path among its siblings: by number, then alphabetically."""
    return name_order(posixpath.basename(path))


def folder_entries(
    pages: Mapping[str, ImportedPage],
    root: str,
    order: Order = order_by_name,
    title: Callable[[str], str] = title_of_name,
    label: Callable[[ImportedPage], str] = lambda page: page.title,
) -> list[Entry]:
    """The folders below `root` as a navigation; an index page is the page of its folder, and its title.

    `order` is the sort key of a path without extension, `title` the title of a folder without an index page,
    `label` the label of a page in the navigation.
    """
    children: defaultdict[str, set[str]] = defaultdict(set)
    keys = {page.path: key for key, page in pages.items() if page.translation_of is None}
    for path in keys:
        while path.startswith(root) and path not in ("", root):
            folder = posixpath.dirname(path)
            children[folder].add(path)
            path = folder

    def entries_of(folder: str) -> list[Entry]:
        # A folder and a page next to it may have the same name.
        paths = sorted(sorted(children[folder]), key=lambda path: order(without_extension(path)))
        return [entry_of(path) for path in paths if not is_index(path) or folder == root]

    def entry_of(path: str) -> Entry:
        if path in keys:
            return Entry(label(pages[keys[path]]), keys[path])
        index = next((child for child in sorted(children[path]) if child in keys and is_index(child)), None)
        if index is None:
            return Entry(title(path), None, entries_of(path))
        return Entry(label(pages[keys[index]]), keys[index], entries_of(path))

    def is_first_page(entry: Entry) -> bool:
        path = pages[entry.page].path if entry.page is not None else ""
        return is_index(path) and posixpath.dirname(path) == root

    return sorted(entries_of(root), key=lambda entry: not is_first_page(entry))


def translations(places: Mapping[str, PagePlace], locale: str | None) -> dict[str, str]:
    """The paths of originals, by the path of their translations.

    The original is the page without a stated language, or else the page in the language `locale`, the
    source's main language if known.
    """
    main = locale or MAIN_LOCALE
    originals = {place.path: path for path, place in places.items() if place.locale == main}
    originals |= {place.path: path for path, place in places.items() if place.locale is None}
    return {
        path: originals[place.path]
        for path, place in places.items()
        if place.path in originals and places[originals[place.path]].locale != place.locale
    }


def places_by_language(paths: Iterable[str], root: str, default: str | None) -> dict[str, PagePlace]:
    """The paths and languages of pages, from folders at the root or suffixes such as `page.de.md`.

    Other pages have the language `default`, if the source states one. Folders count as languages only if one
    of them is `default` or English, or if there are several.
    """
    prefix = f"{root}/" if root else ""
    relative = {path: path.removeprefix(prefix) for path in paths}
    names = {rest.partition("/")[0] for rest in relative.values() if "/" in rest}
    folders = {name for name in names if locale_of_name(name)}
    if len(folders) < 2 and not folders & {default, MAIN_LOCALE}:
        folders = set()
    return {path: _place(rest, folders, default) for path, rest in relative.items()}


def _place(path: str, folders: set[str], default: str | None) -> PagePlace:
    first, _, rest = path.partition("/")
    if rest and first in folders:
        return PagePlace(without_extension(rest), locale_of_name(first) or default)
    stem, _, suffix = without_extension(path).rpartition(".")
    locale = locale_of_name(suffix) if stem else None
    return PagePlace(stem, locale) if locale else PagePlace(without_extension(path), default)


def _is_hidden(path: str, root: str) -> bool:
    name = posixpath.basename(without_extension(path)).lower()
    is_of_repository = not root and name in _REPOSITORY_PAGES and "/" not in path
    return is_of_repository or any(part.startswith(".") for part in path.split("/"))

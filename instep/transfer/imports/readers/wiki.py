"""Reads the wiki of a GitHub or GitLab repository: pages linked by name, ordered by `_Sidebar.md`."""

import posixpath
import re
from collections.abc import Mapping
from dataclasses import replace

from instep.transfer.imports.html.markdown_links import link, picture
from instep.transfer.imports.markdown.hidden_code import HiddenCode, hide_code
from instep.transfer.imports.markdown.link_lists import LinkItem, read_link_list
from instep.transfer.imports.markdown.plain_pages import plain_page
from instep.transfer.imports.markdown.source_pages import SourcePage, decode_text, read_page
from instep.transfer.imports.tree.file_names import without_extension
from instep.transfer.imports.tree.folders import page_paths
from instep.transfer.imports.tree.navigation import Entry, arrange
from instep.transfer.imports.tree.schemas import ImportedPage, Losses, Reader, SourceFiles, Tree

_SIDEBAR, _HOME = "-sidebar", "home"
_PARTS = frozenset((_SIDEBAR, "-footer", "-header"))
_LINK = re.compile(r"(!?)\[\[([^\[\]\n\x00|]+)(?:\|([^\[\]\n\x00]+))?\]\]")
_IMAGE = re.compile(r"\.(?:png|jpe?g|gif|svg|webp|avif)$", re.IGNORECASE)
_SEPARATORS = re.compile(r"[\s_-]+")
_WIKI_URL = re.compile(r"https://github\.com/[\w.-]+/[\w.-]+/wiki(?=/([\w.%-]+))")


def recognises(files: SourceFiles) -> bool:
    """True if there is a wiki's first page, `Home`, at the root, or a sidebar."""
    names = {_name(path) for path in page_paths(files) if "/" not in path}
    return _SIDEBAR in names or (_HOME in names and "index" not in names)


def read(files: SourceFiles, losses: Losses) -> Tree:
    paths = page_paths(files)
    names: dict[str, str] = {}
    for path in paths:
        names.setdefault(_name(path), path)
    pages = {
        path: _page(read_page(path, files.read(path), losses), names) for path in paths if not _is_part(path)
    }
    entries = _entries(files, names, losses)
    if _HOME in names and not any(entry.page == names[_HOME] for entry in entries):
        entries.insert(0, Entry(pages[names[_HOME]].title, names[_HOME]))
    named = {entry.page for entry in _flat(entries)}
    # A sidebar seldom contains all pages; the other ones follow by name.
    entries += [
        Entry(pages[path].title, path) for path in sorted(pages, key=str.casefold) if path not in named
    ]
    return Tree("wiki", None, *arrange(entries, pages, losses), sites=_sites(pages, names))


def _page(page: SourcePage, names: Mapping[str, str]) -> ImportedPage:
    def transform(text: str, code: HiddenCode) -> str:
        return _LINK.sub(lambda match: _plain_link(match, page, names), text)

    stem = posixpath.basename(without_extension(page.path))
    plain = plain_page(page, transform, stem.replace("-", " "))
    return replace(
        plain,
        description=None,
        address="/" if stem.lower() == _HOME else f"/{stem}",
        former_addresses=("/Home",) if stem.lower() == _HOME else (),
    )


def _plain_link(match: re.Match[str], page: SourcePage, names: Mapping[str, str]) -> str:
    """`[[Page]]`, `[[words|Page]]` or an image as a link to the path of the page."""
    words, target = match[2].strip(), (match[3] or match[2]).strip()
    if match[1] or _IMAGE.search(match[2]):
        return picture("", match[2])
    name, mark, anchor = target.partition("#")
    path = _find(name, names) or _find(words, names)
    if path is None and name:
        page.losses.add(f"link to a page that does not exist: {match[0]}", match[0])
        return words
    folder = posixpath.dirname(page.path) or "."
    address = posixpath.relpath(path, folder) if path else ""
    return link(words, f"{address}{mark}{anchor}")


def _find(name: str, names: Mapping[str, str]) -> str | None:
    return names.get(_SEPARATORS.sub("-", name.strip().strip("/")).lower()) if name.strip() else None


def _entries(files: SourceFiles, names: Mapping[str, str], losses: Losses) -> list[Entry]:
    """The navigation in the sidebar, whose links ignore case."""
    path = names.get(_SIDEBAR)
    if path is None:
        return []
    text = _LINK.sub(
        lambda match: link(match[2], match[3] or match[2]),
        hide_code(decode_text(path, files.read(path), losses))[0],
    )
    return [_entry(item, names) for item in read_link_list(text)]


def _entry(item: LinkItem, names: Mapping[str, str]) -> Entry:
    target = item.target.partition("#")[0]
    name = target.rpartition("/wiki/")[2] if "://" in target else target
    return Entry(
        item.title, _find(without_extension(name), names), [_entry(child, names) for child in item.items]
    )


def _flat(entries: list[Entry]) -> list[Entry]:
    return [inner for entry in entries for inner in (entry, *_flat(entry.entries))]


def _sites(pages: Mapping[str, ImportedPage], names: Mapping[str, str]) -> tuple[str, ...]:
    """The addresses of this wiki, from links to its pages."""
    matches = (match for page in pages.values() for match in _WIKI_URL.finditer(page.markdown))
    return tuple(sorted({match[0] for match in matches if _find(match[1], names)}))


def _name(path: str) -> str:
    """The name of a page in links: no folder or extension, lower case, one kind of separator."""
    return _SEPARATORS.sub("-", posixpath.basename(without_extension(path))).lower()


def _is_part(path: str) -> bool:
    return _name(path) in _PARTS


READER = Reader("wiki", "Wiki of a GitHub or GitLab repository", recognises, read)

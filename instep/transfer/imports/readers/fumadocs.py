"""Reads Fumadocs: folders of MDX with a `meta.json` in each."""

import posixpath
import re

from instep.transfer.imports.javascript.js_values import JsValue, js_array, js_text
from instep.transfer.imports.mdx.component_source import (
    ComponentSource,
    absolute,
    imported_page,
    read_object,
    shallowest,
    without_index,
)
from instep.transfer.imports.mdx.included_files import IncludedFiles
from instep.transfer.imports.mdx.pages import PageReader
from instep.transfer.imports.tree.file_names import children_of, title_of_name, with_ending, without_extension
from instep.transfer.imports.tree.navigation import Entry, arrange
from instep.transfer.imports.tree.schemas import ImportedPage, Losses, Reader, SourceFiles, Tree, read_text

_META = re.compile(r"(?:^|/)content/(?:.*/)?meta\.json$")
_CONTENT = re.compile(r"^(.*?)(?:^|(?<=/))(content(?:/docs)?)/")
_LOADER = re.compile(r"(?:^|/)(?:src/)?(?:lib|app)/source\.[jt]sx?$")
_BASE_URL = re.compile(r"\bbaseUrl:\s*[\"'`]([^\"'`]*)[\"'`]")
_GROUP = re.compile(r"\((.+)\)$")
_SEPARATOR = re.compile(r"---(?:\[[^\]]*\])?(.*?)---$")
_LINK = re.compile(r"(?:external:)?(?:\[[^\]]*\])?\[([^\]]*)\]\(([^)]*)\)$")
_ENDINGS = (".mdx", ".md")
_KEYS = (b'"pages"', b'"title"', b'"root"')


def recognises(files: SourceFiles) -> bool:
    path = shallowest(files.paths(), _META)
    return path is not None and any(key in files.read(path) for key in _KEYS)


def read(files: SourceFiles, losses: Losses) -> Tree:
    path = shallowest(files.paths(), _META) or "content/docs/meta.json"
    match = _CONTENT.match(path)
    root, folder = (match[1].rstrip("/"), match[2]) if match else ("", posixpath.dirname(path))
    return _Fumadocs(ComponentSource(files, losses, root), posixpath.join(root, folder)).tree()


class _Fumadocs:
    def __init__(self, source: ComponentSource, folder: str) -> None:
        self.source, self.folder = source, folder
        source.configuration.aliases = dict.fromkeys(("@/", "~/", "/"), source.prefix)
        self.pages = PageReader(IncludedFiles(source.files, source.configuration), source.losses)
        self.base = self._base_url()

    def tree(self) -> Tree:
        self.imported = {path: self._page(path) for path in self.source.pages_below(self.folder)}
        self.by_address = {page.address: path for path, page in self.imported.items()}
        arranged = arrange(self._entries(self.folder), self.imported, self.source.losses)
        static = self.source.join("public")
        self.source.add_hosting_redirects(static)
        return Tree(
            *("fumadocs", None, *arranged),
            redirects=tuple(self.source.redirects),
            sites=self.source.base_paths(),
            static_folders=(static,),
        )

    def _base_url(self) -> str:
        """The prefix of all addresses, from the loader in the source."""
        path = shallowest(self.source.paths, _LOADER)
        match = _BASE_URL.search(read_text(self.source.files, path)) if path else None
        return match[1] if match else "/docs"

    def _page(self, path: str) -> ImportedPage:
        stem = posixpath.relpath(without_extension(path), self.folder)
        parts = [part for part in stem.split("/") if not _GROUP.match(part)]
        page = self.pages.read(path)
        address = absolute(self.base, page.fields.text("slug") or without_index("/".join(parts)))
        return imported_page(page, address, None)

    def _meta(self, folder: str) -> dict[str, JsValue]:
        path = f"{folder}/meta.json"
        return read_object(self.source.files, path) if path in self.source.paths else {}

    def _children(self, folder: str) -> dict[str, bool]:
        """The names in a folder, with whether each is a folder or a page."""
        children: dict[str, bool] = {}
        for name, paths in children_of(folder, self.imported).items():
            is_folder = paths != [f"{folder}/{name}"]
            name = name if is_folder else without_extension(name)
            children[name] = children.get(name, False) or is_folder
        return children

    def _entries(self, folder: str) -> list[Entry]:
        """The entries of `meta.json`; separators are headings of the entries that follow."""
        children = self._children(folder)
        declared = self._meta(folder).get("pages")
        names = [js_text(name) for name in js_array(declared)] if declared is not None else ["index", "..."]
        listed = {
            name.removeprefix("!").removeprefix("...").rstrip("/").removesuffix("/index") for name in names
        }
        rest = sorted(name for name in children if name not in listed and name != "index")
        entries = places = list[Entry]()
        for name in names:
            if separator := _SEPARATOR.match(name):
                entries.append(Entry(separator[1].strip()))
                places = entries[-1].entries
            else:
                places += self._named(folder, name, children, rest)
        return entries

    def _named(self, folder: str, name: str, children: dict[str, bool], rest: list[str]) -> list[Entry]:
        if name in ("...", "z...a"):
            return [self._entry(folder, each, children) for each in (rest if name == "..." else rest[::-1])]
        if name.startswith("..."):
            return self._entries(posixpath.normpath(posixpath.join(folder, name[3:])))
        if link := _LINK.match(name):
            path = self.by_address.get(absolute(link[2]))
            return [Entry(link[1], path)] if path else []
        name = name.rstrip("/")
        is_page = with_ending(posixpath.join(folder, name), _ENDINGS, self.imported) is not None
        if name.startswith("!") or (name == "index" and not is_page):
            return []
        if name in children or is_page or self._children(posixpath.normpath(posixpath.join(folder, name))):
            return [self._entry(folder, name, children)]
        what = f"navigation entry without a page in the folder: {name}"
        self.source.losses.add(f"{folder}/meta.json", what)
        return []

    def _entry(self, folder: str, name: str, children: dict[str, bool]) -> Entry:
        path = posixpath.normpath(posixpath.join(folder, name))
        page = with_ending(path, _ENDINGS, self.imported)
        if page and not children.get(name):
            return Entry(self.imported[page].title, page)
        index = with_ending(f"{path}/index", _ENDINGS, self.imported)
        meta = self._meta(path)
        group = _GROUP.match(posixpath.basename(path))
        title = js_text(meta.get("title"))
        title = title or (self.imported[index].title if index else title_of_name(group[1] if group else path))
        return Entry(title, page or index, self._entries(path), js_text(meta.get("description")) or None)


READER = Reader("fumadocs", "Fumadocs", recognises, read)

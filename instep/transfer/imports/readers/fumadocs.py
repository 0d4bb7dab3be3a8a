"""Fumadocs: a folder of MDX with a `meta.json` in each folder."""

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
from instep.transfer.imports.tree.file_names import title_of_name, without_extension
from instep.transfer.imports.tree.navigation import Entry, arrange
from instep.transfer.imports.tree.schemas import ImportedPage, Reader, SourceFiles, Tree

_META = re.compile(r"(?:^|/)content/(?:.*/)?meta\.json$")
_CONTENT = re.compile(r"^(.*?)(?:^|(?<=/))(content(?:/docs)?)/")
_LOADER = re.compile(r"(?:^|/)(?:src/)?(?:lib|app)/source\.[jt]sx?$")
_BASE_URL = re.compile(r"\bbaseUrl:\s*[\"'`]([^\"'`]*)[\"'`]")
_GROUP = re.compile(r"\((.+)\)$")
_SEPARATOR = re.compile(r"---(?:\[[^\]]*\])?(.*?)---$")
_LINK = re.compile(r"(?:external:)?(?:\[[^\]]*\])?\[([^\]]*)\]\(([^)]*)\)$")
_KEYS = (b'"pages"', b'"title"', b'"root"')


def recognises(files: SourceFiles) -> bool:
    path = shallowest(files.paths(), _META)
    return path is not None and any(key in files.read(path) for key in _KEYS)


def read(files: SourceFiles) -> Tree:
    return _Fumadocs(files, shallowest(files.paths(), _META) or "content/docs/meta.json").tree()


class _Fumadocs:
    def __init__(self, files: SourceFiles, path: str) -> None:
        self.source = ComponentSource(files)
        match = _CONTENT.match(path)
        self.root = match[1].rstrip("/") if match else ""
        self.folder = posixpath.join(self.root, match[2]) if match else posixpath.dirname(path)
        aliases = dict.fromkeys(("@/", "~/", "/"), f"{self.root}/" if self.root else "")
        self.pages = PageReader(IncludedFiles(files, self.source.configuration, aliases), self.source.losses)
        self.base = self._base_url()

    def tree(self) -> Tree:
        self.imported = {path: self._page(path) for path in self.source.pages_below(self.folder)}
        self.by_address = {page.address: path for path, page in self.imported.items()}
        collections, arranged = arrange(self._entries(self.folder), self.imported, self.source.losses)
        static = posixpath.join(self.root, "public")
        return Tree(
            "fumadocs",
            None,
            arranged,
            collections,
            redirects=self.source.hosting_redirects((self.root, static)),
            sites=self.source.base_paths(self.root),
            static_folders=(static,),
            losses=tuple(self.source.losses.rows),
        )

    def _base_url(self) -> str:
        """The beginning of all addresses, which the loader of the source says."""
        path = shallowest(self.source.paths, _LOADER)
        match = _BASE_URL.search(self.source.files.read(path).decode("utf-8", "replace")) if path else None
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
        """The names of pages and folders in a folder; whether each is a folder."""
        children: dict[str, bool] = {}
        for path in self.imported:
            if path.startswith(f"{folder}/"):
                name, slash, _ = path[len(folder) + 1 :].partition("/")
                name = name if slash else without_extension(name)
                children[name] = children.get(name, False) or bool(slash)
        return children

    def _entries(self, folder: str) -> list[Entry]:
        """The entries of `meta.json`; separators are headings of the entries after them."""
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
        is_page = any(posixpath.join(folder, name) + ending in self.imported for ending in (".mdx", ".md"))
        if name.startswith("!") or (name == "index" and not is_page):
            return []
        if name in children or is_page or self._children(posixpath.normpath(posixpath.join(folder, name))):
            return [self._entry(folder, name, children)]
        self.source.losses.add(
            f"{folder}/meta.json", f"entry of the navigation that is no page of the folder: {name}"
        )
        return []

    def _entry(self, folder: str, name: str, children: dict[str, bool]) -> Entry:
        path = posixpath.normpath(posixpath.join(folder, name))
        page = next((path + ending for ending in (".mdx", ".md") if path + ending in self.imported), None)
        if page and not children.get(name):
            return Entry(self.imported[page].title, page)
        index = next(
            (
                f"{path}/index{ending}"
                for ending in (".mdx", ".md")
                if f"{path}/index{ending}" in self.imported
            ),
            None,
        )
        meta = self._meta(path)
        group = _GROUP.match(posixpath.basename(path))
        title = js_text(meta.get("title"))
        title = title or (self.imported[index].title if index else title_of_name(group[1] if group else path))
        return Entry(title, page or index, self._entries(path), js_text(meta.get("description")) or None)


READER = Reader("fumadocs", "Fumadocs", recognises, read)

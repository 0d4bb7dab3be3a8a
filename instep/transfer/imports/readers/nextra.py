"""Reads Nextra: a `content` or `pages` folder of MDX with a `_meta` file in each folder."""

import posixpath
import re

from instep.transfer.imports.javascript.js_values import JsValue, at, js_object, js_text
from instep.transfer.imports.mdx.component_source import (
    ComponentSource,
    absolute,
    imported_page,
    shallowest,
    without_index,
)
from instep.transfer.imports.mdx.included_files import IncludedFiles
from instep.transfer.imports.mdx.pages import PageReader
from instep.transfer.imports.tree.file_names import children_of, name_order, title_of_name, without_extension
from instep.transfer.imports.tree.navigation import Entry, arrange
from instep.transfer.imports.tree.schemas import ImportedPage, Losses, Reader, SourceFiles, Tree, read_text
from instep.transfer.imports.tree.site_looks import tell_looks

_META = re.compile(r"(?:^|/)_meta\.(?:global\.)?(?:[jt]sx?|json)$")
_CONTENT = re.compile(r"^(.*?)(?:^|(?<=/))((?:src/)?(?:content|pages|app))(?:/|$)")
_CONFIGURATION = re.compile(r"(?:^|/)next\.config\.[cm]?[jt]s$")
_THEME = re.compile(r"(?:^|/)theme\.config\.[jt]sx?$")
_LOCALE = re.compile(r"[a-z]{2}(?:-[A-Za-z]{2,4})?$")
_META_NAMES = ("_meta.ts", "_meta.tsx", "_meta.js", "_meta.jsx", "_meta.json")
_ALL_ENDINGS = (".mdx", ".md", "/index.mdx", "/index.md", "/page.mdx", "/page.md")


def recognises(files: SourceFiles) -> bool:
    path = shallowest(files.paths(), _META)
    return path is not None and _CONTENT.match(path) is not None


def read(files: SourceFiles, losses: Losses) -> Tree:
    path = shallowest(files.paths(), _META) or "content/_meta.js"
    match = _CONTENT.match(path)
    root, folder = (match[1].rstrip("/"), match[2]) if match else ("", posixpath.dirname(path))
    return _Nextra(ComponentSource(files, losses, root), posixpath.join(root, folder)).tree()


class _Nextra:
    def __init__(self, source: ComponentSource, folder: str) -> None:
        self.source, self.folder = source, folder
        source.configuration.aliases = {"@app/": f"{source.prefix}app/", "@/": source.prefix}
        self.pages = PageReader(IncludedFiles(source.files, source.configuration), source.losses)
        self.locales = self._locales()
        self.locale = self.locales[0] if self.locales else None

    def tree(self) -> Tree:
        pages = {path: self._page(path) for path in self.source.pages_below(self.folder)}
        folder = posixpath.join(self.folder, self.locale) if self.locale else self.folder
        self.originals = {path: page for path, page in pages.items() if path.startswith(f"{folder}/")}
        arranged = arrange(self._entries(folder), pages, self.source.losses)
        if path := shallowest(self.source.paths, _THEME):
            tell_looks("nextra", self.source.losses, path, self.source.exported(path))
        static = self.source.join("public")
        self.source.add_hosting_redirects(static)
        return Tree(
            *("nextra", self.locale, *arranged),
            redirects=tuple(self.source.redirects),
            sites=self.source.base_paths(),
            static_folders=(static,),
            links_keep_language=True,
        )

    def _locales(self) -> list[str]:
        """The locales, the default one first: as configured, or English, or the first one."""
        children = children_of(self.folder, self.source.pages_below(self.folder))
        if not children or not all(_LOCALE.match(name) for name in children):
            return []
        configuration = shallowest(self.source.paths, _CONFIGURATION)
        text = read_text(self.source.files, configuration) if configuration else ""
        match = re.search(r"defaultLocale:\s*[\"']([\w-]+)[\"']", text)
        default = match[1] if match and match[1] in children else "en"
        return sorted(children, key=lambda name: (name != default, name))

    def _page(self, path: str) -> ImportedPage:
        stem = posixpath.relpath(without_extension(path), self.folder)
        parts = [part for part in stem.split("/") if not (part.startswith("(") and part.endswith(")"))]
        address = absolute(without_index("/".join(parts), "index|page"))
        locale, rest = (parts[0], parts[1:]) if self.locales else (self.locale, parts)
        original = None
        if self.locale is not None and locale != self.locale:
            original = self._find(posixpath.join(self.folder, self.locale, *rest))
        # A link without a locale leads to the page in the reader's locale.
        plain = absolute(without_index("/".join(rest), "index|page"))
        former = (plain,) if self.locales and original is None and plain != address else ()
        return imported_page(self.pages.read(path), address, locale, former, original)

    def _find(self, stem: str) -> str | None:
        return self.source.page_at(stem, _ALL_ENDINGS)

    def _entries(self, folder: str) -> list[Entry]:
        """The entries in `_meta`, then all others; separators are headings of the entries that follow."""
        path = self.source.page_at(f"{folder}/", _META_NAMES)
        value = self.source.exported(path) if path else {}
        self.source.report_unknown(value)
        meta = js_object(value)
        names = set(map(without_extension, children_of(folder, self.originals)))
        ordered = [*meta, *sorted(names - meta.keys(), key=name_order)]
        entries = places = list[Entry]()
        for name in ordered:
            if js_text(at(meta.get(name), "type")) == "separator":
                places = self._separator(js_text(at(meta[name], "title")), entries)
            elif name in names:
                places.append(self._entry(f"{folder}/{name}", meta.get(name)))
            elif name != "*" and path and not js_text(at(meta.get(name), "href")):
                self.source.losses.add(path, f"navigation entry without a page in the folder: {name}")
        return entries

    def _separator(self, title: str, entries: list[Entry]) -> list[Entry]:
        if not title:
            return entries
        entries.append(Entry(title))
        return entries[-1].entries

    def _entry(self, stem: str, value: JsValue) -> Entry:
        page = self._find(stem)
        is_folder = any(path.startswith(f"{stem}/") for path in self.originals)
        title = js_text(value) or js_text(at(value, "title"))
        if not title:
            title = self.originals[page].title if page in self.originals else title_of_name(stem)
        return Entry(title, page, self._entries(stem) if is_folder else [])


READER = Reader("nextra", "Nextra", recognises, read)

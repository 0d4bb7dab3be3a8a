"""Reads Starlight: `astro.config.*` and the pages in `src/content/docs`."""

import posixpath
import re

from instep.transfer.imports.javascript.js_values import JsCall, JsValue, at, js_array, js_object, js_text
from instep.transfer.imports.mdx.component_source import (
    ComponentSource,
    absolute,
    configuration_path,
    imported_page,
    language_of,
    shallowest,
    without_index,
)
from instep.transfer.imports.mdx.elements import Dialect
from instep.transfer.imports.mdx.included_files import IncludedFiles
from instep.transfer.imports.mdx.pages import ComponentPage, PageReader
from instep.transfer.imports.tree.file_names import children_of, title_of_name, without_extension
from instep.transfer.imports.tree.navigation import Entry, arrange
from instep.transfer.imports.tree.schemas import ImportedPage, Losses, Reader, SourceFiles, Tree
from instep.transfer.imports.tree.site_looks import tell_looks

_CONFIGURATION = re.compile(r"(?:^|/)astro\.config\.[cm]?[jt]s$")
_DOCS = "src/content/docs"


def recognises(files: SourceFiles) -> bool:
    paths = list(files.paths())
    path = shallowest(paths, _CONFIGURATION)
    return path is not None and any(name.startswith(_folder(path)) for name in paths)


def read(files: SourceFiles, losses: Losses) -> Tree:
    path = configuration_path(files, _CONFIGURATION, "astro.config.mjs")
    return _Starlight(ComponentSource(files, losses, posixpath.dirname(path)), path).tree()


def _folder(path: str) -> str:
    return posixpath.join(posixpath.dirname(path), _DOCS) + "/"


class _Starlight:
    def __init__(self, source: ComponentSource, path: str) -> None:
        self.source, self.path = source, path
        self.folder = _folder(path).rstrip("/")
        self.site = js_object(source.exported(path))
        self.settings = self._starlight_settings()
        folder = f"{source.prefix}src/"
        source.configuration.aliases = {"~/": folder, "@/": folder, "/": source.prefix}
        dialects: dict[str, Dialect] = {"mdx": "mdx", "md": "html"}
        snippets = IncludedFiles(source.files, source.configuration, dialects)
        self.pages = PageReader(snippets, source.losses)
        locales = js_object(self.settings.get("locales"))
        default = js_text(self.settings.get("defaultLocale")) or "root"
        self.default_folder = "" if default == "root" or default not in locales else default
        lang = js_text(at(locales.get(default), "lang")) or (default if default != "root" else "")
        self.locale = language_of(lang) or None
        self.locales = {
            name.lower(): js_text(at(row, "lang")) or name for name, row in locales.items() if name != default
        }
        self.read_pages: dict[str, ComponentPage] = {}

    def tree(self) -> Tree:
        paths = self.source.pages_below(self.folder)
        self.read_pages = {path: self.pages.read(path) for path in paths}
        pages = {path: self._page(path) for path in paths}
        self.by_address = {page.address: path for path, page in pages.items()}
        sidebar = self.settings.get("sidebar")
        self.source.report_unknown(sidebar)
        entries = self._items(sidebar) if sidebar is not None else self._generated(self._default_folder())
        arranged = arrange(entries, pages, self.source.losses, is_declared=True)
        tell_looks("starlight", self.source.losses, self.path, self.settings)
        base = js_text(self.site.get("base")).rstrip("/")
        site = js_text(self.site.get("site")).rstrip("/")
        static = self.source.join("public")
        for address, target in js_object(self.site.get("redirects")).items():
            self.source.add_redirect(self.path, address, js_object(target).get("destination", target))
        self.source.add_hosting_redirects(static)
        return Tree(
            *("starlight", self.locale, *arranged),
            redirects=tuple(self.source.redirects),
            sites=tuple(filter(None, (site + base, base))),
            static_folders=(static,),
        )

    def _starlight_settings(self) -> dict[str, JsValue]:
        for integration in js_array(self.site.get("integrations")):
            if isinstance(integration, JsCall) and integration.name == "starlight":
                return js_object(integration)
        return {}

    def _default_folder(self) -> str:
        return posixpath.join(self.folder, self.default_folder).rstrip("/")

    def _page(self, path: str) -> ImportedPage:
        page = self.read_pages[path]
        stem = posixpath.relpath(without_extension(path), self.folder)
        first, _, rest = stem.partition("/")
        lang = self.locales.get(_slug_of(first))
        original = self._find(posixpath.join(self.default_folder, rest)) if lang else None
        locale = language_of(lang) if lang else self.locale
        return imported_page(page, absolute(self._slug(page, stem)), locale, translation_of=original)

    def _slug(self, page: ComponentPage, stem: str) -> str:
        """The address of a page: Astro slugifies each part of its path."""
        slug = page.fields.text("slug")
        return slug or "/".join(_slug_of(part) for part in without_index(stem).split("/"))

    def _find(self, stem: str) -> str | None:
        return self.source.page_at(posixpath.join(self.folder, stem))

    def _items(self, value: JsValue) -> list[Entry]:
        return [entry for row in js_array(value) for entry in self._item(row)]

    def _item(self, row: JsValue) -> list[Entry]:
        label = js_text(at(row, "label"))
        slug = js_text(row) or js_text(at(row, "slug"))
        target = js_text(at(row, "link"))
        if slug or target:
            address = absolute(self.default_folder, slug) if slug else absolute(target.partition("#")[0])
            path = self.by_address.get(address)
            if path is None:
                what = f"sidebar entry without a page in the folder: {label or slug}"
                self.source.losses.add(self.path, what)
            return [Entry(label, path)] if path else []
        folder = at(row, "autogenerate", "directory")
        entries = self._items(at(row, "items"))
        if isinstance(folder, str):
            entries = self._generated(posixpath.normpath(posixpath.join(self._default_folder(), folder)))
        return [Entry(label, None, entries)] if label else entries

    def _generated(self, folder: str) -> list[Entry]:
        """Generated entries by `sidebar.order`, then by path; a folder has its first page's position."""
        rows = children_of(folder, self.read_pages)

        def place(name: str) -> tuple[float, bool, str]:
            return min(map(self._order, rows[name])), name != "index.mdx", name

        entries: list[Entry] = []
        for name in sorted(rows, key=place):
            if folder == self.folder and _slug_of(name) in self.locales:
                continue
            path = f"{folder}/{name}"
            if path not in self.read_pages:
                entries.append(Entry(title_of_name(name), None, self._generated(path)))
            elif not self.read_pages[path].fields.fields("sidebar").is_true("hidden"):
                entries.append(Entry(self.read_pages[path].imported.title, path))
        return entries

    def _order(self, path: str) -> float:
        order = self.read_pages[path].fields.fields("sidebar").number("order")
        return float("inf") if order is None else order


def _slug_of(name: str) -> str:
    return re.sub(r"[^\w\s-]", "", name.lower()).strip().replace(" ", "-")


READER = Reader("starlight", "Starlight", recognises, read)

"""Docusaurus: `docusaurus.config.*`, sidebars, MDX pages and their translations."""

import posixpath
import re
from collections.abc import Iterator
from dataclasses import dataclass

from instep.transfer.imports.javascript.js_values import JsUnknown, JsValue, at, js_array, js_object, js_text
from instep.transfer.imports.mdx.component_source import (
    ComponentSource,
    absolute,
    configuration_path,
    imported_page,
    shallowest,
    without_index,
)
from instep.transfer.imports.mdx.included_files import IncludedFiles
from instep.transfer.imports.mdx.pages import ComponentPage, PageReader
from instep.transfer.imports.readers.docusaurus_sidebars import Doc, Sidebars
from instep.transfer.imports.tree.file_names import without_extension, without_numbers
from instep.transfer.imports.tree.folders import MAIN_LOCALE
from instep.transfer.imports.tree.navigation import Entry, arrange
from instep.transfer.imports.tree.schemas import (
    ImportedPage,
    ImportedRedirect,
    Losses,
    Reader,
    SourceFiles,
    Tree,
)
from instep.transfer.imports.tree.site_looks import tell_looks

_CONFIGURATION = re.compile(r"(?:^|/)docusaurus\.config\.[cm]?[jt]s$")
_DOCS = re.compile(r"^(?:@docusaurus/plugin-content-docs|content-docs|docs)$")
_BLOG = re.compile(r"^(?:@docusaurus/plugin-content-blog|content-blog|blog)$")
_PAGES = re.compile(r"^(?:@docusaurus/plugin-content-pages|content-pages|pages)$")
_CLASSIC = re.compile(r"\bclassic$")
_PROGRAM = re.compile(r"/(?!_)[\w-]+\.[jt]sx?$")
_REDIRECTS = re.compile(r"client-redirects$")


def recognises(files: SourceFiles) -> bool:
    return shallowest(files.paths(), _CONFIGURATION) is not None


def read(files: SourceFiles, losses: Losses) -> Tree:
    path = configuration_path(files, _CONFIGURATION, "docusaurus.config.js")
    return _Docusaurus(ComponentSource(files, losses, posixpath.dirname(path)), path).tree()


@dataclass(frozen=True, slots=True)
class _Instance:
    """One set of pages: its id, folder, folder of the newest version, and address prefix."""

    id: str
    folder: str
    version: str
    route: str
    sidebars: str | None


class _Docusaurus:
    def __init__(self, source: ComponentSource, path: str) -> None:
        self.source, self.path = source, path
        self.settings = js_object(source.exported(path))
        source.configuration.aliases = {"@site/": source.prefix}
        snippets = IncludedFiles(source.files, source.configuration)
        self.pages = PageReader(snippets, source.losses)
        self.locale = js_text(at(self.settings, "i18n", "defaultLocale")) or None

    def tree(self) -> Tree:
        pages: dict[str, ImportedPage] = {}
        entries: list[Entry] = []
        redirects: list[ImportedRedirect] = []
        for instance in self._instances():
            docs = {doc.path: doc for doc in self._docs(instance, instance.folder, "")}
            pages |= {path: self._page(doc, self.locale, None) for path, doc in docs.items()}
            pages |= self._translations(instance, docs)
            sidebars = Sidebars(self.source, instance.folder, instance.route, docs)
            entries += sidebars.entries(instance.sidebars)
            redirects += sidebars.redirects
        pages |= {page.path: page for page in self._other_pages()}
        arranged = arrange(entries, pages, self.source.losses, is_declared=True)
        presets = map(js_array, js_array(self.settings.get("presets")))
        theme = next((value for row in presets if (value := at(row[1:] and row[1], "theme"))), None)
        tell_looks("docusaurus", self.source.losses, self.path, {**self.settings, "theme": theme})
        url, base = js_text(self.settings.get("url")), js_text(self.settings.get("baseUrl")).rstrip("/")
        folders = [js_text(folder) for folder in js_array(self.settings.get("staticDirectories"))]
        static_folders = tuple(map(self.source.join, folders or ["static"]))
        self._add_redirects()
        self.source.add_hosting_redirects(*static_folders)
        return Tree(
            *("docusaurus", self.locale, *arranged),
            redirects=(*self.source.redirects, *redirects),
            sites=tuple(filter(None, (url.rstrip("/") + base if url else "", base))),
            static_folders=static_folders,
            aliases=(("@site/", self.source.root),),
            links_keep_language=True,
        )

    def _plugins(self) -> Iterator[tuple[str, dict[str, JsValue]]]:
        """The options of plugins, by name; plugins of presets have the preset's keys as names."""
        for row in js_array(self.settings.get("presets")):
            name, *rows = js_array(row) or [row]
            options = js_object(rows[0]) if rows else {}
            for key in ("docs", "blog", "pages"):
                # Presets of other packages have their own plugins, such as the pages of an API.
                if options.get(key, {}) is not False and (key in options or _CLASSIC.search(js_text(name))):
                    yield key, js_object(options.get(key))
        for row in js_array(self.settings.get("plugins")):
            name, *options_of_plugin = js_array(row) or [row]
            yield js_text(name), js_object(options_of_plugin[0]) if options_of_plugin else {}

    def _instances(self) -> Iterator[_Instance]:
        plugins = [(name, options) for name, options in self._plugins() if _DOCS.match(name)]
        for _, options in plugins or [("docs", {})]:
            identity = js_text(options.get("id")) or "default"
            folder = js_text(options.get("path")) or "docs"
            route = js_text(options.get("routeBasePath")) if "routeBasePath" in options else "docs"
            yield self._newest(identity, self.source.join(folder), route, options.get("sidebarPath"))

    def _newest(self, identity: str, folder: str, route: str, sidebar: JsValue) -> _Instance:
        """The newest version of an instance, which is first in `versions.json`; the others are losses."""
        prefix = "" if identity == "default" else f"{identity}_"
        path = self.source.join(f"{prefix}versions.json")
        versions = self.source.configuration.exported(path) if path in self.source.paths else []
        names = [js_text(version) for version in js_array(versions)]
        for name in names[1:]:
            what = f"version {name} of the documentation: only the newest version is imported"
            self.source.losses.add(path, what)
        if names:
            sidebars = self.source.join(f"{prefix}versioned_sidebars", f"version-{names[0]}-sidebars.json")
            folder = self.source.join(f"{prefix}versioned_docs", f"version-{names[0]}")
            declared = sidebars if sidebars in self.source.paths else None
            return _Instance(identity, folder, f"version-{names[0]}", route, declared)
        self.source.report_unknown(sidebar if isinstance(sidebar, JsUnknown) else None)
        names = [js_text(sidebar)] if js_text(sidebar) else ["sidebars.js", "sidebars.ts"]
        declared = next((path for path in map(self.source.join, names) if path in self.source.paths), None)
        return _Instance(identity, folder, "current", route, declared)

    def _docs(self, instance: _Instance, folder: str, locale: str) -> Iterator[Doc]:
        for path in self.source.pages_below(folder):
            page = self.pages.read(path)
            relative = without_numbers(posixpath.relpath(without_extension(path), folder))
            parent = posixpath.dirname(relative)
            name = page.fields.text("id") or posixpath.basename(relative)
            address = _address(page, relative, absolute(locale, instance.route))
            yield Doc(page, posixpath.join(parent, name), address)

    def _other_pages(self) -> Iterator[ImportedPage]:
        """Read standalone Markdown pages, such as a contact page; programs and blog posts are reported."""
        for name, options in self._plugins():
            is_blog = _BLOG.match(name) is not None
            folder = self.source.join(js_text(options.get("path")) or ("blog" if is_blog else "src/pages"))
            if is_blog and (posts := self.source.pages_below(folder)):
                self.source.losses.add(
                    folder, f"blog posts, which are not imported ({len(posts):,} in total)"
                )
            elif _PAGES.match(name):
                route = js_text(options.get("routeBasePath"))
                for doc in self._docs(_Instance(name, folder, "", route, None), folder, ""):
                    yield self._page(doc, self.locale, None)
                for path in sorted(self.source.paths):
                    if posixpath.dirname(path).startswith(folder) and _PROGRAM.search(path):
                        self.source.losses.add(path, "page that is a program: not imported")

    def _translations(self, instance: _Instance, docs: dict[str, Doc]) -> dict[str, ImportedPage]:
        plugin = "docusaurus-plugin-content-docs" + ("" if instance.id == "default" else f"-{instance.id}")
        main = self.locale or MAIN_LOCALE
        pages: dict[str, ImportedPage] = {}
        for name in js_array(at(self.settings, "i18n", "locales")):
            locale = js_text(name)
            folder = self.source.join("i18n", locale, plugin, instance.version)
            for doc in self._docs(instance, folder, locale) if locale and locale != main else ():
                original = posixpath.join(instance.folder, posixpath.relpath(doc.path, folder))
                pages[doc.path] = self._page(doc, locale, original if original in docs else None)
        return pages

    def _page(self, doc: Doc, locale: str | None, original: str | None) -> ImportedPage:
        return imported_page(doc.page, doc.address, locale, translation_of=original)

    def _add_redirects(self) -> None:
        for name, options in self._plugins():
            if _REDIRECTS.search(name):
                self.source.report_unknown([options.get("redirects"), options.get("createRedirects")])
                self.source.add_redirects(self.path, options.get("redirects"), "from", "to")


def _address(page: ComponentPage, relative: str, base: str) -> str:
    """The address of a page in Docusaurus: from its slug, its id and folder, or its path."""
    slug, identity = page.fields.text("slug"), page.fields.text("id")
    parent = posixpath.dirname(relative)
    if slug:
        return absolute(base, slug) if slug.startswith("/") else absolute(base, parent, slug)
    if identity:
        return absolute(base, parent, identity)
    folder = re.escape(posixpath.basename(parent))
    return absolute(base, without_index(relative, "|".join(filter(None, ("index", "readme", folder)))))


READER = Reader("docusaurus", "Docusaurus", recognises, read)

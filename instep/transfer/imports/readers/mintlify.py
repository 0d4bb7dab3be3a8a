"""Reads Mintlify: `docs.json` (`mint.json` in older projects) and MDX pages."""

import posixpath
import re
from dataclasses import replace
from itertools import islice

from instep.platform.core import limits
from instep.transfer.imports.javascript.js_values import JsValue, at, js_array, js_text
from instep.transfer.imports.mdx.component_source import (
    ComponentSource,
    absolute,
    configuration_path,
    imported_page,
    read_object,
    shallowest,
    without_index,
)
from instep.transfer.imports.mdx.included_files import IncludedFiles
from instep.transfer.imports.mdx.pages import PageReader
from instep.transfer.imports.openapi.api_document import (
    NAMED_OPERATION,
    is_api_description,
    read_api_document,
)
from instep.transfer.imports.readers.openapi import operation_page
from instep.transfer.imports.tree.file_names import without_extension
from instep.transfer.imports.tree.navigation import Entry, arrange, pages_of
from instep.transfer.imports.tree.schemas import ImportedPage, Losses, Reader, SourceFiles, Tree
from instep.transfer.imports.tree.site_looks import tell_looks

_CONFIGURATION = re.compile(r"(?:^|/)(?:docs|mint)\.json$")
_LABELS = ("group", "tab", "anchor", "dropdown", "product", "item", "menu")
_CHILDREN = ("products", "tabs", "anchors", "dropdowns", "menu", "groups", "pages")
_NOT_PAGES = re.compile(r"(?:^|/)(?:snippets/|README\.mdx?$|node_modules/)", re.IGNORECASE)


def recognises(files: SourceFiles) -> bool:
    path = shallowest(files.paths(), _CONFIGURATION)
    return path is not None and b'"navigation"' in files.read(path)


def read(files: SourceFiles, losses: Losses) -> Tree:
    path = configuration_path(files, _CONFIGURATION, "docs.json")
    return _Mintlify(ComponentSource(files, losses, posixpath.dirname(path)), path).tree()


class _Mintlify:
    def __init__(self, source: ComponentSource, path: str) -> None:
        self.source, self.path = source, path
        self.settings = read_object(source.files, path)
        source.configuration.aliases = {"/": source.prefix}
        snippets = IncludedFiles(source.files, source.configuration)
        self.pages = PageReader(snippets, source.losses, has_bare_titles=True)
        languages = js_array(at(self.settings, "navigation", "languages"))
        default = _default(languages) if languages else None
        self.locale = js_text(at(default, "language")) or None
        self.other_locales = {js_text(at(row, "language")) for row in languages} - {self.locale}
        self.older_pages: set[str] = set()
        # The pages of operations by method and path, and those that only Mintlify generates, by key.
        self.operation_pages: dict[tuple[str, str], str] = {}
        self.generated_pages: dict[str, ImportedPage] = {}
        self.navigation: JsValue = default if languages else self.settings.get("navigation")

    def tree(self) -> Tree:
        pages = {path: self._page(path) for path in self._page_paths()}
        entries = self._entries(self.navigation)
        left_out = self.older_pages.difference(pages_of(entries))
        pages = {path: page for path, page in pages.items() if path not in left_out} | self.generated_pages
        arranged = arrange(entries, pages, self.source.losses)
        self.source.add_redirects(self.path, self.settings.get("redirects"), "source", "destination")
        tell_looks("mintlify", self.source.losses, self.path, self.settings)
        canonical = js_text(at(self.settings, "seo", "metatags", "canonical"))
        return Tree(
            *("mintlify", self.locale, *arranged),
            redirects=tuple(self.source.redirects),
            sites=(canonical.rstrip("/"),) if canonical.startswith("http") else (),
            static_folders=(self.source.root,),
        )

    def _page_paths(self) -> list[str]:
        paths, start = self.source.pages_below(self.source.root), len(self.source.prefix)
        return [path for path in paths if not _NOT_PAGES.search(path[start:])]

    def _page(self, path: str) -> ImportedPage:
        page = self.pages.read(path)
        if operation := NAMED_OPERATION.search(page.fields.text("openapi", "api")):
            self.operation_pages[operation[1].upper(), operation[2]] = path
        stem = posixpath.relpath(without_extension(path), self.source.root or ".")
        locale, _, rest = stem.partition("/")
        is_translation = locale in self.other_locales and rest != ""
        original = self._find(rest) if is_translation else None
        language = locale if is_translation else self.locale
        return imported_page(page, absolute(without_index(stem)), language, translation_of=original)

    def _find(self, name: str) -> str | None:
        return self.source.page_at(self.source.join(name.strip("/")))

    def _entries(self, value: JsValue) -> list[Entry]:
        """The entries for the name of a page, for a labeled object, or for its content."""
        if isinstance(value, str):
            return self._page_entry(value)
        if isinstance(value, list):
            return [entry for row in value for entry in self._entries(row)]
        if not isinstance(value, dict):
            return []
        versions = js_array(value.get("versions"))
        children = [value.get(name) for name in _CHILDREN] if not versions else [self._newest(versions)]
        entries = [entry for child in children for entry in self._entries(child)]
        label = next((text for name in _LABELS if (text := js_text(value.get(name)))), "")
        root = js_text(value.get("root"))
        entries += self._operation_entries(value, label)
        if not label:
            return entries
        page = self._find(root) if root else None
        return [Entry(label, page, entries, js_text(value.get("description")) or None)]

    def _operation_entries(self, value: dict[str, JsValue], label: str) -> list[Entry]:
        """The operations of an API reference by tag; those without a page in the source get one."""
        setting = value.get("openapi", value.get("asyncapi"))
        names = [js_text(name) for name in js_array(setting) or [at(setting, "source") or setting]]
        directory = js_text(at(setting, "directory")) or "api-reference"
        entries: dict[str, Entry] = {}
        for path in (self.source.join(name.strip("/")) for name in names if name):
            if path not in self.source.paths or not is_api_description(self.source.files.read(path)):
                self.source.losses.add(self.path, f"API reference, generated by Mintlify: {label or path}")
                continue
            document = read_api_document(path, self.source.files.read(path))
            for operation in islice(document.public_operations(), limits.MAX_API_OPERATIONS):
                key = self.operation_pages.get((operation.method, operation.path))
                if key is None:
                    page = operation_page(path, document, operation, "")
                    parts = (directory, _slug(operation.tag), _slug(page.title))
                    self.generated_pages[page.key] = replace(page, address=absolute(*parts))
                    key = page.key
                group = entries.setdefault(operation.tag, Entry(operation.tag))
                group.entries.append(Entry(operation.name, key))
        return [each for tag, group in entries.items() for each in ([group] if tag else group.entries)]

    def _page_entry(self, name: str) -> list[Entry]:
        path = self._find(name)
        if path is None:
            self.source.losses.add(self.path, f"navigation entry whose page isn't in the source: {name}")
        return [Entry(name, path)] if path else []

    def _newest(self, versions: list[JsValue]) -> JsValue:
        """The default version, or the first one; the pages of other versions are losses."""
        newest = _default(versions)
        for row in versions:
            if row is not newest:
                paths = set(pages_of(self._entries(row)))
                self.older_pages |= paths
                number = f"{len(paths)} page{'s' if len(paths) != 1 else ''}"
                name = f"version {js_text(at(row, 'version'))} with {number}"
                self.source.losses.add(self.path, f"{name}: only the default version is imported")
        return newest


def _slug(words: str) -> str:
    """A part of an address as Mintlify makes it."""
    return re.sub("-{3,}", "--", re.sub(r"[^\w-]", "", words.strip().lower().replace(" ", "-")))


def _default(rows: list[JsValue]) -> JsValue:
    """The version or language marked as the default, otherwise the first."""
    return next((row for row in rows if at(row, "default") is True), rows[0])


READER = Reader("mintlify", "Mintlify", recognises, read)

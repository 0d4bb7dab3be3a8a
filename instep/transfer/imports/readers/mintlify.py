"""Reads Mintlify: `docs.json` (`mint.json` in older projects) and MDX pages."""

import posixpath
import re
from dataclasses import replace

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
    ApiDocument,
    DocumentedOperation,
    is_api_description,
    named_operation,
    read_api_document,
)
from instep.transfer.imports.readers.openapi import operation_page
from instep.transfer.imports.tree.file_names import without_extension
from instep.transfer.imports.tree.navigation import Entry, arrange, pages_of
from instep.transfer.imports.tree.schemas import (
    ImportedPage,
    Losses,
    Reader,
    SourceFiles,
    Tree,
    UnreadableSource,
)
from instep.transfer.imports.tree.site_looks import tell_looks

_CONFIGURATION = re.compile(r"(?:^|/)(?:docs|mint)\.json$")
_LABELS = ("group", "tab", "anchor", "dropdown", "product", "item", "menu")
_CHILDREN = ("products", "tabs", "anchors", "dropdowns", "menu", "groups", "pages")
_ENDINGS = ("", ".json", ".yaml", ".yml")
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
        # The pages of operations by file ("" if none is named), method and path.
        self.operation_pages: dict[tuple[str, str, str], str] = {}
        # The OpenAPI documents by path, and the operations of each by method and path.
        self.documents: dict[str, tuple[ApiDocument, dict[tuple[str, str], DocumentedOperation]] | None] = {}
        # The pages that only Mintlify generates, by key.
        self.generated_pages: dict[str, ImportedPage] = {}
        self.navigation: JsValue = default if languages else self.settings.get("navigation")

    def tree(self) -> Tree:
        pages = {path: self._page(path) for path in self._page_paths()}
        entries = self._entries(self.navigation, at(self.settings, "api", "openapi"))
        left_out = self.older_pages.difference(pages_of(entries))
        pages = {key: page for key, page in (pages | self.generated_pages).items() if key not in left_out}
        arranged = arrange(entries, pages, self.source.losses, is_declared=True)
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
        stem = posixpath.relpath(without_extension(path), self.source.root or ".")
        locale, _, rest = stem.partition("/")
        is_translation = locale in self.other_locales and rest != ""
        named = named_operation(page.fields.text("openapi", "api"))
        if named is not None and not is_translation:
            self.operation_pages[self._document_path(named[0]), *named[1:]] = path
        original = self._find(rest) if is_translation else None
        language = locale if is_translation else self.locale
        return imported_page(page, absolute(without_index(stem)), language, translation_of=original)

    def _find(self, name: str) -> str | None:
        return self.source.page_at(self.source.join(name.strip("/")))

    def _entries(self, value: JsValue, api: JsValue) -> list[Entry]:
        """The entries for the name of a page, for a labeled object, or for its content.

        `api` is the setting for OpenAPI documents that an object has or inherits.
        """
        if isinstance(value, str):
            return self._page_entry(value, api)
        if isinstance(value, list):
            return [entry for row in value for entry in self._entries(row, api)]
        if not isinstance(value, dict):
            return []
        api = value.get("openapi") or api
        versions = js_array(value.get("versions"))
        children = [value.get(name) for name in _CHILDREN] if not versions else [self._newest(versions, api)]
        entries = [entry for child in children for entry in self._entries(child, api)]
        label = next((text for name in _LABELS if (text := js_text(value.get(name)))), "")
        root = js_text(value.get("root"))
        if not any(children):
            entries += self._operation_entries(value.get("openapi", value.get("asyncapi")), label)
        if not label:
            return entries
        page = self._find(root) if root else None
        return [Entry(label, page, entries, js_text(value.get("description")) or None)]

    def _operation_entries(self, api: JsValue, label: str) -> list[Entry]:
        """All operations of an API reference by tag; those without a page in the source get one."""
        entries: dict[str, Entry] = {}
        for path in _document_names(api):
            path = self._document_path(path)
            if path not in self.source.paths or not is_api_description(self.source.files.read(path)):
                self.source.losses.add(self.path, f"API reference, generated by Mintlify: {label or path}")
                continue
            _, operations = self._document(path) or (None, {})
            for operation in operations.values():
                group = entries.setdefault(operation.tag, Entry(operation.tag))
                group.entries.append(self._operation_entry(path, operation, api))
        return [each for tag, group in entries.items() for each in ([group] if tag else group.entries)]

    def _operation_entry(self, path: str, operation: DocumentedOperation, api: JsValue) -> Entry:
        name = operation.method, operation.path
        key = self.operation_pages.get((path, *name)) or self.operation_pages.get(("", *name))
        document = self._document(path)
        if key is None and document is not None:
            page = operation_page(path, document[0], operation, "")
            directory = js_text(at(api, "directory")) or "api-reference"
            address = absolute(directory, _slug(operation.tag), _slug(page.title))
            key = page.key
            self.generated_pages.setdefault(key, replace(page, address=address))
        return Entry("", key)

    def _document(self, path: str) -> tuple[ApiDocument, dict[tuple[str, str], DocumentedOperation]] | None:
        """The document in a file and its operations by method and path; None if it can't be read."""
        if path not in self.documents:
            self.documents[path] = None
            try:
                document = read_api_document(path, self.source.files.read(path))
            except UnreadableSource as refusal:
                self.source.losses.add(path, f"API description that can't be read: {refusal}")
                return None
            operations = list(document.public_operations())
            if (number := len(operations) - limits.MAX_API_OPERATIONS) > 0:
                self.source.losses.add(
                    path, f"API operations after the first {limits.MAX_API_OPERATIONS:,}: {number:,}"
                )
            first = operations[: limits.MAX_API_OPERATIONS]
            self.documents[path] = document, {(row.method, row.path): row for row in first}
        return self.documents[path]

    def _document_path(self, name: str) -> str:
        """The path of a document, which may be named without its extension; "" without a name."""
        path = self.source.join(name.strip("/")) if name else ""
        return next((each for end in _ENDINGS if (each := f"{path}{end}") in self.source.paths), path)

    def _page_entry(self, name: str, api: JsValue) -> list[Entry]:
        path = self._find(name)
        if path is None and (named := named_operation(name)):
            return self._listed_operation(name, *named, api)
        if path is None:
            self.source.losses.add(self.path, f"navigation entry whose page isn't in the source: {name}")
        return [Entry("", path)] if path else []

    def _listed_operation(self, name: str, file: str, method: str, path: str, api: JsValue) -> list[Entry]:
        """The entry of an operation in the named document, or else in the inherited ones."""
        for document_path in map(self._document_path, [file] if file else _document_names(api)):
            document = self._document(document_path) if document_path in self.source.paths else None
            operation = document[1].get((method, path)) if document else None
            if operation is not None:
                return [self._operation_entry(document_path, operation, api)]
        self.source.losses.add(self.path, f"navigation entry whose operation isn't in the source: {name}")
        return []

    def _newest(self, versions: list[JsValue], api: JsValue) -> JsValue:
        """The default version, or the first one; the pages of other versions are losses."""
        newest = _default(versions)
        for row in versions:
            if row is not newest:
                paths = set(pages_of(self._entries(row, api)))
                self.older_pages |= paths
                number = f"{len(paths)} page{'s' if len(paths) != 1 else ''}"
                name = f"version {js_text(at(row, 'version'))} with {number}"
                self.source.losses.add(self.path, f"{name}: only the default version is imported")
        return newest


def _document_names(api: JsValue) -> list[str]:
    """The names of the documents in a setting: one, several, or an object with a source."""
    names = (js_text(name) for name in js_array(api) or [at(api, "source") or api])
    return [name for name in names if name]


def _slug(words: str) -> str:
    """A part of an address as Mintlify makes it."""
    return re.sub("-{3,}", "--", re.sub(r"[^\w-]", "", words.strip().lower().replace(" ", "-")))


def _default(rows: list[JsValue]) -> JsValue:
    """The version or language marked as the default, otherwise the first."""
    return next((row for row in rows if at(row, "default") is True), rows[0])


READER = Reader("mintlify", "Mintlify", recognises, read)

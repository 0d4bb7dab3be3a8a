"""Fills in pages of an API reference, which products generate from an OpenAPI file."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property

from instep.platform.core import limits
from instep.transfer.imports.markdown.source_pages import SourcePage, read_page
from instep.transfer.imports.openapi.api_document import (
    ApiDocument,
    DocumentedOperation,
    is_api_description,
    named_operation,
    read_api_document,
)
from instep.transfer.imports.openapi.operation_pages import detail_blocks, head_blocks
from instep.transfer.imports.tree.file_names import is_page
from instep.transfer.imports.tree.schemas import (
    ImportedPage,
    Loss,
    Losses,
    SourceFiles,
    Tree,
    UnreadableSource,
)

# Markers of an API reference page in its file: keys of Mintlify, ReadMe and Fumadocs, and a component
# of Docusaurus.
MARKED = re.compile(rb"^(?:openapi|api|_openapi)[ \t]*:|<MethodEndpoint\b", re.MULTILINE)
DOCUMENT_EXTENSION = re.compile(r"\.(?:json|ya?ml)$", re.IGNORECASE)
ENDPOINT = re.compile(r"<MethodEndpoint\b[^<>]*?method=\{?\"(\w+)\"\}?\s+path=\{?\"([^\"]+)\"\}?")


@dataclass(frozen=True, slots=True)
class ApiOperation:
    """An operation of an API: its method in capital letters, its path, and its description in a document."""

    method: str
    path: str
    described: tuple[ApiDocument, DocumentedOperation] | None = None

    @property
    def name(self) -> str:
        return f"{self.method} {self.path}"

    @property
    def summary(self) -> str:
        return str(self.described[1].row.get("summary") or "").strip() if self.described else ""

    @property
    def heads(self) -> tuple[str, ...]:
        return tuple(head_blocks(self.described[1])) if self.described else (f"`{self.name}`",)

    @property
    def details(self) -> tuple[str, ...]:
        return tuple(detail_blocks(*self.described)) if self.described else ()


@dataclass
class ApiDescriptions:
    """The OpenAPI files of a source, read when a page first needs them."""

    files: SourceFiles
    losses: list[Loss] = field(default_factory=list)

    def find(self, method: str, path: str, file: str = "") -> ApiOperation:
        """The operation with its description in the named file or else in any, or only its name."""
        rows = self.by_name.get((method.lower(), path.rstrip("/")), {})
        name = DOCUMENT_EXTENSION.sub("", file.strip("./"))
        matches = [
            row for path, row in rows.items() if f"/{DOCUMENT_EXTENSION.sub('', path)}".endswith(f"/{name}")
        ]
        operation = (matches if name else list(rows.values()))[-1:]
        return operation[0] if operation else ApiOperation(method.upper(), path)

    @cached_property
    def by_id(self) -> dict[str, ApiOperation]:
        return {id: row for _, id, row in self.rows}

    @cached_property
    def by_name(self) -> dict[tuple[str, str], dict[str, ApiOperation]]:
        """The operations by method and path, each by the path of its document."""
        operations: dict[tuple[str, str], dict[str, ApiOperation]] = {}
        for path, _, row in self.rows:
            operations.setdefault((row.method.lower(), row.path.rstrip("/")), {})[path] = row
        return operations

    @cached_property
    def rows(self) -> list[tuple[str, str, ApiOperation]]:
        """The path of the document, the id, and the operation."""
        return list(self._read())

    def _read(self) -> Iterator[tuple[str, str, ApiOperation]]:
        for path in self.files.paths():
            if not DOCUMENT_EXTENSION.search(path):
                continue
            content = self.files.read(path)
            if len(content) <= limits.MAX_OPENAPI_BYTES and is_api_description(content):
                yield from self._operations_of(path, content)

    def _operations_of(self, path: str, content: bytes) -> Iterator[tuple[str, str, ApiOperation]]:
        try:
            document = read_api_document(path, content)
        except UnreadableSource as refusal:
            self.losses.append(Loss(path, f"API description that can't be read: {refusal}"))
            return
        for operation in document.operations():
            id = str(operation.row.get("operationId") or f"{operation.method} {path} {operation.path}")
            yield path, id, ApiOperation(operation.method, operation.path, (document, operation))


def with_operations(tree: Tree, files: SourceFiles) -> Tree:
    """The tree with the descriptions of operations on the pages of an API reference."""
    descriptions, paths = ApiDescriptions(files), set(files.paths())
    pages = tuple(
        with_operation(page, content, descriptions)
        if page.path in paths and is_page(page.path) and MARKED.search(content := files.read(page.path))
        else page
        for page in tree.pages
    )
    # Readers report documents that can't be read too.
    losses = dict.fromkeys((*tree.losses, *descriptions.losses))
    return replace(tree, pages=pages, losses=tuple(losses))


def with_operation(page: ImportedPage, content: bytes, descriptions: ApiDescriptions) -> ImportedPage:
    """The page with its own text between the descriptions of its operations and their details."""
    source = read_page(page.path, content, Losses())
    operations = list(operations_of(source, descriptions))
    if not operations:
        return page
    for row in operations:
        if row.described is None:
            what = f"API operation without a description in the source: {row.name}"
            descriptions.losses.append(Loss(page.path, what))
    is_empty = shows_nothing(page.markdown)
    # The page's own description is above the text.
    rows = [row for row in operations if row.described or page.description] if is_empty else operations
    heads = [block for row in rows for block in row.heads if block not in page.markdown]
    text_blocks = [] if is_empty else [page.markdown.strip("\n")]
    details = [block for row in rows for block in row.details]
    has_title = source.fields.text("title") or not (is_empty and operations[0].summary)
    title = page.title if has_title else operations[0].summary
    text = "\n\n".join(filter(None, (*heads, *text_blocks, *details)))
    return replace(page, title=title, markdown=f"{text}\n" if text else "")


def operations_of(page: SourcePage, descriptions: ApiDescriptions) -> Iterator[ApiOperation]:
    """The operations of a page of an API reference."""
    fields = page.fields
    if named := named_operation(fields.text("openapi", "api")):
        file, method, path = named
        yield descriptions.find(method, path, file)
    generated = fields.fields("_openapi")
    if generated.text("method") and generated.text("route", "path"):
        yield descriptions.find(generated.text("method"), generated.text("route", "path"))
    if (id := fields.fields("api").text("operationId")) and id in descriptions.by_id:
        yield descriptions.by_id[id]
    for method, path in ENDPOINT.findall(page.body):
        yield descriptions.find(method, path)


NOTHING = re.compile(r"<!--.*?-->|[\s#>*_=|:.`-]", re.DOTALL)


def shows_nothing(markdown: str) -> bool:
    """True if a text shows nothing: no words, no images, and no characters other than Markdown marks."""
    return not NOTHING.sub("", markdown)

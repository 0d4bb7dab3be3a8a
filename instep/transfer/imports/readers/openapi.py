"""Reads an OpenAPI document: an overview, a collection for each tag, and a page for each operation."""

from collections.abc import Iterator

from instep.platform.core import limits
from instep.platform.text.slugs import slugify
from instep.transfer.imports.openapi.api_document import (
    ApiDocument,
    DocumentedOperation,
    is_api_description,
    mapping,
    read_api_document,
)
from instep.transfer.imports.openapi.operation_pages import overview_text, page_text
from instep.transfer.imports.tree.folders import page_paths
from instep.transfer.imports.tree.schemas import (
    ImportedCollection,
    ImportedPage,
    Losses,
    Reader,
    SourceFiles,
    Tree,
    UnreadableSource,
)

EXTENSIONS = (".json", ".yaml", ".yml")


def document_paths(files: SourceFiles) -> Iterator[str]:
    return (
        path
        for path in files.paths()
        if path.lower().endswith(EXTENSIONS) and is_api_description(files.read(path))
    )


def recognises(files: SourceFiles) -> bool:
    """True if there is an OpenAPI document and no page; other formats use such documents in their pages."""
    return not page_paths(files) and next(document_paths(files), None) is not None


def read(files: SourceFiles, losses: Losses) -> Tree:
    pages, collections = list[ImportedPage](), list[ImportedCollection]()
    for path in document_paths(files):
        document = read_api_document(path, files.read(path))
        root, *tags = collections_of(path, document)
        collections += [root, *tags]
        overview = overview_text(document)
        if overview.strip():
            slug = slugify(root.title, "api")
            pages.append(page_of(path, "overview", root.title, overview, root.key, slug))
        by_tag = {collection.title: collection.key for collection in tags}
        operations = sorted(document.public_operations(), key=lambda each: place_of(each, list(by_tag)))
        if len(operations) > limits.MAX_API_OPERATIONS:
            raise UnreadableSource(
                f"{path} has more than {limits.MAX_API_OPERATIONS:,} operations: split the API description."
            )
        pages += [operation_page(path, document, each, by_tag.get(each.tag, root.key)) for each in operations]
    if not collections:
        raise UnreadableSource("The source has no OpenAPI document in JSON or YAML.")
    return Tree("openapi", None, tuple(pages), tuple(collections))


def collections_of(path: str, document: ApiDocument) -> list[ImportedCollection]:
    """The collection of the API, and one for each tag of its operations: declared tags first."""
    title = str(mapping(document.values.get("info")).get("title") or "").strip() or "API reference"
    rows = document.values.get("tags")
    texts = {
        str(mapping(row).get("name")): str(mapping(row).get("description") or "").strip()
        for row in (rows if isinstance(rows, list) else [])
    }
    used = dict.fromkeys(operation.tag for operation in document.public_operations() if operation.tag)
    ordered = [tag for tag in texts if tag in used] + [tag for tag in used if tag not in texts]
    tags = [ImportedCollection(f"{path}/{tag}", tag, path, texts.get(tag) or None) for tag in ordered]
    return [ImportedCollection(path, title), *tags]


def place_of(operation: DocumentedOperation, tags: list[str]) -> int:
    """The place of the operation's tag; operations without one come first."""
    return tags.index(operation.tag) if operation.tag in tags else -1


def operation_page(
    path: str, document: ApiDocument, operation: DocumentedOperation, collection: str
) -> ImportedPage:
    title = str(operation.row.get("summary") or "").strip() or operation.name
    text = page_text(document, operation)
    return page_of(path, operation.name, title, text, collection, slugify(title, "operation"))


def page_of(path: str, name: str, title: str, markdown: str, collection: str, slug: str) -> ImportedPage:
    key = f"{path}#{name}"
    return ImportedPage(key, key, title, markdown, locale=None, slug=slug, collection=collection)


READER = Reader("openapi", "OpenAPI", recognises, read)

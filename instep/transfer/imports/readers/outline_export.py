"""Reads Outline's export in JSON: a file for each collection, with its documents and their order."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from urllib.parse import parse_qs

from instep.platform.text.slugs import slugify
from instep.transfer.imports.products.html_texts import HtmlTexts
from instep.transfer.imports.products.json_files import Row, json_paths, read_json, sample, text
from instep.transfer.imports.products.prosemirror import ProseMirrorWriter
from instep.transfer.imports.tree.schemas import (
    ImportedCollection,
    ImportedPage,
    Losses,
    Reader,
    SourceFiles,
    Tree,
    UnreadableSource,
)
from instep.transfer.imports.tree.url_parts import split_url

# The short id at the end of a document's address, which may follow its title; another id is a UUID.
URL_ID = re.compile(r"/doc/(?![0-9a-f]{8}-[0-9a-f]{4}-)(?:[^/?#]*-)?([A-Za-z0-9]{10,15})(?=$|[/?#])")
UPLOADS = "/uploads/"
ATTACHMENT_PATH = "/api/attachments.redirect"


@dataclass(slots=True)
class OutlineExport:
    """The documents of an export; `attachments` are the paths of files by id."""

    losses: Losses
    attachments: dict[str, str] = field(default_factory=dict)
    pages: list[ImportedPage] = field(default_factory=list)
    collections: list[ImportedCollection] = field(default_factory=list)


def is_collection(document: object) -> bool:
    return (
        isinstance(document, dict)
        and isinstance(document.get("documents"), dict)
        and isinstance(document.get("collection"), dict)
    )


def recognises(files: SourceFiles) -> bool:
    return any(map(is_collection, sample(files)))


def read(files: SourceFiles, losses: Losses) -> Tree:
    export = OutlineExport(losses)
    paths = [path for path in json_paths(files) if UPLOADS not in f"/{path}"]
    exported = [(path, document) for path in paths if is_collection(document := read_json(files, path))]
    if not exported:
        raise UnreadableSource("The source has no collection: export from Outline in JSON.")
    for _, document in exported:
        for row in rows_of(document, "attachments"):
            export.attachments[text(row, "id")] = text(row, "key")
    for path, document in exported:
        add_collection(export, path, document)
    return Tree("outline", None, tuple(export.pages), tuple(export.collections))


def rows_of(document: Row, name: str) -> list[Row]:
    """The objects in an object by id."""
    value = document.get(name)
    return [row for row in value.values() if isinstance(row, dict)] if isinstance(value, dict) else []


def add_collection(export: OutlineExport, path: str, document: Row) -> None:
    """A collection, with a page for its overview if that has more than one paragraph."""
    row = document["collection"]
    key, name = text(row, "id") or path, text(row, "name") or "Untitled"
    overview = page_of(export, path, {**row, "id": key, "title": name}, None)
    is_description = "\n\n" not in overview.markdown.strip()
    export.collections.append(
        ImportedCollection(
            key,
            name,
            description=(overview.markdown.strip() or None) if is_description else None,
            addresses=tuple(f"/collection/{each}" for each in (text(row, "urlId"), key) if each),
        )
    )
    if not is_description:
        export.pages.append(replace(overview, key=f"{key}/overview", collection=key, address=None))
    rows = {text(each, "id"): each for each in rows_of(document, "documents")}
    for node in nodes_of(row, "documentStructure"):
        add_document(export, path, node, rows, key)
    for each in list(rows.values()):
        export.losses.add(path, f"document that isn't in its collection's order: {text(each, 'title')}")
        add_document(export, path, {"id": text(each, "id")}, rows, key)


def nodes_of(row: Row, name: str) -> Iterator[Row]:
    value = row.get(name)
    return (node for node in (value if isinstance(value, list) else []) if isinstance(node, dict))


def add_document(export: OutlineExport, path: str, node: Row, rows: dict[str, Row], parent: str) -> None:
    """A document, and a collection for the documents below it."""
    row = rows.pop(text(node, "id"), None)
    below = [each for each in nodes_of(node, "children") if text(each, "id") in rows]
    place = parent
    if row is not None and below:
        place = f"{text(row, 'id')}/documents"
        export.collections.append(ImportedCollection(place, text(row, "title") or "Untitled", parent))
    if row is not None:
        page = page_of(export, path, row, place)
        export.pages.append(replace(page, address=text(node, "url") or page.address))
    for each in below:
        add_document(export, path, each, rows, place)


def page_of(export: OutlineExport, path: str, row: Row, collection: str | None) -> ImportedPage:
    document_id, title = text(row, "id"), text(row, "title") or "Untitled"

    def address_of(url: str) -> str:
        """The path of an attachment, or the address of a document without its title."""
        if ATTACHMENT_PATH in url:
            named = parse_qs(split_url(url).query).get("id", [""])[0]
            return export.attachments.get(named) or url
        return URL_ID.sub(r"/doc/\1", url)

    writer = ProseMirrorWriter(address_of)
    html = writer.html_of(row.get("data"))
    page = HtmlTexts(export.losses).page(html, title, path)
    for loss in writer.losses:
        export.losses.add(path, f"{loss} (in “{title}”)")
    url_id = text(row, "urlId")
    return replace(
        page,
        key=document_id,
        slug=slugify(title, "untitled"),
        address=f"/doc/{url_id}" if url_id else None,
        former_addresses=tuple(f"/doc/{each}" for each in (url_id, document_id) if each),
        collection=collection,
        status="published" if text(row, "publishedAt") else "draft",
    )


READER = Reader("outline", "Outline", recognises, read)

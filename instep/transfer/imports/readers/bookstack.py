"""Reads BookStack's portable ZIP files: a book, a chapter or a page in `data.json`, with files next to it."""

import posixpath
import re
from dataclasses import dataclass, field, replace
from html import escape
from typing import Any

from instep.platform.text.slugs import slugify
from instep.transfer.imports.html.convert import to_markdown
from instep.transfer.imports.html.markdown_links import link
from instep.transfer.imports.markdown.fields import Fields
from instep.transfer.imports.markdown.plain_pages import plain_page
from instep.transfer.imports.markdown.source_pages import PageLosses, SourcePage
from instep.transfer.imports.products.html_texts import HtmlTexts
from instep.transfer.imports.products.json_files import Row, key, number, read_json, text
from instep.transfer.imports.tree.schemas import (
    ImportedCollection,
    ImportedPage,
    Losses,
    Reader,
    SourceFiles,
    Tree,
    UnreadableSource,
)

DATA = "data.json"
KINDS = ("book", "chapter", "page")
REFERENCE = re.compile(r"\[\[bsexport:([a-z]+):([^\]\s]+)\]\]")


@dataclass(slots=True)
class Library:
    """The books of a source, in reading order."""

    losses: Losses
    pages: list[ImportedPage] = field(default_factory=list)
    collections: list[ImportedCollection] = field(default_factory=list)


def data_paths(files: SourceFiles) -> list[str]:
    return [path for path in files.paths() if posixpath.basename(path) == DATA]


def recognises(files: SourceFiles) -> bool:
    """True if a `data.json` has a book, a chapter or a page with a name, and the time of its export."""
    for path in data_paths(files):
        try:
            document = read_json(files, path)
        except UnreadableSource:
            continue
        if isinstance(document, dict) and any(
            text(objects_in(document, kind)[0], "name") for kind in KINDS if objects_in(document, kind)
        ):
            return True
    return False


def read(files: SourceFiles, losses: Losses) -> Tree:
    library = Library(losses)
    for path in data_paths(files):
        document = read_json(files, path)
        for book in objects_in(document, "book"):
            add_book(library, path, book)
        for chapter in objects_in(document, "chapter"):
            add_chapter(library, path, chapter, None, "")
        for page in objects_in(document, "page"):
            add_page(library, path, page, None, "")
    return Tree("bookstack", None, tuple(library.pages), tuple(library.collections))


def objects_in(row: Any, name: str) -> list[Row]:
    """The object of this name, or the objects in a list."""
    value = row.get(name) if isinstance(row, dict) else None
    return [each for each in (value if isinstance(value, list) else [value]) if isinstance(each, dict)]


def add_book(library: Library, path: str, book: Row) -> None:
    """Pages of the book itself come before its chapters, which are collections."""
    address = f"/books/{slugify(text(book, 'name'), 'book')}"
    collection = collection_of("book", path, book, None, address)
    library.collections.append(collection)
    for page in in_order(objects_in(book, "pages")):
        add_page(library, path, page, collection.key, address)
    for chapter in in_order(objects_in(book, "chapters")):
        add_chapter(library, path, chapter, collection.key, address)


def add_chapter(library: Library, path: str, chapter: Row, parent: str | None, book: str) -> None:
    address = f"{book}/chapter/{slugify(text(chapter, 'name'), 'chapter')}" if book else ""
    collection = collection_of("chapter", path, chapter, parent, address)
    library.collections.append(collection)
    for page in in_order(objects_in(chapter, "pages")):
        add_page(library, path, page, collection.key, book)


def in_order(rows: list[Row]) -> list[Row]:
    return sorted(rows, key=lambda row: number(row, "priority"))


def collection_of(kind: str, path: str, row: Row, parent: str | None, address: str) -> ImportedCollection:
    own_address = f"/{kind}/{key(row)}"
    name = text(row, "name") or kind.capitalize()
    description = " ".join(to_markdown(text(row, "description_html")).markdown.split())
    return ImportedCollection(
        f"{path}{own_address}",
        name,
        parent,
        description or None,
        addresses=(own_address, *([address] if address else [])),
    )


def add_page(library: Library, path: str, row: Row, collection: str | None, book: str) -> None:
    page_id, title = key(row) or "", text(row, "name") or "Untitled"
    page_path = f"{path}#{page_id or title}"
    markdown = text(row, "markdown").replace("\r\n", "\n")
    if markdown:
        body = REFERENCE.sub(target_of, markdown)
        losses = PageLosses(page_path, body, library.losses)
        source = SourcePage(page_path, Fields({"title": title}), body, losses)
        page = plain_page(source, lambda text, code: text)
    else:
        page = HtmlTexts(library.losses).page(REFERENCE.sub(target_of, text(row, "html")), title, page_path)
    addresses = [f"/link/{page_id}"] if page_id else []
    if book:
        addresses.insert(0, f"{book}/page/{slugify(title, 'page')}")
    library.pages.append(
        replace(
            page,
            key=page_id or page_path,
            markdown=with_attachments(page.markdown, row),
            address=addresses[0] if addresses else None,
            former_addresses=tuple(addresses[1:]),
            collection=collection,
        )
    )


def target_of(reference: re.Match[str]) -> str:
    """The path of a file next to `data.json`, or the address of a page, a chapter or a book."""
    kind, name = reference.groups()
    if kind in ("image", "attachment"):
        return escape(f"files/{name}")
    return f"/link/{name}" if kind == "page" else f"/{kind}/{name}"


def with_attachments(markdown: str, row: Row) -> str:
    """The text, followed by the attachments that it doesn't link to."""
    items = list[str]()
    for attachment in sorted(objects_in(row, "attachments"), key=lambda each: number(each, "order")):
        name = text(attachment, "file")
        target = f"files/{name}" if name else text(attachment, "link")
        if target and target not in markdown:
            items.append(f"- {link(text(attachment, 'name') or target, target)}\n")
    return f"{markdown}\n{''.join(items)}" if items and markdown else markdown + "".join(items)


READER = Reader("bookstack", "BookStack", recognises, read)

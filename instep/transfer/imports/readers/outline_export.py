"""Reads Outline's export in JSON: a file for each collection, with its documents and their order."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from html import escape
from typing import Any
from urllib.parse import parse_qs

from instep.platform.text.slugs import slugify
from instep.transfer.imports.products.html_texts import HtmlTexts
from instep.transfer.imports.products.json_files import Row, json_paths, read_json, sample, text
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

# The HTML elements of nodes and marks that need nothing else.
ELEMENTS = {
    "paragraph": "p",
    "blockquote": "blockquote",
    "bullet_list": "ul",
    "checkbox_list": "ul",
    "list_item": "li",
    "table": "table",
    "tr": "tr",
}
MARKS = {
    "strong": "strong",
    "em": "em",
    "code_inline": "code",
    "strikethrough": "del",
    "highlight": "strong",
}
MAX_DEPTH = 100
MAX_TOLD_CHARACTERS = 80
NOT_IN_ANCHORS = re.compile(r"[!\"#$%&'.()*+,/:;<=>?@\[\]\\^_`{|}~]")
# The short id at the end of a document's address, which may follow its title; another id is a UUID.
URL_ID = re.compile(r"/doc/(?![0-9a-f]{8}-[0-9a-f]{4}-)(?:[^/?#]*-)?([A-Za-z0-9]{10,15})(?=$|[/?#])")
UPLOADS = "/uploads/"
ATTACHMENT_PATH = "/api/attachments.redirect"


@dataclass(slots=True)
class ProseMirrorWriter:
    """Writes one document; `address_of` returns the destination of a link or a file, `losses` are phrases."""

    address_of: Callable[[str], str]
    losses: list[str] = field(default_factory=list)
    anchors: dict[str, int] = field(default_factory=dict)

    def html_of(self, node: Any, depth: int = 0) -> str:
        if not isinstance(node, dict):
            return ""
        if depth > MAX_DEPTH:
            self.losses.append("text that is nested too deeply, left out")
            return ""
        kind = text(node, "type")
        if kind == "text":
            return self._marked(escape(str(node.get("text") or "")), node)
        parts = [self.html_of(each, depth + 1) for each in children_of(node)]
        if write := WRITERS.get(kind):
            return write(self, attributes_of(node), node, parts)
        tag, inner = ELEMENTS.get(kind), "".join(parts)
        return f"<{tag}>{inner}</{tag}>" if tag else inner

    def _marked(self, html: str, node: Row) -> str:
        for mark in children_of(node, "marks"):
            name = text(mark, "type") if isinstance(mark, dict) else ""
            if name == "link":
                html = f'<a href="{self.escaped_address(attributes_of(mark), "href")}">{html}</a>'
            elif name in MARKS:
                html = f"<{MARKS[name]}>{html}</{MARKS[name]}>"
        return html

    def escaped_address(self, attributes: Row, name: str) -> str:
        return escape(self.address_of(text(attributes, name)))


def heading(writer: ProseMirrorWriter, attributes: Row, node: Row, parts: list[str]) -> str:
    """A heading with the id that links in the product use."""
    level = attributes.get("level")
    tag = f"h{min(max(level, 1), 6)}" if isinstance(level, int) else "h2"
    anchor = f"h-{'-'.join(NOT_IN_ANCHORS.sub('', text_in(node)).lower().split())}"
    number = writer.anchors[anchor] = writer.anchors.get(anchor, -1) + 1
    return f'<{tag} id="{escape(anchor if number == 0 else f"{anchor}-{number}")}">{"".join(parts)}</{tag}>'


def image(writer: ProseMirrorWriter, attributes: Row, node: Row, parts: list[str]) -> str:
    alternative = escape(text(attributes, "alt") or text_in(node))
    return f'<img src="{writer.escaped_address(attributes, "src")}" alt="{alternative}">'


def file_link(writer: ProseMirrorWriter, attributes: Row, node: Row, parts: list[str]) -> str:
    """An attachment, an embedded page or a video as a link."""
    name = "href" if text(attributes, "href") else "src"
    title = text(attributes, "title", name)
    return f'<p><a href="{writer.escaped_address(attributes, name)}">{escape(title)}</a></p>'


def mention(writer: ProseMirrorWriter, attributes: Row, node: Row, parts: list[str]) -> str:
    kind, label, target = text(attributes, "type"), text(attributes, "label"), text(attributes, "href")
    if kind in ("document", "collection"):
        target = f"/{'doc' if kind == 'document' else kind}/{text(attributes, 'modelId')}"
    if not target:
        return escape(f"@{label}" if kind == "user" else label)
    return f'<a href="{escape(writer.address_of(target))}">{escape(label)}</a>'


def code_block(writer: ProseMirrorWriter, attributes: Row, node: Row, parts: list[str]) -> str:
    language = text(attributes, "language")
    name = f' class="language-{escape(language)}"' if language not in ("", "none") else ""
    return f"<pre><code{name}>{escape(text_in(node))}</code></pre>"


def formula(writer: ProseMirrorWriter, attributes: Row, node: Row, parts: list[str]) -> str:
    source = text_in(node)
    writer.losses.append(f"formula, shown as code: {source[:MAX_TOLD_CHARACTERS]}")
    return f"<code>{escape(source)}</code>"


def ordered_list(writer: ProseMirrorWriter, attributes: Row, node: Row, parts: list[str]) -> str:
    start = attributes.get("order")
    return f'<ol start="{start if isinstance(start, int) else 1}">{"".join(parts)}</ol>'


def checkbox_item(writer: ProseMirrorWriter, attributes: Row, node: Row, parts: list[str]) -> str:
    checked = " checked" if attributes.get("checked") else ""
    return f'<li><input type="checkbox"{checked}> {"".join(parts)}</li>'


def table_cell(writer: ProseMirrorWriter, attributes: Row, node: Row, parts: list[str]) -> str:
    tag = "th" if text(node, "type") == "th" else "td"
    spans = [
        f' {name}="{value}"'
        for name in ("colspan", "rowspan")
        if isinstance(value := attributes.get(name), int) and value > 1
    ]
    return f"<{tag}{''.join(spans)}>{''.join(parts)}</{tag}>"


def notice(writer: ProseMirrorWriter, attributes: Row, node: Row, parts: list[str]) -> str:
    return f'<div class="callout {escape(text(attributes, "style"))}">{"".join(parts)}</div>'


def toggle(writer: ProseMirrorWriter, attributes: Row, node: Row, parts: list[str]) -> str:
    """A part that readers open; its first block is the title."""
    title = text_in(next(iter(children_of(node)), None))
    return f"<details><summary>{escape(title)}</summary>{''.join(parts[1:])}</details>"


Write = Callable[[ProseMirrorWriter, Row, Row, list[str]], str]
# The nodes that are more than an element around their content; the last argument is the HTML of each child.
WRITERS: Mapping[str, Write] = {
    "heading": heading,
    "image": image,
    "attachment": file_link,
    "embed": file_link,
    "video": file_link,
    "mention": mention,
    "code_fence": code_block,
    "code_block": code_block,
    "math_inline": formula,
    "math_block": formula,
    "ordered_list": ordered_list,
    "checkbox_item": checkbox_item,
    "td": table_cell,
    "th": table_cell,
    "container_notice": notice,
    "container_toggle": toggle,
    "br": lambda writer, attributes, node, parts: "<br>",
    "hr": lambda writer, attributes, node, parts: "<hr>",
    "emoji": lambda writer, attributes, node, parts: escape(f":{text(attributes, 'data-name')}:"),
}


def attributes_of(node: Row) -> Row:
    attributes = node.get("attrs")
    return attributes if isinstance(attributes, dict) else {}


def children_of(node: Row, name: str = "content") -> list[Any]:
    value = node.get(name)
    return value if isinstance(value, list) else []


def text_in(node: Any) -> str:
    return "".join(texts_in(node))


def texts_in(node: Any) -> Iterator[str]:
    """The texts in a node, in order."""
    waiting = [node]
    while waiting:
        each = waiting.pop()
        if isinstance(each, dict):
            yield str(each.get("text") or "")
            waiting += reversed(children_of(each))


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

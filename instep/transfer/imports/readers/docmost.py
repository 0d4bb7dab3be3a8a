"""Reads exports of a Docmost space, in Markdown or HTML, with the tree that their metadata contain."""

import posixpath
from collections import defaultdict
from dataclasses import replace
from urllib.parse import unquote

from instep.platform.text.slugs import slugify
from instep.transfer.imports.html.html_document import HtmlDocument
from instep.transfer.imports.markdown.callouts import replace_colon_containers
from instep.transfer.imports.markdown.plain_pages import plain_page
from instep.transfer.imports.markdown.source_pages import read_page
from instep.transfer.imports.products.html_texts import HtmlTexts, first_text, inner_html, parse_page
from instep.transfer.imports.products.json_files import Row, read_json, text
from instep.transfer.imports.tree.file_names import without_extension
from instep.transfer.imports.tree.navigation import Entry, arrange
from instep.transfer.imports.tree.schemas import ImportedPage, Losses, Reader, SourceFiles, Tree

METADATA = "docmost-metadata.json"
# Docmost uses the beginning of a title in the address of its page.
TITLE_IN_ADDRESS_CHARACTERS = 70


def recognises(files: SourceFiles) -> bool:
    return any(posixpath.basename(path) == METADATA for path in files.paths())


def read(files: SourceFiles, losses: Losses) -> Tree:
    pages = dict[str, ImportedPage]()
    children: defaultdict[str, list[tuple[str, str]]] = defaultdict(list)
    for path, row in rows_of_spaces(files).items():
        pages[path] = page_of(path, row, files, losses)
        children[parent_of(path, row)].append((text(row, "position"), path))

    def entries_of(parent: str) -> list[Entry]:
        return [
            Entry(pages[path].title, path, entries_of(path)) for _, path in sorted(children.pop(parent, ()))
        ]

    tops = sorted(parent for parent in children if parent not in pages)
    entries = [entry for parent in tops for entry in entries_of(parent)]
    return Tree("docmost", None, *arrange(entries, pages, losses))


def rows_of_spaces(files: SourceFiles) -> dict[str, Row]:
    """The metadata of the pages that are in the source, by path; an archive may contain several spaces."""
    paths = set(files.paths())
    rows = dict[str, Row]()
    for metadata in (path for path in paths if posixpath.basename(path) == METADATA):
        document = read_json(files, metadata)
        listed = document.get("pages") if isinstance(document, dict) else None
        for name, row in listed.items() if isinstance(listed, dict) else ():
            path = posixpath.join(posixpath.dirname(metadata), unquote(name))
            if isinstance(row, dict) and path in paths:
                rows[path] = row
    return rows


def parent_of(path: str, row: Row) -> str:
    """The path of the page above; a page at the top is below its space's folder."""
    above = unquote(text(row, "parentPath"))
    if not above:
        return posixpath.dirname(path)
    # Paths of the metadata begin at the space, whose folder the page's path has too.
    levels = above.count("/") + 1
    root = path.split("/")[: -levels - 1]
    return posixpath.join(*root, above)


def page_of(path: str, row: Row, files: SourceFiles, losses: Losses) -> ImportedPage:
    if path.endswith(".html"):
        document = parse_page(files.read(path))
        title = first_text(document, "title")
        page = HtmlTexts(losses, prepare=simplify).page(inner_html(document.body), title, path)
    else:
        source = read_page(path, files.read(path), losses)
        name = posixpath.basename(without_extension(path))
        page = plain_page(source, lambda text, code: replace_colon_containers(text), name)
    slug_id = text(row, "slugId")
    slug = slugify(page.title[:TITLE_IN_ADDRESS_CHARACTERS], "untitled")
    named = f"/p/{slug}-{slug_id}"
    return replace(
        page,
        key=text(row, "pageId") or path,
        slug=slug,
        address=named if slug_id else None,
        former_addresses=(f"/p/{slug_id}", f"/share{named}") if slug_id else (),
    )


def simplify(document: HtmlDocument) -> None:
    """Turn Docmost's elements into plain HTML."""
    for callout in document.css('div[data-type="callout"]'):
        callout.attrs["class"] = f"callout {callout.attributes.get('data-callout-type') or ''}"
    for item in document.css('li[data-type="taskItem"]'):
        if item.css_first("input") is None:
            checkbox = document.parser.create_node("input")
            checkbox.attrs["type"] = "checkbox"
            if item.attributes.get("data-checked") == "true":
                checkbox.attrs["checked"] = ""
            item.insert_child(checkbox)
    for formula in document.css('[data-type="mathInline"], [data-type="mathBlock"]'):
        document.losses.append(f"formula, shown as text: {(formula.text() or '')[:80]}")


READER = Reader("docmost", "Docmost", recognises, read)

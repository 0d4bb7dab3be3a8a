"""Converts Confluence macros in its HTML export to plain HTML."""

from html import escape

from instep.transfer.imports.html.html_document import (
    HtmlDocument,
    Node,
    discard,
    rename,
    replace_inner,
    text_of,
    unwrap,
)
from instep.transfer.imports.products.html_files import first_text, inner_html

# Elements that Confluence adds to pages.
NOT_CONTENT = ".toc-macro, .page-metadata, .plugin_pagetree, .aui-icon, .confluence-information-macro-icon"


def simplify_macros(document: HtmlDocument) -> None:
    for node in document.css(NOT_CONTENT):
        discard(node)
    prepare_boxes(document)
    for container in document.css(".expand-container"):
        fold(document, container)
    for task in document.css("ul.inline-task-list > li"):
        is_done = "checked" in (task.attributes.get("class") or "").split()
        replace_inner(task, f'<input type="checkbox"{" checked" if is_done else ""}> {task.inner_html or ""}')
    for image in document.css("img[data-image-src]"):
        if not (image.attributes.get("data-image-src") or "").startswith(("http", "/")):
            image.attrs["src"] = image.attributes.get("data-image-src")
    for status in document.css(".status-macro"):
        rename(document, status, "strong")


def prepare_boxes(document: HtmlDocument) -> None:
    """Turn Confluence's boxes into callouts, and titles of code and panels into bold paragraphs."""
    # The classes of information, note and tip match ours; a Confluence warning is red.
    for box in document.css(".confluence-information-macro-warning"):
        box.attrs["class"] = "callout danger"
    for body in document.css(".confluence-information-macro-body"):
        unwrap(body)
    for header in document.css(".codeHeader, .panelHeader"):
        text = text_of(header)
        replace_inner(header, f"<p><strong>{escape(text)}</strong></p>" if text else "")


def fold(document: HtmlDocument, container: Node) -> None:
    title = first_text(container, ".expand-control-text") or first_text(container, ".expand-control")
    content = inner_html(container.css_first(".expand-content"))
    details = rename(document, container, "details")
    replace_inner(details, f"<summary>{escape(title)}</summary>{content}")

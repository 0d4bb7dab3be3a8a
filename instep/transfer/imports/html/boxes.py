"""Converts boxes around text: callouts become alerts, and collapsible parts stay collapsible."""

from collections.abc import Iterator
from html import escape

from instep.transfer.imports.html.callout_kinds import CALLOUT_NAMES, CLASS_KINDS
from instep.transfer.imports.html.html_document import (
    BLOCK_TAGS,
    MARK,
    HtmlDocument,
    Node,
    children,
    classes_of,
    discard,
    move_children,
    parents_of,
    tag_of,
    text_of,
    unwrap,
)
from instep.transfer.imports.html.safe_links import first_seen

# Words in class names that make an element a box; those of the second set only with a kind.
BOXES = {*CALLOUT_NAMES, "infobox", "note", "tip", "warning", "caution", "important"}
BOXES_WITH_KIND = {"alert", "panel", "box", "message", "information", "info"}
BOX_TAGS = {"div", "section", "aside", "p", "blockquote", "figure"}
# Class names of parts of a box, which are not boxes themselves.
PARTS = {
    *("title", "heading", "header", "label", "icon", "body", "content", "text", "inner"),
    *("item", "list", "wrapper"),
}
TITLES = {"title", "heading", "header", "label"}
# Parts of accordions, as far as products agree on them: (the collapsible part, its title).
ACCORDION_ITEMS = (
    ".accordion-item, .accordion__item, .accordion-section, .accordion__section, .expand-container"
)
ACCORDION_TITLES = (
    ".accordion-header, .accordion__header, .accordion-title, .accordion__title, .expand-control"
)
MAX_TITLE_CHARACTERS = 200


def keep_boxes(document: HtmlDocument) -> None:
    for node in document.css(", ".join(BOX_TAGS)):
        kind = kind_of(node)
        if kind is not None and not any(kind_of(parent) for parent in parents_of(node)):
            make_alert(document, node, kind)
    for item in document.css(ACCORDION_ITEMS):
        title = item.css_first(ACCORDION_TITLES)
        if title is not None and text_of(title):
            fold(document, item, title)
    for details in document.css("details"):
        summary = details.css_first("summary")
        fold(document, details, summary)


def kind_of(node: Node) -> str | None:
    """The kind of alert of an element, by its classes."""
    return kind_of_classes(classes_of(node)) if tag_of(node) in BOX_TAGS else None


def kind_of_classes(words: set[str]) -> str | None:
    kind = next((kind for word, kind in CLASS_KINDS.items() if word in words), None)
    if words & PARTS or not (words & BOXES or (kind and words & BOXES_WITH_KIND)):
        return None
    return kind or "NOTE"


def make_alert(document: HtmlDocument, node: Node, kind: str) -> None:
    """Replace a box by a quote that is an alert with its title."""
    quote = document.parser.create_node("blockquote")
    node.insert_before(quote, move=True)
    quote.insert_child(document.paragraph(document.mark(f"[!{kind}]{take_title(node, kind)}")), move=True)
    if tag_of(node) == "p":
        quote.insert_child(document.parser.create_node("p"), move=True)
        move_children(node, children(quote)[-1])
    else:
        move_children(node, quote)
    discard(node)


def take_title(node: Node, kind: str) -> str:
    """The title of a box, removed from it; empty if it only names the kind."""
    first = first_seen(node)
    if first is None or first.is_text_node or not classes_of(first) & TITLES:
        return ""
    title = MARK.sub("", text_of(first)).strip()
    if len(title) > MAX_TITLE_CHARACTERS:
        return ""
    discard(first)
    return "" if title.strip(":").upper() in {kind, ""} else f" {title}"


def fold(document: HtmlDocument, node: Node, title: Node | None) -> None:
    """Write the tags of a collapsible part around its content, which stays Markdown."""
    text = "".join(summary_parts(title)) if title is not None else ""
    if title is not None:
        discard(title)
    opening = f"<details><summary>{' '.join(text.split()) or '…'}</summary>"
    if all(tag_of(child) not in BLOCK_TAGS for child in children(node)):
        paragraph = document.parser.create_node("p")
        move_children(node, paragraph)
        node.insert_child(paragraph, move=True)
    node.insert_before(document.paragraph(document.mark(opening)), move=True)
    node.insert_after(document.paragraph(document.mark("</details>")), move=True)
    unwrap(node)


def summary_parts(title: Node) -> Iterator[str]:
    """The title as HTML; code in it stays code."""
    for child in children(title):
        if child.is_text_node:
            yield escape(MARK.sub("", child.text_content or ""), quote=False)
        elif tag_of(child) == "code":
            yield f"<code>{escape(MARK.sub('', text_of(child)), quote=False)}</code>"
        else:
            yield from summary_parts(child)
            yield " " if tag_of(child) in BLOCK_TAGS else ""

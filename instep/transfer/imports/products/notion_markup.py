"""Converts Notion's own elements to plain HTML, and its callouts in Markdown to alerts."""

import re
from html import escape

from instep.transfer.imports.html.callout_kinds import kind_of_icon
from instep.transfer.imports.html.html_document import (
    HtmlDocument,
    Node,
    discard,
    rename,
    replace_inner,
    text_of,
    unwrap,
)

# A callout in a Markdown export, which Notion writes as HTML.
ASIDE = re.compile(r"<aside>((?:(?!</?aside>).)*)</aside>", re.DOTALL)
FIRST_WORD = re.compile(r"[\w<\[*`]")
MAX_ICON_CHARACTERS = 4
NOT_CONTENT = "nav.table_of_contents, .user-icon, .page-header-icon"
EQUATIONS = "figure.equation, span.katex, span.notion-text-equation-token"
MAX_TOLD_CHARACTERS = 80


def alert_of_aside(aside: re.Match[str]) -> str:
    """A callout as an alert, of the kind that its icon shows."""
    text = aside[1].strip()
    start = FIRST_WORD.search(text)
    icon = ""
    if start is not None and 0 < start.start() <= MAX_ICON_CHARACTERS:
        icon, text = text[: start.start()].strip(), text[start.start() :]
    return "\n".join([f"> [!{kind_of_icon(icon)}]", *(f"> {line}".rstrip() for line in text.split("\n"))])


def simplify_notion(document: HtmlDocument) -> None:
    for node in document.css(NOT_CONTENT):
        discard(node)
    for callout in document.css("figure.callout"):
        icon = callout.css_first(".icon")
        kind = kind_of_icon(text_of(icon)) if icon is not None else "NOTE"
        if icon is not None:
            discard(icon)
        callout.attrs["class"] = f"callout {kind.lower()}"
    for toggle in document.css("ul.toggle"):
        for item in list(toggle.iter()):
            unwrap(item)
        unwrap(toggle)
    prepare_checkboxes(document)
    prepare_equations(document)
    for table in document.css("table.properties"):
        rows = [[escape(text_of(cell)) for cell in row.css("th, td")] for row in table.css("tr")]
        items = [f"<li><strong>{cells[0]}</strong>: {cells[-1]}</li>" for cells in rows if cells]
        replace_inner(rename(document, table, "ul"), "".join(items))


def prepare_checkboxes(document: HtmlDocument) -> None:
    for box in document.css(".checkbox"):
        checkbox: Node = document.parser.create_node("input")
        checkbox.attrs["type"] = "checkbox"
        if "checkbox-on" in (box.attributes.get("class") or ""):
            checkbox.attrs["checked"] = ""
        box.insert_before(checkbox, move=True)
        discard(box)


def prepare_equations(document: HtmlDocument) -> None:
    """Turn formulas into code with their source, which pages can show."""
    for equation in document.css(EQUATIONS):
        source = equation.css_first("annotation")
        if source is not None:
            text = text_of(source)
            replace_inner(rename(document, equation, "code"), escape(text))
            document.losses.append(f"formula, shown as code: {text[:MAX_TOLD_CHARACTERS]}")

"""Writes documents of ProseMirror, as editors save them in JSON, as HTML.

The names of nodes and marks are those of Outline.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from html import escape
from typing import Any

from instep.transfer.imports.products.json_files import Row, text

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

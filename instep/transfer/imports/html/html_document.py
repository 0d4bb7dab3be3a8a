"""An HTML document during its conversion to Markdown: its tree, its Markdown parts, and the losses."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from html import escape, unescape

from selectolax.lexbor import LexborHTMLParser, LexborNode

from instep.platform.core.markdown_cost import BLOCKS, TOKEN, refuse_costly_html
from instep.transfer.imports.html.escapes import shown_comparisons

Node = LexborNode
# Unicode noncharacters, which are reserved for internal use: they mark parts that are already Markdown.
MARK = re.compile("\ufdd0([0-9]+)\ufdd1")
PARAGRAPH_BREAK = "\ufdd2"
NOT_IN_TEXTS = re.compile("[\0\ufdd0-\ufddf\ufeff\u200b\u2060\u00ad]")
# Elements that are, or contain, paragraphs of Markdown.
BLOCK_TAGS = BLOCKS | {"body", "caption", "dd", "dt", "li", "tbody", "td", "tfoot", "th", "thead", "tr"}
BLOCK_SELECTOR = ", ".join(sorted(BLOCK_TAGS - {"body"}))
UNSEEN = re.compile(r"<(script|style)\b.*?(?:</\1\s*>|\Z)|<!--.*?(?:-->|\Z)", re.IGNORECASE | re.DOTALL)


@dataclass(slots=True)
class HtmlDocument:
    """A tree that the conversion steps modify; `losses` are phrases for the report."""

    parser: LexborHTMLParser
    marks: list[str] = field(default_factory=list)
    losses: list[str] = field(default_factory=list)

    @property
    def body(self) -> Node:
        body = self.parser.body
        assert body is not None
        return body

    def css(self, selector: str) -> list[Node]:
        """The matching elements in document order, each once."""
        return list({node.mem_id: node for node in self.body.css(selector)}.values())

    def mark(self, markdown: str) -> str:
        """A placeholder text that becomes this Markdown after the conversion, without escaping."""
        self.marks.append(markdown)
        return f"\ufdd0{len(self.marks) - 1}\ufdd1"

    def unmark(self, text: str) -> str:
        return MARK.sub(lambda mark: self.marks[int(mark[1])], text)

    def paragraph(self, text: str) -> Node:
        node = self.parser.create_node("p")
        node.insert_child(text)
        return node


def read_document(html: str) -> HtmlDocument:
    """Parse HTML; raises `TooComplex` for nesting that would take too long to parse."""
    html = shown_comparisons(NOT_IN_TEXTS.sub("", html), "&lt;")
    refuse_costly_html(html, "")
    return HtmlDocument(LexborHTMLParser(html))


def paragraphs_of_text(html: str) -> str:
    """HTML reduced to its text, with a paragraph for each run without block tags."""

    def replacement(tag: re.Match[str]) -> str:
        return "\n" if (tag[2] or "").lower() in BLOCK_TAGS else " "

    lines = TOKEN.sub(replacement, UNSEEN.sub("", NOT_IN_TEXTS.sub("", html))).splitlines()
    return "".join(f"<p>{escape(unescape(line))}</p>" for line in lines if line.strip())


def children(node: Node) -> list[Node]:
    return list(node.iter(include_text=True))


def tag_of(node: Node | None) -> str:
    """The name of the element in lower case; `-text` for text, and empty for no node."""
    return (node.tag or "") if node is not None else ""


def text_of(node: Node) -> str:
    """The text of the element in one line."""
    return " ".join(node.text().split())


def classes_of(node: Node) -> set[str]:
    """The words of the element's classes: `callout--info` has two."""
    return class_words(node.attributes.get("class") or "")


def class_words(classes: str) -> set[str]:
    return set(re.split(r"[\s_-]+", classes.lower())) - {""}


def is_blank(node: Node | None) -> bool:
    """True if the node is text that consists of white space."""
    return node is not None and node.is_text_node and not (node.text_content or "").strip()


def sibling(node: Node, *, is_after: bool) -> Node | None:
    """The next or previous sibling of a node that is not white space."""
    other = node.next if is_after else node.prev
    while other is not None and is_blank(other):
        other = other.next if is_after else other.prev
    return other


def is_inside(node: Node, names: set[str]) -> bool:
    """True if the node is inside one of these elements."""
    return any(tag_of(parent) in names for parent in parents_of(node))


def parents_of(node: Node) -> Iterator[Node]:
    parent = node.parent
    while parent is not None:
        yield parent
        parent = parent.parent


def rename(document: HtmlDocument, node: Node, name: str) -> Node:
    """Replace an element by one with another name and no attributes."""
    renamed = document.parser.create_node(name)
    node.insert_before(renamed, move=True)
    move_children(node, renamed)
    discard(node)
    return renamed


def move_children(source: Node, target: Node) -> None:
    for child in children(source):
        target.insert_child(child, move=True)


def discard(node: Node) -> None:
    """Remove a node from the tree.

    Its memory is kept until the tree is freed, because a list may still contain the node or one inside it.
    """
    node.parser.create_node("div").insert_child(node, move=True)


def unwrap(node: Node) -> None:
    """Replace an element by its content."""
    for child in children(node):
        node.insert_before(child, move=True)
    discard(node)


def replace_inner(node: Node, html: str) -> None:
    """Replace the content of an element by other HTML."""
    for child in children(node):
        discard(child)
    node.inner_html = html

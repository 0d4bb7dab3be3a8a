"""Reads exported HTML files: their elements and relative links."""

import posixpath

from selectolax.lexbor import LexborHTMLParser, LexborNode

from instep.platform.core.html_cost import refuse_costly_html
from instep.platform.core.markdown_cost import TooComplex
from instep.transfer.imports.html.html_document import NOT_IN_TEXTS, paragraphs_of_text, text_of
from instep.transfer.imports.tree.url_parts import decoded_path, split_url


def parse_page(content: bytes) -> LexborHTMLParser:
    """The tree of a file; one that is nested too deeply is reduced to its text."""
    html = NOT_IN_TEXTS.sub("", content.decode("utf-8-sig", errors="replace"))
    try:
        refuse_costly_html(html, "")
    except TooComplex:
        html = paragraphs_of_text(html)
    return LexborHTMLParser(html)


def first_text(tree: LexborHTMLParser | LexborNode, selector: str) -> str:
    """The text of the first matching element on one line; empty if there is none."""
    node = tree.css_first(selector)
    return text_of(node) if node is not None else ""


def inner_html(node: LexborNode | None) -> str:
    return (node.inner_html or "") if node is not None else ""


def linked_path(base: str, href: str | None) -> str | None:
    """The path of the file that a relative link in the file `base` refers to; None for any other link."""
    parts = split_url(href or "")
    if parts.scheme or parts.netloc or not parts.path or parts.path.startswith("/"):
        return None
    path = posixpath.normpath(posixpath.join(posixpath.dirname(base), decoded_path(parts.path)))
    return None if path.startswith("..") else path

"""Refuses, in linear time, authors' HTML for which its parser would take more than linear time."""

import re

from instep.platform.core import limits
from instep.platform.core.markdown_cost import TooComplex

# Comments, and tags with their attributes, as the tokenizer reads them (WHATWG HTML, section 13.2.5).
ATTRIBUTE = r"[^\s/>][^\s/>=]*+(?:\s*+=\s*+(?:\"[^\"]*+\"|'[^']*+'|[^\s>\"'][^\s>]*+)?+)?+"
TOKEN = re.compile(
    rf"<(?:!--(?:-?>|.*?(?:--!?>|\Z))|[!?][^>]*+|/(?![a-z])[^>]*+"
    rf"|(/?)([a-z][^\s/>]*+)((?:[\s/]*+{ATTRIBUTE})*+)[\s/]*+>)",
    re.IGNORECASE | re.DOTALL,
)
ATTRIBUTES = re.compile(ATTRIBUTE)
# The content of these elements is text, even if it looks like tags (WHATWG HTML, section 13.2.5).
RAW_TEXT = ("iframe", "noembed", "noframes", "script", "style", "textarea", "title", "xmp", "plaintext")
VOID = {
    *("area", "base", "br", "col", "embed", "hr", "image", "img", "input", "link", "meta", "param", "source"),
    *("track", "wbr"),
}
# Elements whose end tag may be omitted: the next such element or the end of their parent closes them.
OPTIONAL_END = {
    *("li", "dt", "dd", "tr", "td", "th", "thead", "tbody", "tfoot", "caption", "colgroup", "option"),
    *("optgroup", "rb", "rp", "rt", "rtc", "html", "head", "body"),
}
# The parser reopens these elements in the next block when their block ends.
FORMATTING = {"b", "big", "code", "em", "font", "i", "nobr", "s", "small", "strike", "strong", "tt", "u"}
BLOCKS = {
    *("address", "article", "aside", "blockquote", "center", "details", "dialog", "dir", "div", "dl"),
    *("fieldset", "figcaption", "figure", "footer", "form", "h1", "h2", "h3", "h4", "h5", "h6", "header"),
    *("hgroup", "main", "menu", "nav", "ol", "p", "pre", "search", "section", "summary", "table", "ul"),
}


class OpenTags:
    """An upper bound of the elements that the parser has open.

    An end tag counts only when it closes the innermost element or the innermost block.
    """

    def __init__(self) -> None:
        # Each open block with the inline elements that are open in it.
        self.blocks: list[tuple[str, list[str]]] = [("", [])]
        self.depth = 0

    def start(self, name: str) -> None:
        if name in VOID or name in OPTIONAL_END:
            return
        if name == "p" and self.blocks[-1][0] == "p":
            self.end_block()
        if name in BLOCKS:
            self.blocks.append((name, []))
        else:
            self.blocks[-1][1].append(name)
        self.depth += 1

    def end(self, name: str) -> None:
        block, inlines = self.blocks[-1]
        if name not in BLOCKS:
            if inlines and inlines[-1] == name:
                inlines.pop()
                self.depth -= 1
            return
        # The end tag of a block also closes the paragraph in it.
        if block == "p" != name and self.blocks[-2][0] == name:
            self.end_block()
        if self.blocks[-1][0] == name:
            self.end_block()

    def end_block(self) -> None:
        _, inlines = self.blocks.pop()
        reopened = sum(inline in FORMATTING for inline in inlines)
        self.depth -= 1 + len(inlines) - reopened


def refuse_costly_html(html: str, markdown: str) -> None:
    """Raise `TooComplex` for tags that are nested too deeply or not closed, or have too many attributes."""
    open_tags = OpenTags()
    position = 0
    while tag := TOKEN.search(html, position):
        position = tag.end()
        if not tag[2]:
            continue
        name = tag[2].lower()
        if tag[1]:
            open_tags.end(name)
            continue
        if tag[3] and sum(1 for _ in ATTRIBUTES.finditer(tag[3])) > limits.MAX_ATTRIBUTES:
            line = line_of(html, tag, markdown)
            raise TooComplex(
                f"A tag in line {line} has more than {limits.MAX_ATTRIBUTES} attributes: leave some out."
            )
        open_tags.start(name)
        if open_tags.depth > limits.MAX_OPEN_TAGS:
            line = line_of(html, tag, markdown)
            raise TooComplex(
                f"More than {limits.MAX_OPEN_TAGS} HTML tags, or as much emphasis, are open in line {line}: "
                "end them, or write those that readers should see as code."
            )
        if name in RAW_TEXT:
            end = re.compile(rf"</{name}(?=[\s/>])", re.IGNORECASE).search(html, position)
            position = end.start() if end else len(html)


def line_of(html: str, tag: re.Match[str], markdown: str) -> int:
    """The line of a tag in the Markdown; equal tags before it count, so that each gets its own line."""
    start = -1
    for _ in range(html.count(tag[0], 0, tag.end())):
        start = markdown.find(tag[0], start + 1)
    return markdown.count("\n", 0, max(0, start)) + 1

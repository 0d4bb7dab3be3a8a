"""Converts text and emphasis: white space as in browsers, and emphasis where Markdown supports it."""

import re
import unicodedata

from instep.transfer.imports.html.html_document import (
    BLOCK_SELECTOR,
    BLOCK_TAGS,
    PARAGRAPH_BREAK,
    HtmlDocument,
    Node,
    discard,
    is_inside,
    move_children,
    parents_of,
    rename,
    sibling,
    tag_of,
    unwrap,
)

FORMATS = {"strong": "strong", "b": "strong", "em": "em", "i": "em"}
FORMATS |= {"del": "del", "s": "del", "strike": "del"}
FORMAT_SELECTOR = ", ".join(FORMATS)
# Elements that Markdown writes as HTML and pages may contain.
TAGS = ("sup", "sub", "kbd")
NOT_TEXT = {"pre", "code"}
# Editors put no-break spaces between words for no reason.
WHITE_SPACE = re.compile(r"[ \t\n\r\f\u00a0]+")
BARE_URL = re.compile(r"(?:https?://|www\.)[^\s<>\"“”«»`]+")
NOT_AT_URL_END = ".,:;!?)]'*_~"


def tidy_text(document: HtmlDocument) -> None:
    """Convert the inline content of the blocks."""
    for span in document.css("span[style], b[style], font[style]"):
        keep_style(document, span)
    for name in TAGS:
        for node in document.css(name):
            write_tag(document, node)
    for node in document.css(FORMAT_SELECTOR):
        tidy_format(document, node)
    document.body.merge_text_nodes()
    for line_break in document.css("br"):
        tidy_break(line_break)
    texts = [node for node in document.body.traverse(include_text=True) if node.is_text_node]
    for text in texts:
        if not is_inside(text, NOT_TEXT):
            tidy_white_space(document, text)


def keep_style(document: HtmlDocument, node: Node) -> None:
    """Keep bold and italics that are only in a style, as in text pasted from word processors."""
    style = (node.attributes.get("style") or "").replace(" ", "").lower()
    if tag_of(node) == "b":
        if "font-weight:normal" in style or "font-weight:400" in style:
            unwrap(node)
        return
    if "font-style:italic" in style:
        node = rename(document, node, "em")
    if re.search(r"font-weight:(?:bold|[6-9]00)", style):
        rename(document, node, "strong") if tag_of(node) != "em" else None


def write_tag(document: HtmlDocument, node: Node) -> None:
    name = tag_of(node)
    if not node.text().strip() or is_inside(node, NOT_TEXT):
        return unwrap(node)
    node.insert_before(document.mark(f"<{name}>"))
    node.insert_after(document.mark(f"</{name}>"))
    return unwrap(node)


def tidy_format(document: HtmlDocument, node: Node) -> None:
    """Remove emphasis that Markdown can't write: around blocks, around nothing, or doubled."""
    name = FORMATS[tag_of(node)]
    is_repeated = any(FORMATS.get(tag_of(parent)) == name for parent in parents_of(node))
    if is_repeated or not node.text().strip() or node.css_first(BLOCK_SELECTOR) is not None:
        return unwrap(node)
    following = node.next
    while (
        following is not None
        and FORMATS.get(tag_of(following)) == name
        and following.css_first(BLOCK_SELECTOR) is None
    ):
        move_children(following, node)
        discard(following)
        following = node.next
    node.merge_text_nodes()
    move_spaces_out(node)
    return part_from_words(node)


def move_spaces_out(node: Node) -> None:
    """Move white space and line breaks at the ends of emphasis out of it."""
    for is_end in (False, True):
        while (edge := edge_of(node, is_end)) is not None and tag_of(edge) == "br":
            place(node, edge, is_end)
        if edge is not None and edge.is_text_node:
            text = edge.text_content or ""
            rest = text.rstrip() if is_end else text.lstrip()
            if rest != text and rest:
                edge.replace_with(rest)
                place(node, " ", is_end)


def part_from_words(node: Node) -> None:
    """Move punctuation at an edge of emphasis out of it if the edge is inside a word.

    Markdown would not read it as emphasis (CommonMark 0.31.2, section 6.2).
    """
    for is_end in (False, True):
        edge = edge_of(node, is_end)
        if edge is None or not is_word(character_beside(node, is_end)):
            continue
        if not edge.is_text_node:
            if tag_of(edge) in {"code", "a", "img"}:
                return unwrap(node)
            continue
        text = edge.text_content or ""
        punctuation = punctuation_at(text, is_end)
        if not punctuation:
            continue
        rest = text[: -len(punctuation)] if is_end else text[len(punctuation) :]
        if not rest.strip():
            return unwrap(node)
        edge.replace_with(rest)
        place(node, punctuation, is_end)
    return None


def edge_of(node: Node, is_end: bool) -> Node | None:
    return node.last_child if is_end else node.first_child


def place(node: Node, value: Node | str, is_end: bool) -> None:
    insert = node.insert_after if is_end else node.insert_before
    insert(value, move=True) if isinstance(value, Node) else insert(value)


def character_beside(node: Node, is_end: bool) -> str:
    sibling = node.next if is_end else node.prev
    if sibling is None or tag_of(sibling) in BLOCK_TAGS | {"br", "img"}:
        return " "
    text = sibling.text_content or "" if sibling.is_text_node else sibling.text()
    return (text[:1] if is_end else text[-1:]) or " "


def is_word(character: str) -> bool:
    return not character.isspace() and unicodedata.category(character)[0] not in "PSC"


def punctuation_at(text: str, is_end: bool) -> str:
    """The punctuation at one end of a text."""
    characters = text[::-1] if is_end else text
    count = next(
        (n for n, each in enumerate(characters) if unicodedata.category(each)[0] not in "PS"), len(text)
    )
    return text[len(text) - count :] if is_end else text[:count]


def tidy_break(line_break: Node) -> None:
    """Turn two breaks into a new paragraph, and remove one at the end of a paragraph."""
    if is_inside(line_break, {"pre", "td", "th"}):
        return
    following = [line_break]
    while (after := sibling(following[-1], is_after=True)) is not None and tag_of(after) == "br":
        following.append(after)
    before = sibling(line_break, is_after=False)
    is_in_block = tag_of(line_break.parent) in BLOCK_TAGS
    is_edge = is_in_block and (after is None or before is None)
    if is_edge or tag_of(after) in BLOCK_TAGS or tag_of(before) in BLOCK_TAGS:
        replaced = " "
    elif is_in_block and len(following) > 1:
        replaced = PARAGRAPH_BREAK
    else:
        return
    for extra in following[1:]:
        discard(extra)
    line_break.replace_with(replaced)


def tidy_white_space(document: HtmlDocument, text: Node) -> None:
    """Collapse white space; make bare URLs links, and keep `!` before a link as text."""
    before = text.text_content or ""
    after = WHITE_SPACE.sub(" ", before)
    if tag_of(text.next) == "br":
        after = after.rstrip(" ")
    if after.endswith("!") and tag_of(text.next) == "a":
        after = after[:-1] + document.mark("\\!")
    if ("://" in after or "www." in after) and not is_inside(text, {"a"}):
        link_bare_urls(document, text, after)
    elif after != before:
        text.replace_with(after)


def link_bare_urls(document: HtmlDocument, text: Node, content: str) -> None:
    position = 0
    for match in BARE_URL.finditer(content):
        url = match[0].rstrip(NOT_AT_URL_END)
        text.insert_before(content[position : match.start()])
        link = document.parser.create_node("a")
        link.attrs["href"] = url if "://" in url else f"https://{url}"
        link.insert_child(url)
        text.insert_before(link, move=True)
        position = match.start() + len(url)
    text.replace_with(content[position:])

"""Converts lists to the form of Markdown: items directly in a list, and lists in items."""

import re

from instep.platform.text.characters import whole_number
from instep.transfer.imports.html.html_document import (
    HtmlDocument,
    Node,
    discard,
    is_blank,
    move_children,
    tag_of,
    text_of,
    unwrap,
)

# Word's level of an item, and its number: `2.`, `b)`.
WORD_LEVEL = re.compile(r"\blevel([0-9])")
NUMBER = re.compile(r"([0-9]+|[a-z]+)[.)]", re.IGNORECASE)


def tidy_lists(document: HtmlDocument) -> None:
    list_word_items(document)
    for nested in document.css("ul > ul, ul > ol, ol > ul, ol > ol"):
        put_into_item(document, nested)
    for following in document.css("ul, ol"):
        join_to_previous(following)
    for listing in document.css("ul, ol"):
        tighten(listing)
    for term in document.css("dt"):
        strong = document.parser.create_node("strong")
        move_children(term, strong)
        term.insert_child(strong, move=True)


def list_word_items(document: HtmlDocument) -> None:
    """Turn the paragraphs that Word writes for the items of lists into lists."""
    listing: Node | None = None
    # The last item of each level.
    items = list[tuple[int, Node]]()
    for paragraph in document.css('p[style*="mso-list"]'):
        level = WORD_LEVEL.search(paragraph.attributes.get("style") or "")
        marker = paragraph.css_first('span[style*="mso-list:Ignore"]')
        if level is None or marker is None:
            continue
        before = previous_element(paragraph)
        if listing is None or before is None or before.mem_id != listing.mem_id:
            items.clear()
        while items and items[-1][0] >= int(level[1]):
            items.pop()
        number = NUMBER.match(text_of(marker))
        outer = document.parser.create_node("ol" if number else "ul")
        if number and number[1].isdigit():
            outer.attrs["start"] = number[1]
        discard(marker)
        item = document.parser.create_node("li")
        move_children(paragraph, item)
        outer.insert_child(item, move=True)
        if items:
            items[-1][1].insert_child(outer, move=True)
        else:
            paragraph.insert_before(outer, move=True)
            listing = outer
        discard(paragraph)
        items.append((int(level[1]), item))


def put_into_item(document: HtmlDocument, nested: Node) -> None:
    """Move a list that is directly in a list into the item before it."""
    item = previous_element(nested)
    if item is None or tag_of(item) != "li":
        item = document.parser.create_node("li")
        nested.insert_before(item, move=True)
    item.insert_child(nested, move=True)


def join_to_previous(following: Node) -> None:
    """Join lists of products that write a list for each item; the numbers show which ones continue."""
    previous = previous_element(following)
    if previous is None or tag_of(previous) != tag_of(following):
        return
    items = sum(tag_of(item) == "li" for item in previous.iter())
    if tag_of(following) == "ol" and start_of(following) != start_of(previous) + items:
        return
    move_children(following, previous)
    discard(following)


def previous_element(node: Node) -> Node | None:
    previous = node.prev
    while previous is not None and (is_blank(previous) or previous.is_comment_node):
        previous = previous.prev
    return previous


def start_of(listing: Node) -> int:
    number = whole_number(listing.attributes.get("start") or "")
    return 1 if number is None else number


def tighten(listing: Node) -> None:
    """Unwrap the only paragraph of each item, so that no blank lines separate the items."""
    items = [list(item.iter()) for item in listing.iter() if tag_of(item) == "li"]
    if all(is_tight(item) for item in items):
        for child in (child for item in items for child in item if tag_of(child) == "p"):
            unwrap(child)


def is_tight(item: list[Node]) -> bool:
    """True if an item contains at most one paragraph, and otherwise only lists."""
    names = [tag_of(child) for child in item]
    return "p" not in names or (names.count("p") == 1 and set(names) <= {"p", "ul", "ol"})

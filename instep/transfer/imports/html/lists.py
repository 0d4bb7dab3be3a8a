"""Converts lists to the form of Markdown: items directly in a list, and lists in items."""

from instep.platform.text.characters import whole_number
from instep.transfer.imports.html.html_document import (
    HtmlDocument,
    Node,
    discard,
    is_blank,
    move_children,
    tag_of,
    unwrap,
)


def tidy_lists(document: HtmlDocument) -> None:
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

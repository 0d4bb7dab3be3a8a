"""Converts headings: their ids in the source, and their levels below the title of the article."""

import re
from urllib.parse import unquote

from instep.transfer.imports.html.html_document import (
    HtmlDocument,
    Node,
    discard,
    is_inside,
    rename,
    sibling,
    tag_of,
    text_of,
    unwrap,
)

LEVELS = ("h1", "h2", "h3", "h4", "h5", "h6")
SELECTOR = ", ".join(LEVELS)
IDS = "ids"
# The maximum distance, in elements, of a heading's anchor before the heading.
MAX_STEPS = 5
HeadingIds = tuple[tuple[str, int], ...]


def note_ids(document: HtmlDocument) -> None:
    """Record on each heading the ids in it and right before it, and linked ones after it."""
    linked = {unquote((link.attributes.get("href") or "")[1:]) for link in document.css('a[href^="#"]')}
    last: Node | None = None
    waiting = list[Node]()
    for node in document.css(f"{SELECTOR}, [id], a[name]"):
        if tag_of(node) in LEVELS and text_of(node):
            before = [each for each in waiting if is_right_before(each, node)]
            add_linked(last, [each for each in waiting if each not in before], linked)
            add_ids(node, [name for each in (*before, node) for name in ids_of(each)])
            last, waiting = node, []
        elif last is not None and is_inside(node, set(LEVELS)):
            add_ids(last, ids_of(node))
        else:
            waiting.append(node)
    add_linked(last, waiting, linked)


def is_right_before(node: Node, heading: Node) -> bool:
    """True if nothing visible is between the start of a node and a heading."""
    current: Node | None = node
    for _ in range(MAX_STEPS):
        if current is None or text_of(current) or current.css_first("img, iframe") is not None:
            return False
        following = sibling(current, is_after=True)
        if following is not None and following.mem_id == heading.mem_id:
            return True
        current = following if following is not None else current.parent
    return False


def add_linked(heading: Node | None, nodes: list[Node], linked: set[str]) -> None:
    """Assign linked ids of other elements to the heading above them."""
    add_ids(heading, [name for node in nodes for name in ids_of(node) if name in linked])


def ids_of(node: Node) -> list[str]:
    names = (node.attributes.get("id"), node.attributes.get("name") if tag_of(node) == "a" else None)
    return [name for name in names if name and not re.search(r"\s", name)]


def add_ids(heading: Node | None, ids: list[str]) -> None:
    if heading is not None and ids:
        earlier_ids = (heading.attributes.get(IDS) or "").split()
        heading.attrs[IDS] = " ".join(dict.fromkeys([*earlier_ids, *ids]))


def drop_title(document: HtmlDocument, title: str) -> None:
    """Remove a first heading that repeats the title."""
    first = document.body.css_first(SELECTOR)
    if first is None or text_of(first).casefold() != " ".join(title.split()).casefold():
        return
    before = first.prev
    while before is not None and not (before.text() or "").strip():
        before = before.prev
    if before is None:
        discard(first)


def tidy_headings(document: HtmlDocument, *, is_below_title: bool) -> HeadingIds:
    """Remove empty headings and content that headings can't have; return the ids with their heading's number.

    If the title of the article is the first heading, level-1 headings in the text and all others move down
    one level. A heading that is bold as a whole loses the bold.
    """
    for heading in document.css(SELECTOR):
        if not text_of(heading) and heading.css_first("img") is None:
            discard(heading)
    headings = document.css(SELECTOR)
    is_lowered = is_below_title and any(tag_of(heading) == "h1" for heading in headings)
    ids = list[tuple[str, int]]()
    for number, heading in enumerate(headings):
        ids += [(name, number) for name in (heading.attributes.get(IDS) or "").split()]
        strong = heading.css_first("strong, b")
        if is_below_title and strong is not None and text_of(strong) == text_of(heading):
            unwrap(strong)
        for line_break in heading.css("br"):
            line_break.replace_with(" ")
        if is_lowered:
            rename(document, heading, LEVELS[min(LEVELS.index(tag_of(heading)) + 1, len(LEVELS) - 1)])
    return tuple(ids)

"""Reads lists of links as a tree: the navigation in GitBook's SUMMARY.md and in sidebars of wikis."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from instep.transfer.imports.tree.url_parts import decoded_path

_HEADING = re.compile(r"[ ]{0,3}#{1,6}[ \t]+(\S.*)$")
_ITEM = re.compile(r"([ \t]*)(?:[-*+]|\d+[.)])[ \t]+(.*)$")
_LINK = re.compile(r"\[((?:\\.|[^\[\]\\])*+)\]\([ \t]*+(?:<([^<>]*)>|((?:[^()\s]|\([^()\s]*\))*+))[^()]*+\)")
_TAG = re.compile(r"<[^<>]*>")
_ESCAPE = re.compile(r"\\([!-/:-@\[-`{-~])")


class LinkItem(NamedTuple):
    """A heading or a list item; `target` is decoded, and empty for text without a link."""

    title: str
    target: str
    items: list["LinkItem"]


def read_link_list(text: str) -> list[LinkItem]:
    """The items of nested lists; a heading of level 2 or lower contains the items below it."""
    top: list[LinkItem] = []
    # The open items with their indentation; headings are left of all items.
    stack: list[tuple[int, list[LinkItem]]] = [(-2, top)]
    for indent, item in _items(text):
        while stack[-1][0] >= indent:
            stack.pop()
        stack[-1][1].append(item)
        stack.append((indent, item.items))
    return top


def _items(text: str) -> Iterator[tuple[int, LinkItem]]:
    is_first_heading = True
    for line in text.split("\n"):
        if heading := _HEADING.match(line):
            words = heading[1].rstrip().rstrip("#")
            # The first level-1 heading is the title of the whole list.
            if not (is_first_heading and line.lstrip().startswith("# ")) and words:
                yield -1, _item(words)
            is_first_heading = False
        elif item := _ITEM.match(line):
            yield len(item[1].expandtabs(4)), _item(item[2])


def _item(markdown: str) -> LinkItem:
    link = _LINK.search(markdown)
    if link is None:
        return LinkItem(_plain(markdown), "", [])
    return LinkItem(_plain(link[1]), decoded_path(_ESCAPE.sub(r"\1", link[2] or link[3] or "")), [])


def _plain(markdown: str) -> str:
    """A title without tags, emphasis and escapes."""
    return " ".join(_ESCAPE.sub(r"\1", _TAG.sub("", markdown).replace("**", "")).split())

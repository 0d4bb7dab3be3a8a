"""Removes the ids that a text defines; links to them will lead to the heading of their section."""

import re
from bisect import bisect_right

from instep.platform.text.blocks import read_blocks
from instep.transfer.imports.markdown.hidden_code import outside_code

HeadingIds = tuple[tuple[str, int], ...]
# `{#id}`, `{ #id .class }`, `{: #id }`; `[#id]` at the end of a heading.
_BRACES = re.compile(r"(?<![ \t])[ \t]*+(?<!\\)\{:?[ \t]*+#([\w:.%-]+)(?:[ \t]+[.\w][^{}\n]*)?\}")
_BRACKETS = re.compile(
    r"^([ \t]{0,3}#{1,6}[ \t][^\n\[]*+(?:\[(?!#)[^\n\[]*+)*+)\[#([\w.-]+)\](?=[ \t]*+#*$)", re.MULTILINE
)
_EMPTY_ANCHOR = re.compile(r"<(a|span|div)\b([^<>]*?)(?:/>|>[ \t]*</\1>)", re.IGNORECASE)
# An anchor around words that is not a link.
_ANCHOR = re.compile(r"<a\b((?:(?!href)[^<>])*)>([^<>\n]*)</a>", re.IGNORECASE)
_HTML_HEADING = re.compile(
    r"^[ \t]*<h([1-6])\b([^<>]*)>[ \t\n]*((?:(?!</?h[1-6]).)*?)[ \t\n]*</h\1>", re.M | re.S | re.I
)
_ID_ATTRIBUTE = re.compile(r"\b(?:id|name)[ \t]*=[ \t]*[\"']?([^\"'\s<>]+)")
_LINE_OF_MARKS = re.compile(
    r"(?:\A|(?<=\n\n))((?:\x00#[^\x00\n]*\x00)+)[ \t]*\n(?:[ \t]*\n)*(?=[^\s\x00])", re.MULTILINE
)
_MARKS_BELOW = re.compile(r"(?<=[^\n])\n((?:\x00#[^\x00\n]*\x00)+)[ \t]*(?=\n|\Z)")
_MARK = re.compile(r"\x00#([^\x00\n]*)\x00")


def replace_html_headings(text: str) -> str:
    """The text with HTML headings as Markdown and ids of anchors as `{#id}`; code must be hidden."""
    text = _EMPTY_ANCHOR.sub(_id_of_empty, text)
    text = _ANCHOR.sub(lambda anchor: _id_of(anchor[1]) + anchor[2], text)
    return _HTML_HEADING.sub(_markdown_heading, text)


def take_heading_ids(text: str) -> tuple[str, HeadingIds]:
    """The text without its ids, and each id with the number, from 0, of its heading.

    An id in a heading or directly above one belongs to it, any other to the heading of its section. An id
    above the first heading is dropped, because it is the beginning of the page.
    """
    lines = outside_code(text, _mark_ids).split("\n")
    ids = [
        (element, number)
        for number, line in enumerate(lines, 1)
        if "\x00" in line
        for element in _MARK.findall(line)
    ]
    plain_text = "\n".join(_MARK.sub("", line).rstrip() if "\x00" in line else line for line in lines)
    return plain_text, _numbered(ids, plain_text) if ids else ()


def _mark_ids(text: str) -> str:
    text = _BRACKETS.sub("\\1\x00#\\2\x00", text)
    text = _BRACES.sub("\x00#\\1\x00", text)
    # Remove a line that only sets an id, which belongs to the block right above it or else to the one below.
    text = _MARKS_BELOW.sub("\\1", text)
    return _LINE_OF_MARKS.sub("\\1", text)


def _id_of(attributes: str) -> str:
    element = _ID_ATTRIBUTE.search(attributes)
    return f"{{#{element[1]}}}" if element else ""


def _id_of_empty(anchor: re.Match[str]) -> str:
    """The id of an empty element; an empty link to another page is kept, because it may cover a card."""
    identity = _id_of(anchor[2])
    is_link = re.search(r"\bhref[ \t]*=[ \t]*[\"'](?!#)[^\"']", anchor[2])
    return identity + (anchor[0] if is_link or not identity else "")


def _numbered(ids: list[tuple[str, int]], text: str) -> HeadingIds:
    lines = text.split("\n")
    first_lines = [block.first_line for block in read_blocks(text).blocks if block.kind == "heading"]
    places: dict[str, int] = {}
    for element, line in ids:
        at = line
        while at < len(lines) and not lines[at - 1].strip():
            at += 1
        number = bisect_right(first_lines, at) - 1
        if number >= 0:
            places.setdefault(element, number)
    return tuple(places.items())


def _markdown_heading(match: re.Match[str]) -> str:
    title = " ".join(match[3].split())
    element = _ID_ATTRIBUTE.search(match[2])
    identity = f" {{#{element[1]}}}" if element else ""
    return f"\n{'#' * int(match[1])} {title}{identity}\n" if title else ""

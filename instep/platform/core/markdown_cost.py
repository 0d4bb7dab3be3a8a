"""Refuses, in linear time, Markdown and HTML in it for which parsers would take more than linear time."""

import re
from collections import Counter
from collections.abc import Iterator
from html import unescape
from itertools import islice

from instep.platform.core import limits
from instep.platform.core.errors import InvalidRequest

# A line that begins with a container of blocks: a quote, a list item, a footnote definition.
CONTAINER_LINE = re.compile(r"^[ ]*+(?:[>*+-]|[0-9]{1,9}[.)]|\[\^)[^\n]*+", re.MULTILINE)
CONTAINER = re.compile(r"( *+)(?:(>) ?|((?:[-*+]|[0-9]{1,9}[.)])(?= |$)|\[\^[^\]\s]++\]:))")
THEMATIC_BREAK = re.compile(r"[ >]*+([-*_])(?: *+\1){2,}+ *+$")
DELIMITER_ROW = re.compile(r"^[ >]*+[ :-]*+\|[ |:-]*+$", re.MULTILINE)
BLANK_LINE = re.compile(r"\n[ >]*+(?:\n|$)")
LONG_LINE = re.compile(rf"[^\n]{{{limits.MAX_LINE_ADDRESSES},}}+")
LONG_WORD = re.compile(rf"[^\s]{{{limits.MAX_LINK_PARENTHESES},}}+")
HEADING_LINE = re.compile(r"^(?:[ >*+0-9.)-]*+#{1,6}(?: |$)|[ >]*+(?:=++|-++) *+$)", re.MULTILINE)
HEADING = re.compile(r"<h[1-6]>((?:[^<]|<(?!/?h[1-6]>))*+)</h[1-6]>")
TAG = re.compile("<[^<>]*+>")
NOT_IN_IDS = re.compile(r"[\W_]+")
FOOTNOTE_MARK = re.compile(r"\[\^")
AMPERSAND = re.compile("&")
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


class TooComplex(InvalidRequest):
    """This text is too complex to render: make it simpler or shorter."""

    def __init__(self, message: str) -> None:
        super().__init__(message, details=[("contentMarkdown", message)])


def refuse_costly_markdown(text: str) -> None:
    """Raise `TooComplex`, which names the line and the limit, for texts that take too long to render."""
    lines = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n").expandtabs(4)
    refuse_deep_nesting(lines)
    refuse_large_tables(lines)
    refuse_more_than(limits.MAX_FOOTNOTE_MARKS, FOOTNOTE_MARK, "footnote marks `[^`", lines)
    refuse_more_than(limits.MAX_AMPERSANDS, AMPERSAND, "signs `&`", lines)
    refuse_more_than(limits.MAX_HEADINGS, HEADING_LINE, "headings", lines)
    refuse_long_links(lines)


def has_many_headings(text: str) -> bool:
    """True if more lines look like headings than may be equal; only then equal ones are counted."""
    many = islice(HEADING_LINE.finditer(text), limits.MAX_EQUAL_HEADINGS, None)
    return next(many, None) is not None


def refuse_equal_headings(html: str) -> None:
    """Raise `TooComplex` for many equal headings: finding unique ids for them takes quadratic time."""
    counts: Counter[str] = Counter()
    for heading in HEADING.finditer(html):
        title = NOT_IN_IDS.sub("", unescape(TAG.sub("", heading[1])).lower())
        counts[title] += 1
        if counts[title] > limits.MAX_EQUAL_HEADINGS:
            raise TooComplex(
                f"More than {limits.MAX_EQUAL_HEADINGS} headings are identical"
                f" (“{visible_text(heading[1])}”): rename them or split the text."
            )


def visible_text(html: str) -> str:
    return " ".join(unescape(TAG.sub("", html)).split())[: limits.MAX_REPORTED_LINE_CHARACTERS]


def line_number(text: str, position: int) -> int:
    return text.count("\n", 0, position) + 1


def refuse_deep_nesting(text: str) -> None:
    """Raise `TooComplex` for deep nesting of quotes, lists and footnotes, or for too many items.

    `lists` holds for each open list item its number of quotes and its column.
    """
    lists: list[tuple[int, int]] = []
    count = 0
    for line in CONTAINER_LINE.finditer(text):
        if THEMATIC_BREAK.fullmatch(line[0]):
            continue
        quotes = 0
        for quotes, column in containers_of(line[0]):
            while lists and column is not None and lists[-1] > (quotes, column):
                lists.pop()
            if column is not None:
                count += 1
                lists.append((quotes, column + 1))
            if quotes + len(lists) > limits.MAX_NESTING_LEVELS:
                raise TooComplex(
                    f"Line {line_number(text, line.start())} nests quotes and lists deeper than "
                    f"{limits.MAX_NESTING_LEVELS}: make the nesting simpler."
                )
        if count > limits.MAX_LIST_ITEMS:
            raise TooComplex(
                f"Line {line_number(text, line.start())} goes beyond {limits.MAX_LIST_ITEMS} list items and "
                "footnotes in one text: split the text."
            )


def containers_of(line: str) -> Iterator[tuple[int, int | None]]:
    """For each container that a line begins with: the number of quotes, and the column of a list item.

    Columns count from the innermost quote (CommonMark 0.31.2, section 5); for a quote the column is None.
    """
    position = base = quotes = 0
    while container := CONTAINER.match(line, position):
        position = container.end()
        if container[2]:
            quotes += 1
            base = position
            yield quotes, None
        else:
            yield quotes, container.start(3) - base


def refuse_large_tables(text: str) -> None:
    """Raise `TooComplex` for tables with too many cells: each row is filled up to the width of the first."""
    cells = columns = rows = end = 0
    for row in DELIMITER_ROW.finditer(text):
        width = row[0].strip(" >|").count("|") + 1
        if width > limits.MAX_TABLE_COLUMNS:
            raise TooComplex(
                f"The table in line {line_number(text, row.start())} has more than "
                f"{limits.MAX_TABLE_COLUMNS} columns: split it."
            )
        if row.start() >= end:
            cells += columns * rows
            blank = BLANK_LINE.search(text, row.end())
            end = blank.start() + 1 if blank else len(text) + 1
            columns, rows = 0, 2 + text.count("\n", row.end(), end)
        columns = max(columns, width)
        if cells + columns * rows > limits.MAX_TABLE_CELLS:
            raise TooComplex(
                f"The table in line {line_number(text, row.start())} goes beyond {limits.MAX_TABLE_CELLS} "
                "cells of tables in one text: split it."
            )


def refuse_more_than(limit: int, pattern: re.Pattern[str], name: str, text: str) -> None:
    beyond = next(islice(pattern.finditer(text), limit, None), None)
    if beyond:
        line = line_number(text, beyond.start())
        raise TooComplex(f"Line {line} goes beyond {limit} {name} in one text: split the text.")


def refuse_long_links(text: str) -> None:
    """Raise `TooComplex` for autolinks with many closing parentheses, or many email addresses in a line."""
    for line in LONG_LINE.finditer(text):
        if line[0].count("@") > limits.MAX_LINE_ADDRESSES:
            raise TooComplex(
                f"Line {line_number(text, line.start())} has more than {limits.MAX_LINE_ADDRESSES} signs "
                "`@`: break it into lines."
            )
    for word in LONG_WORD.finditer(text):
        is_link = "://" in word[0] or "www." in word[0]
        if is_link and word[0].count(")") > limits.MAX_LINK_PARENTHESES:
            raise TooComplex(
                f"An address in line {line_number(text, word.start())} has more than "
                f"{limits.MAX_LINK_PARENTHESES} closing parentheses: shorten it."
            )


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

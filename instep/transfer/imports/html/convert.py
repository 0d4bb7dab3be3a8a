"""Converts HTML to plain Markdown: the steps before and after the converter, in order."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

from html_to_markdown import ConversionOptions, PreprocessingOptions, convert
from selectolax.lexbor import LexborHTMLParser

from instep.platform.core.markdown_cost import TooComplex, refuse_costly_markdown
from instep.transfer.imports.html.boxes import keep_boxes
from instep.transfer.imports.html.code import keep_code
from instep.transfer.imports.html.escapes import drop_escapes
from instep.transfer.imports.html.html_document import (
    PARAGRAPH_BREAK,
    HtmlDocument,
    discard,
    paragraphs_of_text,
    read_document,
    unwrap,
)
from instep.transfer.imports.html.html_headings import HeadingIds, drop_title, note_ids, tidy_headings
from instep.transfer.imports.html.html_tables import tidy_tables
from instep.transfer.imports.html.inline import tidy_text
from instep.transfer.imports.html.lists import tidy_lists
from instep.transfer.imports.html.safe_links import keep_addresses, write_sized_pictures

UNSEEN = "script, style, template, noscript, svg, link, meta, head, select, textarea, canvas, dialog"
FORM_PARTS = "form, fieldset, button, label"
# Containers at the beginning of a line, and the prefix of the lines below it.
CONTAINERS = re.compile(r"(?: |>|[-*+](?= )|[0-9]+[.)](?= ))*")
ALERT = re.compile(r"^([> ]*)(\[![A-Z]+\].*)\n(?: *>[> ]*\n)*", re.MULTILINE)
ALIGNMENT = re.compile(r"\ufdd3([:-]+)")
EMPTY_LINES = re.compile(r"\n((?:[ >]*\n){2,})")


@cache
def options(*, has_escapes: bool) -> ConversionOptions:
    return ConversionOptions(
        autolinks=True,
        br_in_tables=True,
        bullets="-",
        compact_tables=True,
        escape_asterisks=has_escapes,
        escape_misc=has_escapes,
        escape_underscores=has_escapes,
        expand_abbreviations=False,
        extract_metadata=False,
        hidden_content="all",
        highlight_style="bold",
        include_blockquote_citations=False,
        newline_style="backslash",
        preprocessing=PreprocessingOptions(enabled=False),
    )


@dataclass(frozen=True, slots=True)
class HtmlText:
    """An HTML text as Markdown; `losses` are noun phrases, `heading_ids` as in `ImportedPage`."""

    markdown: str
    heading_ids: HeadingIds = ()
    losses: tuple[str, ...] = ()


def to_markdown(
    html: str,
    title: str | None = None,
    prepare: Callable[[HtmlDocument], None] | None = None,
    *,
    holds_markdown: bool = False,
) -> HtmlText:
    """Convert the body of a page; `prepare` first turns the markup of one product into plain HTML.

    With a `title`, a first heading that repeats it is removed, and headings start at the second level. Text
    in HTML within a Markdown page may contain Markdown, which is kept.
    """
    try:
        return convert_document(read_document(html), title, prepare, holds_markdown)
    except TooComplex:
        document = HtmlDocument(LexborHTMLParser(paragraphs_of_text(html)))
        document.losses.append("HTML that is too large or too deeply nested, reduced to its text")
        return convert_document(document, title, None, holds_markdown)


def convert_document(
    document: HtmlDocument,
    title: str | None,
    prepare: Callable[[HtmlDocument], None] | None,
    holds_markdown: bool,
) -> HtmlText:
    for node in document.css(UNSEEN):
        discard(node)
    if prepare is not None:
        prepare(document)
    for node in document.css(FORM_PARTS):
        unwrap(node)
    note_ids(document)
    if title is not None:
        drop_title(document, title)
    keep_code(document)
    keep_addresses(document)
    keep_boxes(document)
    tidy_lists(document)
    tidy_tables(document)
    tidy_text(document)
    heading_ids = tidy_headings(document, is_below_title=title is not None)
    write_sized_pictures(document)
    markdown = write(document, holds_markdown)
    refuse_costly_markdown(markdown)
    return HtmlText(markdown, heading_ids, tuple(dict.fromkeys(document.losses)))


def write(document: HtmlDocument, holds_markdown: bool) -> str:
    """The Markdown of the tree."""
    text = convert(document.body.inner_html or "", options(has_escapes=not holds_markdown)).content or ""
    if PARAGRAPH_BREAK in text:
        text = "\n".join(part_paragraphs(line) for line in text.split("\n"))
    text = ALERT.sub(r"\1\2\n", document.unmark(text))
    text = align_tables(text)
    text = EMPTY_LINES.sub(one_empty_line, text).strip()
    text = text if holds_markdown else drop_escapes(text)
    return f"{text}\n" if text else ""


def one_empty_line(match: re.Match[str]) -> str:
    """The outermost of several empty lines, which may have quote marks."""
    return f"\n{min(match[1].splitlines(), key=lambda line: line.count('>')).rstrip()}\n"


def part_paragraphs(line: str) -> str:
    """Paragraphs for a line with breaks in it, in the same quote and item."""
    first, *others = (part.strip() for part in line.split(PARAGRAPH_BREAK))
    if not others:
        return line
    containers = CONTAINERS.match(line)
    below = re.sub(r"[^ >]", " ", containers[0] if containers else "")
    indent = line[: len(line) - len(line.lstrip())]
    return f"\n{below.rstrip()}\n".join([indent + first, *(below + part for part in others if part)])


def align_tables(text: str) -> str:
    """Move the alignments of columns from the header cells to the rows below."""
    if "\ufdd3" not in text:
        return text
    lines = text.split("\n")
    for number, line in enumerate(lines[:-1]):
        if "\ufdd3" in line:
            delimiters = lines[number + 1].split("|")
            for column, cell in enumerate(re.split(r"(?<!\\)\|", line)[: len(delimiters)]):
                if alignment := ALIGNMENT.search(cell):
                    delimiters[column] = delimiters[column].replace("---", alignment[1])
            lines[number : number + 2] = ALIGNMENT.sub("", line), "|".join(delimiters)
    return "\n".join(lines)

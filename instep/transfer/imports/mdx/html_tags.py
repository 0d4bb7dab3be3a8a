"""Converts HTML in pages with components to plain Markdown; HTML that only our renderer supports stays."""

import html
import posixpath
import re

from instep.transfer.imports.html.markdown_links import link, markdown_table
from instep.transfer.imports.html.safe_links import PLAYED, page_of
from instep.transfer.imports.markdown.grouping import video
from instep.transfer.imports.mdx.components import (
    Write,
    details,
    dropped,
    illustration,
    unwrapped,
    with_names,
)
from instep.transfer.imports.mdx.page_layout import (
    MarkdownPiece,
    Tag,
    block,
    bold_label,
    item,
    list_item,
    on_one_line,
    place,
    quote,
)

_ID = re.compile(r"(?=[^.]*\d)[\w-]{8,}(?:[?#]|$)")
# Text that is already code, or has several lines.
_CODE = re.compile(r"\x00[BC]|[`\n]")
_HOSTS = {"YouTube": "https://www.youtube.com/watch?v=", "Vimeo": "https://vimeo.com/"}


def _kept(tag: Tag) -> MarkdownPiece:
    return MarkdownPiece(f"<{tag.name}>{on_one_line(tag.inner)}</{tag.name}>" if tag.inner.strip() else "")


def _marked(mark: str, name: str) -> Write:
    """Text between marks, or between tags if punctuation at its edges could make the marks invalid."""

    def write(tag: Tag) -> MarkdownPiece:
        if "\n\n" in tag.inner:
            return block(tag.inner)
        text = on_one_line(tag.inner)
        if text and not (text[0].isalnum() and text[-1].isalnum()):
            return MarkdownPiece(f"<{name}>{text}</{name}>")
        return MarkdownPiece(f"{mark}{text}{mark}" if text else "")

    return write


def _code(tag: Tag) -> MarkdownPiece:
    text = tag.inner
    if tag.parent_of("pre") or _CODE.search(text):
        return MarkdownPiece(text)
    return MarkdownPiece(f"`{html.unescape(text)}`" if text else "")


def _anchor(tag: Tag) -> MarkdownPiece:
    target, identity = tag.value("href", "to"), tag.value("id", "name")
    if target:
        words = on_one_line(tag.inner)
        return MarkdownPiece(link(words, target) if words else "")
    return MarkdownPiece(place(identity) + tag.inner)


def _paragraph(tag: Tag) -> MarkdownPiece:
    return block(tag.inner)


def _heading(tag: Tag) -> MarkdownPiece:
    words = on_one_line(tag.inner)
    if (parent := tag.parent_of("a")) is not None and parent.value("href", "to"):
        return block(bold_label(words))
    return block(f"{'#' * int(tag.name[1])} {words} {place(tag.value('id'))}".rstrip() if words else "")


def _list_item(tag: Tag) -> MarkdownPiece:
    parent = tag.parent_of("ul", "ol")
    marker = "-"
    if parent is not None and parent.name == "ol":
        parent.count += 1
        marker = f"{parent.count}."
    return item(list_item(marker, tag.inner)) if tag.inner else MarkdownPiece("")


def _details(tag: Tag) -> MarkdownPiece:
    return block(details(tag.summary, tag.inner))


def _summary(tag: Tag) -> MarkdownPiece:
    if (parent := tag.parent_of("details")) is None:
        return unwrapped(tag)
    parent.summary = tag.inner
    return MarkdownPiece("")


def _quote(tag: Tag) -> MarkdownPiece:
    return block(quote(tag.inner)) if tag.inner else MarkdownPiece("")


def _caption(tag: Tag) -> MarkdownPiece:
    words = on_one_line(tag.inner)
    return block(f"*{words}*" if words and "*" not in words else words)


def _media(tag: Tag) -> MarkdownPiece:
    """A video that our pages play; another one, or an embedded page, as a link."""
    target = tag.value("src", "href", "url", "data") or tag.summary
    host = _HOSTS.get(tag.name)
    if host and "://" not in target:
        target = host + (target or tag.value("id", "videoId"))
    if target.startswith("//"):
        target = f"https:{target}"
    target = page_of(target)
    name = posixpath.basename(target.rstrip("/"))
    # An id in an address says nothing to people.
    label = ("Video" if PLAYED.match(target) else target) if _ID.match(name) else name
    title = tag.value("title", "caption", "alt", "aria-label") or label
    if not target:
        return MarkdownPiece(tag.inner)
    # A cell of a table has only one line.
    is_in_table = tag.line.lstrip(" \t>").startswith("|")
    return MarkdownPiece(link(title, target)) if is_in_table else block(video(title, target))


def _source(tag: Tag) -> MarkdownPiece:
    if (parent := tag.parent_of("video", "audio")) is not None and not parent.summary:
        parent.summary = tag.value("src")
    return MarkdownPiece("")


def _cell(tag: Tag) -> MarkdownPiece:
    """Add a cell to its row; the table writes the rows."""
    row = tag.parent_of("tr")
    if row is None:
        return unwrapped(tag)
    row.rows.append([tag.inner])
    return MarkdownPiece("")


def _row(tag: Tag) -> MarkdownPiece:
    if (table := tag.parent_of("table")) is not None:
        table.rows.append([cells[0] for cells in tag.rows])
    return MarkdownPiece("")


def _table(tag: Tag) -> MarkdownPiece:
    """A Markdown table, or an HTML table with Markdown in its cells if a cell has several blocks."""
    width = max((len(row) for row in tag.rows), default=0)
    if not width:
        return block(tag.inner)
    rows = [row + [""] * (width - len(row)) for row in tag.rows]
    if any("\n" in cell.strip() for row in rows for cell in row):
        return block("\n".join(["<table>", *(_html_row(row) for row in rows), "</table>"]))
    return block(markdown_table([[cell.strip() for cell in row] for row in rows]))


def _html_row(row: list[str]) -> str:
    return "\n".join(["<tr>", *(f"<td>\n\n{cell}\n\n</td>" for cell in row), "</tr>"])


HTML_TAGS: dict[str, Write] = {
    **with_names(_kept, "kbd sub sup del ins"),
    **with_names(_marked("**", "strong"), "b strong"),
    **with_names(_marked("*", "em"), "i em cite dfn var"),
    **with_names(_marked("~~", "del"), "s strike"),
    **with_names(_code, "code tt samp"),
    **with_names(_paragraph, "p center pre legend"),
    **with_names(
        _paragraph, "div section article main aside header footer nav figure address fieldset form hgroup"
    ),
    **with_names(_paragraph, "picture dl ul ol menu"),
    **with_names(_heading, "h1 h2 h3 h4 h5 h6"),
    **with_names(_list_item, "li dd"),
    **with_names(_marked("**", "strong"), "dt"),
    **with_names(_media, "iframe video audio embed object Video YouTube Vimeo"),
    **with_names(
        unwrapped, "span font small big u mark abbr time q label button template tbody thead tfoot caption"
    ),
    **with_names(unwrapped, "data bdi bdo nobr noscript output include"),
    **with_names(
        dropped, "script style svg canvas link meta wbr col colgroup input param track head title base"
    ),
    "a": _anchor,
    "img": illustration,
    "br": lambda tag: MarkdownPiece("<br>"),
    "hr": lambda tag: block("---"),
    "blockquote": _quote,
    "figcaption": _caption,
    "details": _details,
    "summary": _summary,
    "source": _source,
    "table": _table,
    "tr": _row,
    "td": _cell,
    "th": _cell,
}
# Elements that are visible on the page, and that the article omits or shows only as a link.
TOLD_TAGS = {
    **dict.fromkeys(("script", "canvas"), "program in the page"),
    "svg": "drawing in the page",
    **dict.fromkeys(("iframe", "embed", "object"), "embedded page, kept as a link"),
    **dict.fromkeys(("video", "audio", "Video", "YouTube", "Vimeo"), "video or audio, kept as a link"),
}

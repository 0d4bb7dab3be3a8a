"""Converts tables to the form of Markdown: one-line cells, rows of equal length, a header row."""

from html import escape

from instep.platform.core import limits
from instep.platform.text.characters import whole_number
from instep.transfer.imports.html.html_document import (
    BLOCK_TAGS,
    HtmlDocument,
    Node,
    children,
    rename,
    replace_inner,
    tag_of,
    text_of,
    unwrap,
)

ALIGNMENTS = {"left": ":--", "center": ":-:", "right": "--:"}
MAX_SPAN = 100


def tidy_tables(document: HtmlDocument) -> None:
    for table in document.css("table table"):
        unwrap_table(document, table)
    for table in document.css("table"):
        rows = [[cell for cell in row.iter() if tag_of(cell) in {"td", "th"}] for row in table.css("tr")]
        rows = [row for row in rows if row]
        if sum(map(len, rows)) <= 1:
            unwrap_table(document, table)
        elif is_too_large(rows):
            write_as_lines(document, table, rows)
        else:
            rebuild(document, table, rows)


def is_too_large(rows: list[list[Node]]) -> bool:
    columns = max(map(len, rows))
    return columns > limits.MAX_TABLE_COLUMNS or columns * (len(rows) + 1) > limits.MAX_TABLE_CELLS


def unwrap_table(document: HtmlDocument, table: Node) -> None:
    """Reduce a layout table to its content, a paragraph for each cell."""
    for part in table.css("thead, tbody, tfoot, tr, colgroup, col"):
        unwrap(part)
    for part in table.css("td, th, caption"):
        rename(document, part, "div")
    rename(document, table, "div")


def write_as_lines(document: HtmlDocument, table: Node, rows: list[list[Node]]) -> None:
    document.losses.append(f"table with {len(rows)} rows, too many for a page, reduced to lines of text")
    lines = ["<p>" + escape(" · ".join(text_of(cell) for cell in row)) + "</p>" for row in rows]
    replace_inner(rename(document, table, "div"), "".join(lines))


def rebuild(document: HtmlDocument, table: Node, rows: list[list[Node]]) -> None:
    """Replace a table by one with plain cells; a merged cell becomes one cell and empty ones."""
    caption = table.css_first("caption")
    if caption is not None and text_of(caption):
        paragraph = document.paragraph(text_of(caption))
        table.insert_before(paragraph, move=True)
    alignments = column_alignments(rows)
    grid = spread(rows)
    width = max(map(len, grid))
    written = list[str]()
    for number, row in enumerate(grid):
        cells = [*row, *[""] * (width - len(row))]
        if not number:
            for column, alignment in alignments.items():
                cells[column] += document.mark(f"\ufdd3{ALIGNMENTS[alignment]}")
        name = "td" if number else "th"
        written.append("<tr>" + "".join(f"<{name}>{cell}</{name}>" for cell in cells) + "</tr>")
    head, *body = written
    replace_inner(table, f"<thead>{head}</thead><tbody>{''.join(body)}</tbody>")


def column_alignments(rows: list[list[Node]]) -> dict[int, str]:
    """The alignment of each column whose cells agree on one."""
    alignments: dict[int, set[str]] = {}
    for row in rows:
        for column, cell in enumerate(row):
            alignments.setdefault(column, set()).add(alignment_of(cell))
    return {
        column: next(iter(kinds))
        for column, kinds in alignments.items()
        if len(kinds) == 1 and "" not in kinds
    }


def alignment_of(cell: Node) -> str:
    style = (cell.attributes.get("style") or "").replace(" ", "").lower()
    value = (
        style.partition("text-align:")[2].partition(";")[0] or (cell.attributes.get("align") or "").lower()
    )
    return value if value in ALIGNMENTS else ""


def spread(rows: list[list[Node]]) -> list[list[str]]:
    """The inner HTML of the cells; a cell that spans columns or rows is followed by empty ones."""
    grid: list[list[str]] = []
    pending: dict[int, int] = {}
    for row in rows:
        cells = list[str]()
        for cell in row:
            fill_pending(cells, pending)
            columns, height = span(cell, "colspan"), span(cell, "rowspan")
            for column in range(len(cells), len(cells) + columns):
                if height > 1:
                    pending[column] = height - 1
            cells += [inline_content(cell), *[""] * (columns - 1)]
        fill_pending(cells, pending)
        grid.append(cells)
    return grid


def fill_pending(cells: list[str], pending: dict[int, int]) -> None:
    """Add empty cells for cells of earlier rows that span this row."""
    while pending.get(len(cells)):
        pending[len(cells)] -= 1
        cells.append("")


def span(cell: Node, name: str) -> int:
    return min(max(1, whole_number(cell.attributes.get(name) or "") or 1), MAX_SPAN)


def inline_content(cell: Node) -> str:
    """The cell's HTML on one line, with line breaks between blocks and a bullet before items."""
    lines = [""]
    add_inline(cell, lines)
    return "<br>".join(line for text in lines if (line := text.strip()) and line != "<br>")


def add_inline(node: Node, lines: list[str]) -> None:
    for child in children(node):
        name = tag_of(child)
        if name in {"br", "hr"}:
            lines.append("")
        elif name == "pre":
            lines += [f"<code>{escape(line)}</code>" for line in child.text().splitlines() if line.strip()]
            lines.append("")
        elif name in BLOCK_TAGS:
            lines.append(marker(child))
            add_inline(child, lines)
            lines.append("")
        elif not child.is_comment_node and holds_blocks(child):
            add_inline(child, lines)
        elif not child.is_comment_node:
            lines[-1] += child.html or ""


def holds_blocks(node: Node) -> bool:
    return (
        not node.is_text_node
        and node.css_first("br, p, div, ul, ol, pre, h1, h2, h3, h4, h5, h6") is not None
    )


def marker(node: Node) -> str:
    """The marker of a list item in a cell, because cells can't contain lists."""
    if tag_of(node) != "li":
        return ""
    if tag_of(node.parent) != "ol":
        return "• "
    number = 1
    previous = node.prev
    while previous is not None:
        number += tag_of(previous) == "li"
        previous = previous.prev
    return f"{number}. "

"""Writes links, images and tables in Markdown."""

import re
from collections.abc import Sequence
from html import escape
from urllib.parse import quote

_NOT_IN_TARGETS = re.compile(r"[\s<>]")
_ESCAPED = re.compile(r"\\([<>\[\]])")


def link(label: str, target: str) -> str:
    """A link; without a label it shows its target, and without a target it is only the label."""
    words, target = " ".join(label.split()), target.strip()
    return f"[{words or target}]({link_target(target)})" if target else words


def picture(alternative: str, target: str, width: int | None = None, title: str = "") -> str:
    """An image; empty without a target. With a width in pixels it is a tag: Markdown has no widths."""
    words, target = " ".join(alternative.split()), target.strip()
    if target and width is not None:
        words = escape(_ESCAPED.sub(r"\1", words))
        further = f' title="{escape(title)}"' if title else ""
        tag = f'<img src="{escape(link_target(target))}" alt="{words}"{further} width="{width}">'
        # A bar would end the cell of a table.
        return tag.replace("|", "&#124;")
    escaped = words.replace("[", "\\[").replace("]", "\\]")
    return f"![{escaped}]({link_target(target)})" if target else ""


def link_target(target: str) -> str:
    """A target as valid in brackets, with spaces encoded."""
    if _NOT_IN_TARGETS.search(target) or target.count("(") != target.count(")"):
        return quote(target, safe="/:?#[]@!$&'*+,;=%~-._")
    return target


def markdown_table(rows: Sequence[Sequence[str]]) -> str:
    """A table whose first row is the header; all rows have the same number of one-line cells."""
    head, *body = ["| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in rows]
    return "\n".join([head, "|" + " --- |" * len(rows[0]), *body])

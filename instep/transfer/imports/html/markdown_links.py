"""Writes links, images and tables in Markdown."""

import re
from collections.abc import Sequence
from html import escape
from urllib.parse import quote

_NOT_IN_TARGETS = re.compile(r"[\s<>]")
_ESCAPED = re.compile(r"\\([<>\[\]])")
# The width of the text of an article (`--measure` in frontend/src/shared/tokens.css). A wider picture is as
# wide as the text anyway.
TEXT_WIDTH_PIXELS = 672
_PIXELS = {"": 1.0, "px": 1.0, "em": 16.0, "rem": 16.0, "%": TEXT_WIDTH_PIXELS / 100}
_LENGTH = re.compile(r"\s*(\d{1,5}(?:\.\d{1,5})?)(px|r?em|%|)\s*", re.IGNORECASE)
_STYLE = re.compile(r"(?<![\w-])(?:max-?)?width\s*:\s*([^;,\s]+)", re.IGNORECASE)


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


def picture_width(width: str, style: str = "") -> int | None:
    """The width in pixels from an attribute or a style; None if the picture is as wide as the text."""
    declared = [width, *_STYLE.findall(style)]
    lengths = [length for text in declared if (length := _LENGTH.fullmatch(text))]
    pixels = [round(float(length[1]) * _PIXELS[length[2].lower()]) for length in lengths]
    return next((each for each in pixels if 0 < each < TEXT_WIDTH_PIXELS), None)

"""Lists as people read them: a header, aligned columns, and colour where a terminal shows it."""

import os
import sys
import unicodedata
from collections.abc import Sequence

import typer

from instep.text.characters import replace_unprintable

GAP = "  "


def table(names: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Rows below the names of their columns; a cell takes one line, whatever it holds."""
    lines = [[name.upper() for name in names], *([one_line(cell) for cell in row] for row in rows)]
    widths = [max(map(columns_of, cells)) for cells in zip(*lines, strict=True)]
    header, *body = [GAP.join(map(padded, line, widths)).rstrip() for line in lines]
    return "\n".join([bold(header), *body])


def bold(text: str) -> str:
    """Bold on a terminal, unless NO_COLOR asks for plain text (no-color.org)."""
    return typer.style(text, bold=True) if shows_colour() else text


def shows_colour() -> bool:
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def one_line(text: str) -> str:
    """Without what would break the line or command the terminal: names and questions are others' words."""
    return replace_unprintable(" ".join(text.split()))


def padded(text: str, width: int) -> str:
    return text + " " * (width - columns_of(text))


def columns_of(text: str) -> int:
    """How many columns of a terminal the text takes (Unicode Standard Annex 11)."""
    return sum(columns_of_sign(sign) for sign in text)


def columns_of_sign(sign: str) -> int:
    if unicodedata.combining(sign):
        return 0
    return 2 if unicodedata.east_asian_width(sign) in "WF" else 1

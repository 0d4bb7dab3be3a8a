"""Tables for people: a header, aligned columns, and bold type on a terminal."""

import os
import sys
import unicodedata
from collections.abc import Sequence

import typer

from instep.platform.text.characters import replace_unprintable

GAP = "  "


def table(names: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Rows below the names of their columns; each cell is one line."""
    lines = [[name.upper() for name in names], *([one_line(cell) for cell in row] for row in rows)]
    widths = [max(map(columns_of, cells)) for cells in zip(*lines, strict=True)]
    header, *body = [GAP.join(map(pad, line, widths)).rstrip() for line in lines]
    return "\n".join([bold(header), *body])


def bold(text: str) -> str:
    """Bold on a terminal, unless NO_COLOR asks for plain text (no-color.org)."""
    return typer.style(text, bold=True) if shows_colour() else text


def shows_colour() -> bool:
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def one_line(text: str) -> str:
    """The text without line breaks and control sequences, because names and questions are untrusted."""
    return replace_unprintable(" ".join(text.split()))


def pad(text: str, width: int) -> str:
    return text + " " * (width - columns_of(text))


def columns_of(text: str) -> int:
    """The width of a text in columns of a terminal (Unicode Standard Annex 11)."""
    return sum(columns_of_character(character) for character in text)


def columns_of_character(character: str) -> int:
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1

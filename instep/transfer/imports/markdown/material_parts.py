"""Converts grids of cards and formulas of Material for MkDocs to those of our pages."""

import re
from textwrap import dedent

from instep.platform.core.directives import write_directive
from instep.transfer.imports.markdown.hidden_code import Fence, HiddenCode

_GRID = re.compile(
    r"^([ \t]*+)<div\b[^<>\n]*\bclass=\"grid cards\"[^<>\n]*>[ \t]*+\n"
    r"((?:(?!\1<(?:div\b|/div>)).*+\n)*+)\1</div>[ \t]*$",
    re.MULTILINE,
)
_ITEM = re.compile(r"^[-*+][ \t]+", re.MULTILINE)
_RULE = re.compile(r"^[ \t]*-{3,}[ \t]*$", re.MULTILINE)
_SPAN_LANGUAGE = re.compile(r"^(`+)(?:#!|:::)[\w+-]+[ \t]+")
_FORMULA_BLOCK = re.compile(r"^([ \t>]*+)\$\$([^$]++)\$\$[ \t]*$", re.MULTILINE)
_FORMULA = re.compile(r"(?<![\\$\w])\$(?=[^\s$])([^$\n\x00]++)(?<=\S)\$(?![\w$])")


def replace_card_grids(text: str) -> str:
    """The text with lists in grids as cards; the rule that separates the title of a card is left out."""
    return _GRID.sub(_cards, text)


def _cards(grid: re.Match[str]) -> str:
    before, *items = _ITEM.split(dedent(grid[2]))
    if before.strip() or not items:
        return grid[0]
    cards = [write_directive("card", _RULE.sub("", _dedented(item)).strip()) for item in items]
    lines = write_directive("cards", "\n".join(cards)).split("\n")
    return "\n".join(f"{grid[1]}{line}".rstrip() for line in ("", *lines, ""))


def _dedented(item: str) -> str:
    first, _, others = item.partition("\n")
    return f"{first}\n{dedent(others)}"


def remove_languages_of_spans(code: HiddenCode) -> None:
    """Remove the language from spans of code such as `#!python x = 1`."""
    code.spans = [_SPAN_LANGUAGE.sub(r"\1", span) for span in code.spans]


def replace_formulas(text: str, code: HiddenCode) -> str:
    """The text with formulas between dollar signs as code, which our pages draw."""

    def block(match: re.Match[str]) -> str:
        lines = tuple(line.strip(" \t>") for line in match[2].strip("\n").split("\n"))
        return match[1] + code.add_fence(Fence("```", "math", lines))

    def span(match: re.Match[str]) -> str:
        return f"${code.add_span(f'`{match[1]}`')}$"

    return _FORMULA.sub(span, _FORMULA_BLOCK.sub(block, text))

"""Converts grids of cards and formulas of Material for MkDocs to those of our pages."""

import re
from textwrap import dedent

from instep.platform.core.directives import write_directive
from instep.transfer.imports.markdown.hidden_code import Fence, HiddenCode, dedented

_DIVISION = re.compile(r"^([ \t]*+)<(/?)div\b([^<>\n]*+)>(.*)$", re.MULTILINE)
_GRID = re.compile(r"\bclass=\"grid cards\"")
_ITEM = re.compile(r"^[-*+][ \t]+", re.MULTILINE)
_RULE = re.compile(r"^[ \t]*-{3,}[ \t]*$", re.MULTILINE)
_SPAN_LANGUAGE = re.compile(r"^(`+)(?:#!|:::)[\w+-]+[ \t]+")
# Formulas as the extension Arithmatex reads them: blocks without blank lines, and code in neither form.
_FORMULA_BLOCK = re.compile(
    r"^([ \t>]*+(?:(?:[-*+]|\d{1,9}[.)])[ \t]++)*+)"
    r"(?:\$\$((?:(?!\n[ \t>]*+\n)(?:\\[^\n\x00]|[^$\\\x00]))++)\$\$"
    r"|\\\[((?:(?!\n[ \t>]*+\n)(?:\\[^\[\]\n\x00]|[^\\\x00]))++)\\\])[ \t]*+$",
    re.MULTILINE,
)
_FORMULA = re.compile(
    r"(?<![\\$\w])\$(?=[^\s$])([^$\n\x00]++)(?<=\S)\$(?![\w$])"
    r"|(?<!\\)\\\(((?:\\[^()\n\x00]|[^\\\n\x00])++)\\\)"
)


def replace_card_grids(text: str) -> str:
    """The text with lists in grids as cards; the rule that separates the title of a card is left out."""
    parts, at = list[str](), 0
    # The last grid by its indent, which is that of its end.
    grids: dict[str, re.Match[str]] = {}
    for tag in _DIVISION.finditer(text):
        opening = grids.pop(tag[1], None)
        if tag[4].strip():
            continue
        if not tag[2] and _GRID.search(tag[3]):
            grids[tag[1]] = tag
        elif tag[2] and opening and opening.start() >= at:
            cards = _cards(text[opening.end() + 1 : tag.start()], tag[1])
            parts += [text[at : opening.start()], cards or text[opening.start() : tag.end()]]
            at = tag.end()
    return "".join([*parts, text[at:]])


def _cards(content: str, indent: str) -> str:
    """The directive for a list; empty if there is other text."""
    before, *items = _ITEM.split(dedent(content))
    if before.strip() or not items:
        return ""
    cards = [write_directive("card", _RULE.sub("", dedented(item)).strip()) for item in items]
    lines = write_directive("cards", "\n".join(cards)).split("\n")
    return "\n".join(f"{indent}{line}".rstrip() for line in ("", *lines, ""))


def remove_languages_of_spans(code: HiddenCode) -> None:
    """Remove the language from spans of code such as `#!python x = 1`."""
    code.spans = [_SPAN_LANGUAGE.sub(r"\1", span) for span in code.spans]


def replace_formulas(text: str, code: HiddenCode) -> str:
    """The text with formulas between dollar signs, or escaped brackets, as code, which our pages draw."""

    def block(match: re.Match[str]) -> str:
        first, *others = (match[2] or match[3]).split("\n")
        quote = re.compile(rf"(?:[ \t]*+>){{0,{match[1].count('>')}}}+")
        lines = [line.strip(" \t") for line in (first, *(quote.sub("", line, 1) for line in others))]
        return match[1] + code.add_fence(Fence("```", "math", tuple(filter(None, lines))))

    def span(match: re.Match[str]) -> str:
        return f"${code.add_span(f'`{(match[1] or match[2]).strip()}`')}$"

    return _FORMULA.sub(span, _FORMULA_BLOCK.sub(block, text))

"""Converts Python-Markdown, PyMdown Extensions and Material for MkDocs to plain Markdown."""

import re
from textwrap import dedent

from instep.platform.core.directives import write_directive
from instep.transfer.imports.markdown.callouts import (
    replace_colon_containers,
    replace_indented_blocks,
    replace_indented_containers,
)
from instep.transfer.imports.markdown.definition_lists import replace_definition_lists
from instep.transfer.imports.markdown.emoji_codes import replace_emoji_codes, replace_icons
from instep.transfer.imports.markdown.grouping import grouped_tabs, tab
from instep.transfer.imports.markdown.hidden_code import Fence, HiddenCode, dedented
from instep.transfer.imports.markdown.source_pages import SourcePage
from instep.transfer.imports.tree.url_parts import joined_url

_TAB = re.compile(r"^([ \t]*+)===[!+]?[ \t]++(?:\"(.*)\"|'(.*)')[ \t]*$")
_DEFINITION = re.compile(r"^[ \t]{0,3}\[([^\]\n]+)\]:[ \t]*\S.*$", re.MULTILINE)
_ANY_DEFINITION = re.compile(r"^[ \t>]*+\[([^\]\n]++)\]:", re.MULTILINE)
_COMMENT = re.compile(r"<!--(?:(?!<!--|-->).)*+-->", re.DOTALL)
# Brackets after a word are indexes, as in a[0][1].
_REFERENCE = re.compile(r"(?<![\\\]!\w)])\[[^\[\]\n\x00]++\]\[([^\[\]\n\x00]++)\](?![(\[])")
_ABBREVIATION = re.compile(r"^[ \t]{0,3}\*\[([^\]\n]+)\]:[ \t]*(.*)$", re.MULTILINE)
_KEYS = re.compile(r"\+\+([A-Za-z0-9\"' -]+(?:\+[A-Za-z0-9\"' -]+)*)\+\+")
_MARK = re.compile(
    r"(?<![=\w])==(?=\S)([^=\n]+?)(?<=\S)==(?!=)|(?<!\^)\^\^(?=\S)([^\^\n]+?)(?<=\S)\^\^(?!\^)"
)
_MODE_IMAGE = re.compile(
    r"!\[[^\]\n]*\]\([^()\s]*#(?:only|gh)-dark(?:-mode-only)?[^)]*\)(?:\{[^{}\n]*\})?\n?"
    r"|<img\b[^<>]*#(?:only|gh)-dark\b[^<>]*>\n?"
)
_LIGHT_IMAGE = re.compile(r"((?:\]\(|\bsrc=[\"']?)[^()\s\"'<>]*)#(?:only-light|gh-light-mode-only)")
_CONTENTS = re.compile(r"^[ \t]*\[(?:TOC|toc)\][ \t]*$", re.MULTILINE)
_MACRO = re.compile(r"\{\{[^{}\n]*\}\}|\{%[^{}\n]*%\}")
_SHORTCODE = re.compile(r"<!--[ \t]*md:(\w+)[ \t]*(.*?)[ \t]*-->")
_ADDRESS = re.compile(r"<(img|a|source)\b[^<>]*>", re.IGNORECASE)
_VALUE = re.compile(r"(\b(?:src|href)[ \t]*=[ \t]*[\"'])([^\"'\s]+)")
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


def plain_python_markdown(text: str, page: SourcePage, appended: str, address: str) -> str:
    """The text of a page as plain Markdown; code must be hidden.

    `appended` is the text appended to each page. `address` is the page's public path, to which links in HTML
    are relative.
    """
    text = _with_definitions(text, appended)
    text = _absolute_html(_SHORTCODE.sub(lambda match: _plain_shortcode(match, page), text), address)
    # Definitions may contain tabs and admonitions, which then no longer start at the beginning of a line.
    text = replace_definition_lists(_expand_abbreviations(text))
    text = replace_indented_blocks(
        text, _TAB, lambda match, body: tab(replace_icons(match[2] or match[3] or ""), body).strip("\n")
    )
    text = replace_card_grids(grouped_tabs(text))
    text = replace_colon_containers(replace_indented_containers(text))
    text = _KEYS.sub(_plain_keys, text)
    text = _MARK.sub(lambda match: match[1] or match[2], text)
    text = _LIGHT_IMAGE.sub(r"\1", _MODE_IMAGE.sub("", text))
    _tell_missing_definitions(text, page)
    for macro in _MACRO.findall(text):
        page.losses.add(f"macro {macro}", macro)
    return replace_emoji_codes(replace_icons(_CONTENTS.sub("", text)))


def _tell_missing_definitions(text: str, page: SourcePage) -> None:
    """Report links that name their target only for a plugin; pages show them as text."""
    defined = {_name_of(name) for name in _ANY_DEFINITION.findall(text)}
    for match in _REFERENCE.finditer(_COMMENT.sub("", text)):
        if _name_of(match[1]) not in defined:
            page.losses.add(
                f"link whose target isn't defined in the page, kept as text: {match[0]}", match[0]
            )


def _name_of(label: str) -> str:
    """The label of a definition as it is compared: without case, and with single spaces."""
    return " ".join(label.casefold().split())


def _with_definitions(text: str, appended: str) -> str:
    """The text with the link and abbreviation definitions of an appended file that it uses."""
    words = text.casefold()
    lines = [line[0].strip() for line in _DEFINITION.finditer(appended) if f"[{line[1].casefold()}]" in words]
    lines += [line[0] for line in _ABBREVIATION.finditer(appended) if line[1].casefold() in words]
    return f"{text}\n\n" + "\n".join(lines) + "\n" if lines else text


def _absolute_html(text: str, address: str) -> str:
    """The text with relative URLs in HTML resolved to absolute ones, as in a browser."""

    def absolute(value: re.Match[str]) -> str:
        is_relative = not re.match(r"[a-z][a-z0-9+.-]*:|[/#]", value[2], re.IGNORECASE)
        return value[1] + ((joined_url(address, value[2]) if is_relative else None) or value[2])

    return _ADDRESS.sub(lambda tag: _VALUE.sub(absolute, tag[0]), text)


def _expand_abbreviations(text: str) -> str:
    """The text with the long form after the first use of each abbreviation."""
    forms = dict(_ABBREVIATION.findall(text))
    if not forms:
        return text

    def expand(match: re.Match[str]) -> str:
        long = forms.pop(match[0], "")
        return f"{match[0]} ({long})" if long else match[0]

    words = "|".join(re.escape(short) for short in sorted(forms, key=len, reverse=True))
    return re.sub(rf"(?<![\w\[(/.-])(?:{words})(?![\w\]/-])", expand, _ABBREVIATION.sub("", text))


def _plain_shortcode(match: re.Match[str], page: SourcePage) -> str:
    """Convert the shortcodes of Material's own documentation: versions, names of settings, and badges."""
    name, value = match[1], match[2].removeprefix("type:")
    if name == "default" and value:
        return f"Default: {value}."
    if name in ("version", "option", "setting") and value:
        return f"`{value}`" if name in ("option", "setting") and "\x00" not in value else value
    page.losses.add(f"badge {match[0]}", match[0])
    return ""


def _plain_keys(match: re.Match[str]) -> str:
    keys = (key.strip("\"' ") for key in match[1].split("+"))
    return "+".join(f"<kbd>{key[:1].upper()}{key[1:]}</kbd>" for key in keys)


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

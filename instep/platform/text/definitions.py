"""Removes unused link definitions from a Markdown text.

Authors write comments as such definitions, `[//]: # (a note)`. No page shows them, so nothing made
for readers of the page may contain them. Definitions inside code stay.
"""

import re
from collections.abc import Callable, Iterator

import comrak

from instep.platform.core.markdown import extensions, options

# The possible beginning of a definition, up to its address (CommonMark 0.31.2, section 4.7). A line is not
# an address if it begins another block.
_OPENING = re.compile(
    r"\[(?!\^)(?:[^\[\]\\]|\\.){1,999}+\]:[ \t]*+"
    r"(?:\n[ \t>]*+(?!\n|[-=#*+`~|]|\d{1,9}[.)]))?+<?+"
)
_LINE_END = r"[ \t]*+(?=\n|\Z)"
# A line break within a title, unless a blank line follows.
_BREAK = r"\n(?![ \t>]*+(?:\n|\Z))"
_TITLE = "|".join(
    rf"{opening}(?:\\.|[^{excluded}\\\n]|\\(?=\n)|{_BREAK})*+{closing}"
    for opening, excluded, closing in (('"', '"', '"'), ("'", "'", "'"), (r"\(", "()", r"\)"))
)
# The address, optionally after a `<`, and the title.
_REST = re.compile(
    r"(?:(?<=<)[^<>\n]*+>|(?<!<)[^\s<]\S*+)"
    rf"(?:(?:[ \t]++|[ \t]*+\n[ \t>]*+)(?:{_TITLE}){_LINE_END}|{_LINE_END})"
)
# A word that no text contains, around a number.
_MARK = "qzinstep{}qz"
_MARK_PATTERN = re.compile(r"qzinstep(\d+)qz")
_TAG = re.compile(r"<[^<>]*+>")


def without_unused_definitions(markdown: str) -> str:
    """The text without definitions that have no effect on its page; footnote definitions stay.

    Its time grows as the renderer's does, and is short if nothing looks like a definition.
    """
    return _without_definitions(markdown, lambda html: html)


def without_definitions(markdown: str) -> str:
    """The text without any link definitions, including used ones: its links lose their targets."""
    return _without_definitions(markdown, lambda html: _TAG.sub("", html))


def _without_definitions(markdown: str, part_of: Callable[[str], str]) -> str:
    """`part_of` returns the part of the rendered page in which an address keeps its definition."""
    if "]:" not in markdown:
        return markdown
    text = markdown.replace("\r\n", "\n").replace("\r", "\n")
    openings = list(_OPENING.finditer(text))
    if not openings:
        return markdown
    return "".join(_kept_parts(text, openings, _numbers_in(part_of(_marked_page(text, openings)))))


def _marked_page(text: str, openings: list[re.Match[str]]) -> str:
    """The rendered page, with definition addresses that begin with the number of their opening, from 0.

    Only the renderer knows what is code or the middle of a paragraph.
    """
    parts: list[str] = []
    position = 0
    for number, opening in enumerate(openings):
        parts += (text[position : opening.end()], _MARK.format(number))
        position = opening.end()
    return comrak.render_markdown(
        "".join((*parts, text[position:])),
        extension_options=extensions(has_anchors=False),
        render_options=options(),
    )


def _numbers_in(html: str) -> set[int]:
    return {int(number) for number in _MARK_PATTERN.findall(html)}


def _kept_parts(text: str, openings: list[re.Match[str]], numbers_on_page: set[int]) -> Iterator[str]:
    position = 0
    for number, opening in enumerate(openings):
        if number in numbers_on_page or opening.start() < position:
            continue
        if rest := _REST.match(text, opening.end()):
            yield text[position : opening.start()]
            position = rest.end()
    yield text[position:]

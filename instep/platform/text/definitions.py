"""Takes the definitions of links out of a Markdown text that no link of it uses.

Authors write comments as such definitions, `[//]: # (a note)`. No page shows them, so nothing that is made
for readers of the page may hold them. What code says about definitions stays.
"""

import re
from collections.abc import Callable, Iterator

import comrak

from instep.platform.core.markdown import extensions, options

# What may begin a definition, up to its address (CommonMark 0.31.2, section 4.7). A line of its own is not
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
# The address, behind a `<` or not, and the title.
_REST = re.compile(
    r"(?:(?<=<)[^<>\n]*+>|(?<!<)[^\s<]\S*+)"
    rf"(?:(?:[ \t]++|[ \t]*+\n[ \t>]*+)(?:{_TITLE}){_LINE_END}|{_LINE_END})"
)
# A word that no text has, around a number.
_MARK = "qzinstep{}qz"
_MARK_PATTERN = re.compile(r"qzinstep(\d+)qz")
_TAG = re.compile(r"<[^<>]*+>")


def without_unused_definitions(markdown: str) -> str:
    """The text without definitions that show nowhere on its page; definitions of footnotes stay.

    Its time grows as the renderer's does, and is short where nothing looks like a definition.
    """
    return _without_definitions(markdown, lambda html: html)


def without_definitions(markdown: str) -> str:
    """The text without any definitions of links, used ones too: its links no longer lead anywhere."""
    return _without_definitions(markdown, lambda html: _TAG.sub("", html))


def _without_definitions(markdown: str, part_of: Callable[[str], str]) -> str:
    """`part_of`: from the rendered page, the part in which an address keeps its definition."""
    if "]:" not in markdown:
        return markdown
    text = markdown.replace("\r\n", "\n").replace("\r", "\n")
    openings = list(_OPENING.finditer(text))
    if not openings:
        return markdown
    return "".join(_kept_parts(text, openings, _numbers_in(part_of(_marked_page(text, openings)))))


def _marked_page(text: str, openings: list[re.Match[str]]) -> str:
    """The rendered page, whose addresses of definitions begin with the number of their opening, from 0.

    The renderer alone knows what is code or the middle of a paragraph.
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

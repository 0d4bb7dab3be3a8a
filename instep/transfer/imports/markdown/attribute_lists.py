"""Attribute lists of Python-Markdown, kramdown and Markdown-it: `{: .class }`, `{ #id .class }`."""

import re
from html import unescape

from instep.transfer.imports.html.markdown_links import picture, picture_width

_ATTRIBUTE = r"(?:[.#][\w:-]+|[A-Za-z][\w:-]*=(?:\"[^\"\n]*\"|'[^'\n]*'|[^\s{}\"']+))"
_LIST = re.compile(
    r"(?:(\n[ \t]*+)|(?<![ \t])[ \t]*+)(?<!\\)(?<![{%$])"
    rf"\{{:?[ \t]*+({_ATTRIBUTE}(?:[ \t]+{_ATTRIBUTE})*)[ \t]*\}}"
)
_PICTURE = re.compile(
    r"!\[([^\[\]\n\x00]*+)\]\(([^()\s]++)(?:[ \t]++\"([^\"\n]*+)\")?+[ \t]*+\)\{:?([^{}\n]*+)\}"
)
_ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])|&#?\w++;")
_WIDTH = re.compile(r"(?<![\w-])width=[\"']?([\d.]+\w*+%?+)")
_ID = re.compile(r"(?:^|\s)(?:#|id=[\"']?)([\w:.-]+)")


def remove_attribute_lists(text: str) -> str:
    """The text without attribute lists, except for widths of pictures.

    A list with an id is reduced to `{#id}`, for `take_heading_ids`.
    Code in the text must be hidden.
    """
    return _LIST.sub(_id_alone, f"\n{_PICTURE.sub(_sized_picture, text)}")[1:]


def _sized_picture(match: re.Match[str]) -> str:
    attributes = match[4]
    declared = _WIDTH.search(attributes)
    width = picture_width(declared[1] if declared else "", attributes.replace('"', " ").replace("'", " "))
    if width is None:
        return match[0]
    # A tag has the text itself, which Markdown writes with escapes.
    words, target, title = (_ESCAPED.sub(_unescaped, text or "") for text in match.group(1, 2, 3))
    return picture(words, target, width, title)


def _unescaped(sign: re.Match[str]) -> str:
    return sign[1] or unescape(sign[0])


def _id_alone(match: re.Match[str]) -> str:
    element = _ID.search(match[2])
    line = match[1] or ""
    if element is None:
        return line
    return f"{line or ' '}{{#{element[1]}}}"

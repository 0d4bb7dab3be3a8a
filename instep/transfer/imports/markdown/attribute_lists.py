"""Attribute lists of Python-Markdown, kramdown and Markdown-it: `{: .class }`, `{ #id .class }`."""

import re

_ATTRIBUTE = r"(?:[.#][\w:-]+|[A-Za-z][\w:-]*=(?:\"[^\"\n]*\"|'[^'\n]*'|[^\s{}\"']+))"
_LIST = re.compile(
    r"(?:(\n[ \t]*+)|(?<![ \t])[ \t]*+)(?<!\\)(?<![{%$])"
    rf"\{{:?[ \t]*+({_ATTRIBUTE}(?:[ \t]+{_ATTRIBUTE})*)[ \t]*\}}"
)
_ID = re.compile(r"(?:^|\s)(?:#|id=[\"']?)([\w:.-]+)")


def remove_attribute_lists(text: str) -> str:
    """The text without attribute lists; one with an id is reduced to `{#id}`, for `take_heading_ids`.

    Code in the text must be hidden.
    """
    return _LIST.sub(_id_alone, f"\n{text}")[1:]


def _id_alone(match: re.Match[str]) -> str:
    element = _ID.search(match[2])
    line = match[1] or ""
    if element is None:
        return line
    return f"{line or ' '}{{#{element[1]}}}"

"""Converts admonitions, hints and asides of all formats to GitHub's alerts, which our renderer supports."""

import re
from collections.abc import Callable
from html import unescape
from textwrap import dedent
from typing import NamedTuple

import comrak

from instep.platform.core.directives import write_directive
from instep.transfer.imports.html.callout_kinds import ALERT_KINDS, SAME_NAMES
from instep.transfer.imports.markdown.hidden_code import end_of_indented_block

_COLON_OPENING = re.compile(
    r"([ \t]*)(:{3,}|/{3,})[ \t]*([A-Za-z][\w-]*)[ \t]*(?:\[((?:\\.|[^\]\\])*)\])?([^\n]*)$"
)
_COLON_CLOSING = re.compile(r"[ \t]*(:{3,}|/{3,})[ \t]*$")
_ATTRIBUTES = re.compile(r"\{[^{}]*\}")
_INDENTED_OPENING = re.compile(
    r"([ \t]*)(!!!|\?\?\?\+?)[ \t]*([A-Za-z][\w-]*)((?:[ \t]+[\w-]+)*)(?:[ \t]+(?:\"(.*)\"|'(.*)'))?[ \t]*$"
)
_BLANK_LINES = re.compile(r"\n(?:[ \t]*\n){2,}")
# The directives of our pages, which stay as they are.
DIRECTIVES = frozenset(("tabs", "tab", "code-group", "steps", "cards", "card", "video", "details"))
_INDENT = 4
_TAG = re.compile(r"<[^<>]*>")
# "1. Install" is a title here, and no item of a list.
_NUMBER = re.compile(r"\A(\d{1,9})([.)])(?= )")
# A private-use character, which does not occur in texts.
_NUL = "\ue0f0"
_INLINE = comrak.ExtensionOptions()
_INLINE.strikethrough = True


class Container(NamedTuple):
    """A block of a kind that contains other blocks; `body` is dedented, without blank lines at its ends."""

    kind: str
    title: str
    body: str


def alert(kind: str, title: str, body: str) -> str:
    """A GitHub alert; an unsupported kind becomes the title if there is none."""
    alert_kind = ALERT_KINDS.get(kind.lower(), "NOTE")
    title = plain_title(title)
    if not title and kind.lower() not in SAME_NAMES:
        title = kind.replace("-", " ").capitalize()
    if title.lower() == alert_kind.lower():
        title = ""
    first = f"> [!{alert_kind}] {title}".rstrip()
    lines = _BLANK_LINES.sub("\n\n", body.strip("\n")).split("\n")
    return "\n".join([first, *(f"> {line}".rstrip() for line in lines)])


def plain_title(markdown: str) -> str:
    """The visible text of a title, on one line, because titles are plain text."""
    # The renderer would replace the NUL characters of hidden code.
    line = _NUMBER.sub(r"\1\\\2", " ".join(markdown.split())).replace("\x00", _NUL)
    html = comrak.render_markdown(line, extension_options=_INLINE)
    return " ".join(unescape(_TAG.sub("", html)).split()).replace(_NUL, "\x00")


def alert_of(container: Container) -> str:
    """An alert; a directive that our pages have stays as it is."""
    if container.kind in DIRECTIVES:
        return write_directive(container.kind, container.body, plain_title(container.title))
    return alert(container.kind, container.title, container.body)


def replace_colon_containers(text: str, write: Callable[[Container], str] = alert_of) -> str:
    """The text with its `:::kind[title]` containers replaced by the result of `write`, inner ones first.

    The code of the text must be hidden, and the result keeps the indentation of the container. An unclosed
    container ends with the one around it.
    """
    parts: list[_Open] = [_Open("", "", None, [])]
    for line in text.split("\n"):
        opening, closing = _COLON_OPENING.match(line), _COLON_CLOSING.match(line)
        number = _number_closed(parts, closing[1]) if closing else 0
        if number:
            while len(parts) > number:
                _close(parts, write)
        elif opening:
            title = opening[4] or _title_of_rest(opening[5])
            parts.append(_Open(opening[1], opening[2], Container(opening[3], title, ""), []))
        else:
            parts[-1].lines.append(line)
    while len(parts) > 1:
        _close(parts, write)
    return "\n".join(parts[0].lines)


def replace_indented_containers(text: str) -> str:
    """The text with the `!!! kind "title"` and `??? kind` blocks of Python-Markdown as alerts."""

    def write_block(match: re.Match[str], body: str) -> str:
        return alert_of(Container(match[3], match[5] or match[6] or "", body))

    return replace_indented_blocks(text, _INDENTED_OPENING, write_block)


def replace_indented_blocks(
    text: str, opening: re.Pattern[str], write: Callable[[re.Match[str], str], str]
) -> str:
    """The text with indented blocks below lines that match `opening` replaced by the result of `write`.

    The first group of `opening` is the indentation of its line. Code in the text must be hidden. Nested
    blocks are replaced first.
    """
    lines = text.split("\n")
    result: list[str] = []
    at = 0
    while at < len(lines):
        match = opening.match(lines[at])
        if match is None:
            result.append(lines[at])
            at += 1
            continue
        indent = len(match[1].expandtabs(_INDENT))
        end = end_of_indented_block(lines, at + 1, indent + _INDENT)
        body = "\n".join(line.expandtabs(_INDENT)[indent + _INDENT :] for line in lines[at + 1 : end])
        block = write(match, replace_indented_blocks(body, opening, write).strip("\n"))
        _append_block(result, block, match[1])
        at = end
    return "\n".join(result)


class _Open(NamedTuple):
    """An open container, with its lines so far."""

    indent: str
    fence: str
    container: Container | None
    lines: list[str]


def _number_closed(parts: list[_Open], fence: str) -> int:
    """The index of the innermost open container that a fence closes; 0 if it closes none."""
    for number in range(len(parts) - 1, 0, -1):
        opening = parts[number].fence
        if opening[0] == fence[0] and len(opening) <= len(fence):
            return number
    return 0


def _close(parts: list[_Open], write: Callable[[Container], str]) -> None:
    indent, _, container, lines = parts.pop()
    if container is not None:
        body = dedent("\n".join(lines)).strip("\n")
        _append_block(parts[-1].lines, write(container._replace(body=body)), indent)


def _append_block(lines: list[str], block: str, indent: str) -> None:
    """Append a block between blank lines, so that it doesn't become part of a paragraph."""
    if lines and lines[-1].strip():
        lines.append("")
    lines += [indent + line if line else "" for line in block.split("\n")]
    lines.append("")


def _title_of_rest(rest: str) -> str:
    return _ATTRIBUTES.sub("", rest).strip().removeprefix("|").strip()

"""Writes the groups of other products as directives: tabs, titled code, videos; and captions of pictures."""

import re
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from html import escape
from itertools import dropwhile

from instep.platform.core.directives import write_directive
from instep.transfer.imports.html.markdown_links import link
from instep.transfer.imports.html.safe_links import PLAYED
from instep.transfer.imports.markdown.callouts import plain_title
from instep.transfer.imports.markdown.hidden_code import HiddenCode

_TAB = re.compile(r"([ \t]*)(:{3,}+)tab(?=[\[\n]|$)")
_CLOSING = re.compile(r"[ \t]*:{3,}+$")
_GROUP = re.compile(r"[ \t>]*(:{3,}+)code-group[ \t]*$")
_LABEL = re.compile(r"[ \t>]*\*\*(.+)\*\*[ \t]*$")
_CODE = re.compile(r"[ \t>]*\x00B(\d+)\x00[ \t]*$")
_PICTURE = re.compile(r"!\[[^\[\]]*+\]\([^()\s\x00]++\)")
_SIZED_PICTURE = re.compile(r"<img [^<>\x00]*+>")


def tab(title: str, body: str) -> str:
    """A tab between blank lines; without a title only its content."""
    title = plain_title(title)
    return f"\n\n{write_directive('tab', body, title) if title else body.strip(chr(10))}\n\n"


def tabs(body: str) -> str:
    """The tabs of a group; a body without tabs stays as it is."""
    return write_directive("tabs", body) if _TAB.match(body.lstrip("\n")) else body


def grouped_tabs(text: str) -> str:
    """The text with a group around all tabs that follow each other with only blank lines between them."""
    lines = text.split("\n")
    closings: dict[str, list[int]] = {}
    for number, line in enumerate(lines):
        if _CLOSING.match(line):
            closings.setdefault(line, []).append(number)
    result: list[str] = []
    at = 0
    while at < len(lines):
        opening = _TAB.match(lines[at])
        if opening is None:
            result.append(lines[at])
            at += 1
            continue
        end = _end_of_tabs(lines, closings, at, opening[1])
        indent = opening[1]
        group = "\n".join(line.removeprefix(indent) for line in lines[at:end])
        result += [indent + line if line else "" for line in tabs(group).split("\n")]
        at = end
    return "\n".join(result)


def _end_of_tabs(lines: list[str], closings: Mapping[str, Sequence[int]], at: int, indent: str) -> int:
    """The line below the last tab of those that begin at a line; `closings` has the numbers of equal ends."""
    end = at
    while at < len(lines) and (opening := _TAB.match(lines[at])) and opening[1] == indent:
        ends = closings.get(indent + opening[2], ())
        place = bisect_left(ends, at + 1)
        end = (ends[place] if place < len(ends) else at) + 1
        at = next(dropwhile(lambda number: not lines[number].strip(), range(end, len(lines))), len(lines))
    return end


def code_group(body: str) -> str:
    """A group of blocks of code; a single one stays as it is."""
    return write_directive("code-group", body) if body.count("\x00B") > 1 else body


def take_titles(text: str, code: HiddenCode) -> str:
    """The text with the labels above code in groups moved to the info strings of the code."""
    if ":code-group" not in text:
        return text
    result: list[str] = []
    closing, label, at = "", "", 0
    for line in text.split("\n"):
        if opening := _GROUP.match(line):
            closing = opening[1]
        elif line.strip(" \t>") == closing:
            closing = label = ""
        elif closing and (written := _LABEL.match(line)):
            label, at = plain_title(written[1]), len(result)
        elif closing and not line.strip(" \t>") and _GROUP.match(result[-1]):
            continue
        elif label and (mark := _CODE.match(line)):
            fence = code.fences[int(mark[1])]
            info = f"{fence.info} [{label.translate(_BRACKETS)}]".strip()
            code.fences[int(mark[1])] = fence._replace(info=info)
            label = ""
            result[at:] = dropwhile(lambda below: not below.strip(" \t>"), result[at + 1 :])
        result.append(line)
    return "\n".join(result)


_BRACKETS = str.maketrans("[]`", "()'")


def video(title: str, target: str) -> str:
    """A video that our pages play after a click; any other address is a link."""
    words = link(title, target)
    return write_directive("video", words) if PLAYED.match(target) else words


def with_caption(picture: str, caption: str) -> str:
    """A picture with its caption, which is below it if it is more than words."""
    words, picture = plain_title(caption), picture.strip()
    is_plain = words == " ".join(caption.replace("*", "").split())
    if words and is_plain and _SIZED_PICTURE.fullmatch(picture):
        return f"<figure>\n{picture}\n<figcaption>{escape(words, quote=False)}</figcaption>\n</figure>"
    if words and is_plain and _PICTURE.fullmatch(picture):
        return f'{picture[:-1]} "{escape(words)}")'
    below = caption if "*" in caption or not caption else f"*{caption}*"
    return "\n\n".join(filter(None, (picture, below)))

"""The names that lines of code define: functions, settings, options, keys, members, routes."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from instep.writer.files import LONG_LINE
from instep.writer.patch import Hunk, Line

Kind = Literal[
    "flag", "function", "type", "call", "element", "key", "assignment", "route", "read", "parameter"
]

_MODIFIERS = (
    r"(?:(?:export|default|public|private|protected|static|async|abstract|final|pub|override|declare)\s+)*"
)
_PATTERNS: tuple[tuple[Kind, re.Pattern[str]], ...] = (
    ("flag", re.compile(r".*?[\"'`](--[a-z][\w-]+)")),
    ("function", re.compile(_MODIFIERS + r"(?:def|func|function|fn|fun)\s+(?:\([^)]*\)\s*)?(\w+)")),
    ("type", re.compile(_MODIFIERS + r"(?:class|interface|struct|enum|trait|type)\s+([A-Za-z]\w+)")),
    ("route", re.compile(r".*?\br?[\"'`]\^?(/[\w./{}:<>-]*\w[\w./{}:<>-]*)")),
    ("read", re.compile(r".*?\.(?:get|has|getlist|query|param)\(\s*[\"'](\w+)[\"']")),
    ("call", re.compile(r"(?:[\w.@]*\w\()?\s*\(?[\"']([\w.:-]+)[\"']\s*,\s*\S")),
    ("element", re.compile(r"\|?\s*[\"']([\w.:/-]+)[\"'],?$")),
    ("key", re.compile(r"(?:readonly\s+)?[\"']?([\w.-]+)[\"']?\??\s*:(?!:|=)\s*(.*)")),
    (
        "assignment",
        re.compile(_MODIFIERS + r"(?:const |let |var |val )?([A-Za-z_]\w*)\s*(?::[^=]+)?(?<!=)=(?!=)\s*(.*)"),
    ),
)
_NO_NAME = frozenset(
    [
        "self",
        "this",
        "cls",
        "if",
        "else",
        "elif",
        "for",
        "while",
        "return",
        "import",
        "from",
        "try",
        "except",
        "with",
        "case",
        "default",
        "true",
        "false",
        "none",
        "null",
        "name",
        "type",
        "value",
        "id",
        "key",
        "http",
        "https",
        "args",
        "kwargs",
        "todo",
        "note",
    ]
)
# A setting that is read from the environment goes by the name that it has there.
_VARIABLE = re.compile(r"env\w*(?:\.get)?[\[(]\s*[\"']([A-Z][A-Z0-9_]+)[\"']|process\.env\.([A-Z][A-Z0-9_]+)")
_COMMENT = re.compile(r"(?:#|//|/?\*|--\s|<!--|\"\"\"|''')")


@dataclass(frozen=True, slots=True)
class Declaration:
    """`value` is what stands behind the name on its line."""

    name: str
    kind: Kind
    indent: int
    value: str
    line: Line
    place: int


def declarations_of(hunk: Hunk, marks: str) -> Iterator[Declaration]:
    """What the lines of a hunk with one of the marks define, each line at most one name."""
    for place, line in enumerate(hunk.lines):
        if line.mark in marks and len(line.text) <= LONG_LINE:
            found = _declared(line, place)
            if found:
                yield found


def _declared(line: Line, place: int) -> Declaration | None:
    text = line.text.strip()
    if not text or _COMMENT.match(text):
        return None
    indent = len(line.text) - len(line.text.lstrip())
    for kind, pattern in _PATTERNS:
        found = pattern.match(text)
        if found and found[1].lower() not in _NO_NAME and len(found[1]) > 1:
            value = (found[2] if pattern.groups > 1 else text[found.end() :]).strip()
            variable = _VARIABLE.search(value) if kind == "assignment" else None
            return Declaration(
                (variable[1] or variable[2]) if variable else found[1], kind, indent, value, line, place
            )
    return None

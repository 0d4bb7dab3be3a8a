"""The names that lines of code define: functions, settings, options, keys, members, routes."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from instep.writer.diffs.files import LONG_LINE
from instep.writer.diffs.patch import Hunk, Line
from instep.writer.facts.syntax import Syntax, syntax_of

DeclarationKind = Literal[
    "flag", "function", "type", "call", "element", "key", "assignment", "route", "read", "parameter"
]

_MODIFIERS = (
    r"(?:(?:export|default|public|private|protected|static|async|abstract|final|pub|override|declare)\s+)*"
)
_PATTERNS: tuple[tuple[DeclarationKind, re.Pattern[str]], ...] = (
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
# The others say by their signs or their place what they are; where these stand tells the grammar.
_SPELLED: frozenset[DeclarationKind] = frozenset({"function", "type", "key", "assignment"})
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
    kind: DeclarationKind
    indent: int
    value: str
    line: Line
    place: int


def declarations_of(hunk: Hunk, mark: str, path: str) -> Iterator[Declaration]:
    """What the lines of one side of a hunk define, each line at most one name."""
    syntax = syntax_of(path, hunk, mark)
    for place, line in enumerate(hunk.lines):
        if line.mark in (" ", mark) and len(line.text) <= LONG_LINE:
            found = _matched(line, place)
            if syntax:
                found = _placed(found, syntax, line, place)
            if found:
                yield found


def _matched(line: Line, place: int) -> Declaration | None:
    """What a line says on its own, in whatever language."""
    text = line.text.strip()
    if not text or _COMMENT.match(text):
        return None
    for kind, pattern in _PATTERNS:
        found = pattern.match(text)
        if found and _is_name(found[1]):
            value = (found[2] if pattern.groups > 1 else text[found.end() :]).strip()
            name = _variable_in(value) if kind == "assignment" else None
            return Declaration(name or found[1], kind, _indent(line), value, line, place)
    return None


def _placed(found: Declaration | None, syntax: Syntax, line: Line, place: int) -> Declaration | None:
    """What the grammar makes of it: what is no definition or known to one function only is left out."""
    if place in syntax.texts:
        return None
    if found and found.kind not in _SPELLED:
        return found
    here = syntax.names.get(place, ())
    named = next((one for one in here if found and one.name == found.name), None) or next(iter(here), None)
    if named is None:
        return found if place in syntax.unread else None
    is_telling = found is not None or named.role != "assignment"
    if named.is_local or not is_telling or not _is_name(named.name):
        return None
    name = _variable_in(named.value) or named.name
    return Declaration(name, named.role, _indent(line), named.value, line, place)


def _is_name(name: str) -> bool:
    return len(name) > 1 and name.lower() not in _NO_NAME


def _variable_in(value: str) -> str | None:
    variable = _VARIABLE.search(value)
    return (variable[1] or variable[2]) if variable else None


def _indent(line: Line) -> int:
    return len(line.text) - len(line.text.lstrip())

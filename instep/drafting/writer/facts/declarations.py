"""The names that lines of code define: functions, settings, options, keys, members, routes."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from instep.drafting.writer.facts.written_names import is_passed_on
from instep.platform.text.file_kinds import LONG_LINE
from instep.platform.text.patch import Hunk, Line

DeclarationKind = Literal["flag", "function", "type", "call", "element", "key", "assignment", "route", "read"]

_MODIFIERS = (
    r"(?:(?:export|default|public|private|protected|static|async|abstract|final|pub|override|declare)\s+)*"
)
_PATTERNS: tuple[tuple[DeclarationKind, re.Pattern[str]], ...] = (
    ("flag", re.compile(r".*?[\"'`](--[a-z][\w-]+)")),
    ("function", re.compile(_MODIFIERS + r"(?:def|func|function|fn|fun)\s+(?:\([^)]*\)\s*)?(\w+)")),
    ("type", re.compile(_MODIFIERS + r"(?:class|interface|struct|enum|trait|type)\s+([A-Za-z]\w+)")),
    ("route", re.compile(r".*?\br?[\"'`]\^?(/[\w./{}:<>-]*\w[\w./{}:<>-]*)")),
    (
        "read",
        re.compile(r"(?:.*?\.(?:get|has|getlist|query|param)\(\s*|if (?=.\w+. in \w))[\"'](\w+)[\"']"),
    ),
    ("call", re.compile(r"(?:[\w.@]*\w\()?\s*\(?[\"']([\w.:-]+)[\"']\s*,\s*\S")),
    ("element", re.compile(r"\|?\s*[\"']([\w.:/-]+)[\"'],?$")),
    ("key", re.compile(r"(?:readonly\s+)?[\"']?([\w.-]+)[\"']?\??\s*:(?!:|=)")),
    (
        "assignment",
        re.compile(_MODIFIERS + r"(?:const |let |var |val )?([A-Za-z_]\w*)\s*(?::[^=]+)?(?<!=)=(?!=)"),
    ),
    # A field with its type: `private final Duration readTimeout`.
    (
        "key",
        re.compile(
            r"(?:(?:public|protected|private|internal|static|final|readonly|late|required)\s+)+"
            r"[A-Za-z][\w.]*(?:<[^<>]{0,60}>)?(?:\[\])?\??\s+([a-z_]\w+)\s*(?:=|;?$)"
        ),
    ),
)
_NOT_NAME_WORDS = """
    self this cls if else elif for while return import from try except with case default true false none
    null name type value id key http https args kwargs todo note
"""
_NOT_NAMES = frozenset(_NOT_NAME_WORDS.split())
# A setting that is read from the environment is known by the name of its variable.
_VARIABLE = re.compile(r"env\w*(?:\.get)?[\[(]\s*[\"']([A-Z][A-Z0-9_]+)[\"']|process\.env\.([A-Z][A-Z0-9_]+)")
_COMMENT = re.compile(r"(?:#|//|/?\*|--\s|<!--|\"\"\"|''')")


@dataclass(frozen=True, slots=True)
class Declaration:
    """A name that a line defines, and the line's indent."""

    name: str
    kind: DeclarationKind
    indent: int
    line: Line


def declarations_of(hunk: Hunk, mark: str) -> Iterator[Declaration]:
    """The names that one side of a hunk defines, at most one per line."""
    for line in hunk.lines:
        if line.mark in (" ", mark) and len(line.text) <= LONG_LINE and (row := _declaration_in(line)):
            yield row


def _declaration_in(line: Line) -> Declaration | None:
    """The name that a line defines, recognized from its text alone, in any language."""
    text = line.text.strip()
    if not text or _COMMENT.match(text):
        return None
    for kind, pattern in _PATTERNS:
        match = pattern.match(text)
        if match and _is_name(match[1]) and not (kind == "flag" and is_passed_on(text, match.start(1) - 1)):
            name = _variable_in(text[match.end() :]) if kind == "assignment" else None
            return Declaration(name or match[1], kind, len(line.text) - len(line.text.lstrip()), line)
    return None


def _is_name(name: str) -> bool:
    return len(name) > 1 and name.lower() not in _NOT_NAMES


def _variable_in(value: str) -> str | None:
    variable = _VARIABLE.search(value)
    return (variable[1] or variable[2]) if variable else None

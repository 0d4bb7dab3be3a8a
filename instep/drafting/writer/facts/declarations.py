"""The names that lines of code define: functions, settings, options, keys, members, routes."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from instep.drafting.writer.facts.syntax import Syntax, syntax_of
from instep.drafting.writer.facts.written_names import is_passed_on
from instep.platform.text.file_kinds import LONG_LINE
from instep.platform.text.patch import Hunk, Line

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
# The grammar decides about these kinds. The others are recognized by punctuation or position.
_GRAMMAR_KINDS: frozenset[DeclarationKind] = frozenset({"function", "type", "key", "assignment"})
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


def declarations_of(hunk: Hunk, mark: str, path: str) -> Iterator[Declaration]:
    """The names that one side of a hunk defines, at most one per line."""
    syntax = syntax_of(path, hunk, mark)
    for place, line in enumerate(hunk.lines):
        if line.mark in (" ", mark) and len(line.text) <= LONG_LINE:
            declaration = _matched_by_text(line)
            if syntax:
                declaration = _checked_by_grammar(declaration, syntax, line, place)
            if declaration:
                yield declaration


def _matched_by_text(line: Line) -> Declaration | None:
    """The name that a line defines, recognized from its text alone, in any language."""
    text = line.text.strip()
    if not text or _COMMENT.match(text):
        return None
    for kind, pattern in _PATTERNS:
        match = pattern.match(text)
        if match and _is_name(match[1]) and not (kind == "flag" and is_passed_on(text, match.start(1) - 1)):
            name = _variable_in(text[match.end() :]) if kind == "assignment" else None
            return Declaration(name or match[1], kind, _indent(line), line)
    return None


def _checked_by_grammar(
    declaration: Declaration | None, syntax: Syntax, line: Line, place: int
) -> Declaration | None:
    """The declaration according to the grammar; None if it is not one or is local to a function."""
    if place in syntax.texts:
        return None
    if declaration and declaration.kind not in _GRAMMAR_KINDS:
        return declaration
    names = syntax.names.get(place, ())
    matches = [node for node in names if declaration and node.name == declaration.name]
    name_node = next(iter([*matches, *names]), None)
    if name_node is None:
        return declaration if place in syntax.unread else None
    is_telling = declaration is not None or name_node.role != "assignment"
    if name_node.is_local or not is_telling or not _is_name(name_node.name):
        return None
    name = _variable_in(name_node.value) or name_node.name
    return Declaration(name, name_node.role, _indent(line), line)


def _is_name(name: str) -> bool:
    return len(name) > 1 and name.lower() not in _NOT_NAMES


def _variable_in(value: str) -> str | None:
    variable = _VARIABLE.search(value)
    return (variable[1] or variable[2]) if variable else None


def _indent(line: Line) -> int:
    return len(line.text) - len(line.text.lstrip())

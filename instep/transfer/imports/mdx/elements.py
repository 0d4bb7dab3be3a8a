"""Parses tags and expressions of a text with components into a tree; code must be hidden."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

# "mdx" has JSX tags and `{expressions}`, "vue" has `{{ expressions }}`, "html" has only tags.
Dialect = Literal["mdx", "vue", "html"]
VOID_TAGS = frozenset(
    ("area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "wbr")
)
_TOKEN = re.compile(r"\\[\\{<$]|<!--|<(/?)(?:([A-Za-z][\w.:-]*)(?=[\s/>])|(?=>))|\{|\$\$|\$(?=\S)")
_ATTRIBUTE = re.compile(
    r"\s*(?:(\{)\s*\.\.\.|([:@#]?[A-Za-z_][\w.:@-]*)(?:\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|(\{)|([^\s\"'{}<>=`]+)))?)"
)
_TAG_END = re.compile(r"\s*(/?)>")
_INLINE_MATH = re.compile(r"\$[^\s$](?:[^$\n]*[^\s$])?\$(?!\d)")
_BRACE = re.compile(r"\\.|[{}]|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'|/\*.*?\*/", re.DOTALL)
_MAX_EXPRESSION_CHARACTERS = 100_000
# A text with this many unclosed braces or tags does not contain components.
_MAX_UNCLOSED = 200
# The number of characters scanned for missing closing braces, in the whole text.
_MAX_UNCLOSED_CHARACTERS = 400_000
_MAX_DEPTH = 40
_MAX_INDENT = 40


@dataclass(frozen=True, slots=True)
class Expression:
    """JavaScript in braces, without the braces."""

    text: str


AttributeValue: TypeAlias = "str | Expression"


@dataclass(slots=True)
class Element:
    """A tag with its content; `source` is the opening tag, `is_closed` whether there is a closing one."""

    name: str
    attributes: dict[str, AttributeValue]
    source: str
    children: list["ElementNode"] = field(default_factory=list)
    is_closed: bool = False


ElementNode: TypeAlias = "str | Expression | Element"


def parse_elements(text: str, dialect: Dialect) -> list[ElementNode]:
    """The text as strings, expressions and elements, in order; comments are left out.

    An unclosed tag is an element without children; a closing tag without an opening one is left out. So are
    elements nested more than 40 deep, but not their text.
    """
    root = Element("", {}, "")
    open_elements = [root]
    for node in _Scanner(text, dialect).nodes():
        if isinstance(node, _ClosingTag):
            _close_element(open_elements, node.name)
        else:
            open_elements[-1].children.append(node)
            if isinstance(node, Element) and not node.is_closed and len(open_elements) < _MAX_DEPTH:
                open_elements.append(node)
    while len(open_elements) > 1:
        _splice_last(open_elements)
    return root.children


def _close_element(open_elements: list[Element], name: str) -> None:
    """Close the innermost open element with this name; it gets the children of unclosed elements in it."""
    if all(element.name != name for element in open_elements[1:]):
        return
    while open_elements[-1].name != name:
        _splice_last(open_elements)
    open_elements.pop().is_closed = True


def _splice_last(open_elements: list[Element]) -> None:
    element = open_elements.pop()
    open_elements[-1].children += element.children
    element.children = []


@dataclass(frozen=True, slots=True)
class _ClosingTag:
    name: str


class _Scanner:
    """A single pass over a text; failed searches are limited, so that the time stays linear."""

    def __init__(self, text: str, dialect: Dialect) -> None:
        self.text, self.dialect = text, dialect
        self.at = 0
        self.unclosed = 0
        self.characters_in_vain = 0

    def nodes(self) -> Iterator["ElementNode | _ClosingTag"]:
        """Yield the nodes of the text; text between tags is one node."""
        start = 0
        while token := _TOKEN.search(self.text, self.at):
            self.at = token.end()
            node = self._node(token)
            if node is None:
                continue
            if token.start() > start:
                yield self.text[start : token.start()]
            start = self.at
            if node != "":
                yield node
        if start < len(self.text):
            yield self.text[start:]

    def _node(self, token: re.Match[str]) -> "ElementNode | _ClosingTag | None":
        """The node that begins at a token; "" for a comment, None for text."""
        mark = token[0]
        if mark == "<!--":
            return self._skip_to("-->")
        if mark.startswith("<"):
            return self._tag(token)
        if mark == "{":
            return self._expression()
        if mark.startswith("$"):
            self._skip_math(mark, token.start())
        return None

    def _skip_to(self, end: str) -> str | None:
        position = self.text.find(end, self.at) if self.unclosed <= _MAX_UNCLOSED else -1
        if position < 0:
            self.unclosed += 1
            return None
        self.at = position + len(end)
        return ""

    def _skip_math(self, mark: str, start: int) -> None:
        """Skip a formula, in which braces are not expressions."""
        if mark == "$$":
            self._skip_to("$$")
        elif match := _INLINE_MATH.match(self.text, start):
            self.at = match.end()

    def _expression(self) -> "ElementNode | None":
        is_vue = self.dialect == "vue"
        if self.dialect == "html" or (is_vue and not self.text.startswith("{", self.at)):
            return None
        if self.text.startswith("#", self.at) or self._is_in_directive():
            return None
        end = self._closing_brace(self.at)
        if end is None:
            return None
        content = self.text[self.at : end].strip()
        self.at = end + 1
        content = content.removeprefix("{").removesuffix("}").strip() if is_vue else content
        is_comment = content.startswith("/*") and content.endswith("*/")
        return "" if is_comment or not content else Expression(content)

    def _is_in_directive(self) -> bool:
        """True if braces are the attributes of a container such as `:::note{title="…"}`; `{#…}` is an id."""
        start = self.text.rfind("\n", 0, self.at) + 1
        return self.text[start : start + _MAX_INDENT].lstrip().startswith(":::")

    def _closing_brace(self, start: int) -> int | None:
        depth, end = 1, min(len(self.text), start + _MAX_EXPRESSION_CHARACTERS)
        if self.unclosed > _MAX_UNCLOSED or self.characters_in_vain > _MAX_UNCLOSED_CHARACTERS:
            return None
        for match in _BRACE.finditer(self.text, start, end):
            depth += {"{": 1, "}": -1}.get(match[0], 0)
            if depth == 0:
                return match.start()
        self.unclosed += 1
        self.characters_in_vain += end - start
        return None

    def _tag(self, token: re.Match[str]) -> "ElementNode | _ClosingTag | None":
        start, name = token.start(), token[2] or ""
        if token[1]:
            end = _TAG_END.match(self.text, self.at)
            if end is None:
                return None
            self.at = end.end()
            return _ClosingTag(name)
        attributes = self._attributes()
        end = _TAG_END.match(self.text, self.at)
        if end is None or self.unclosed > _MAX_UNCLOSED:
            self.at = token.end()
            self.unclosed += 1
            return None
        self.at = end.end()
        element = Element(name, attributes, self.text[start : self.at])
        element.is_closed = end[1] == "/" or name in VOID_TAGS
        if name in ("script", "style"):
            self._skip_to(f"</{name}>")
            element.is_closed = True
        return element

    def _attributes(self) -> dict[str, AttributeValue]:
        attributes: dict[str, AttributeValue] = {}
        end = min(len(self.text), self.at + _MAX_EXPRESSION_CHARACTERS)
        while match := _ATTRIBUTE.match(self.text, self.at, end):
            if match[1] or match[5]:
                close = self._closing_brace(match.end())
                if close is None:
                    break
                attributes[match[2] or "..."] = Expression(self.text[match.end() : close].strip())
                self.at = close + 1
                continue
            self.at = match.end()
            attributes[match[2]] = next(
                (value for value in match.group(3, 4, 6) if value is not None), "true"
            )
        return attributes

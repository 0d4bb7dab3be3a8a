"""Parses the names that a hunk defines, with the grammar of its language."""

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module
from itertools import count
from typing import Literal

from tree_sitter import Language, Node, Parser

from instep.platform.text.file_kinds import LONG_LINE
from instep.platform.text.patch import Hunk

Role = Literal["function", "type", "key", "assignment", "parameter"]

_PYTHON, _JAVASCRIPT = ("tree_sitter_python", "language"), ("tree_sitter_javascript", "language")
_TYPESCRIPT = ("tree_sitter_typescript", "language_typescript")
_GRAMMARS: Mapping[str, tuple[str, str]] = {
    **dict.fromkeys(("py", "pyi"), _PYTHON),
    **dict.fromkeys(("js", "jsx", "mjs", "cjs"), _JAVASCRIPT),
    **dict.fromkeys(("ts", "mts", "cts"), _TYPESCRIPT),
    "tsx": ("tree_sitter_typescript", "language_tsx"),
    "go": ("tree_sitter_go", "language"),
    "java": ("tree_sitter_java", "language"),
    "rb": ("tree_sitter_ruby", "language"),
    "rs": ("tree_sitter_rust", "language"),
    "php": ("tree_sitter_php", "language_php_only"),
    "cs": ("tree_sitter_c_sharp", "language"),
}
# The node types that define a name, in all these grammars.
_NODES: Mapping[Role, str] = {
    "function": """
        function_definition function_declaration function_item function_signature
        function_signature_item generator_function_declaration method method_declaration method_definition
        method_elem method_signature singleton_method abstract_method_signature constructor_declaration
    """,
    "type": """
        class class_declaration class_definition abstract_class_declaration interface_declaration module
        enum_declaration enum_item record_declaration struct_declaration struct_item trait_declaration
        trait_item type_alias_declaration type_item type_spec
    """,
    "key": """
        array_element_initializer const_element enum_assignment enum_case enum_constant
        enum_member_declaration enum_variant field_declaration field_definition keyed_element
        labeled_statement pair
        property_declaration property_element property_signature public_field_definition
    """,
    "assignment": """
        assignment assignment_expression const_item const_spec jsx_attribute keyword_argument
        let_declaration short_var_declaration static_item var_spec variable_declarator
    """,
    "parameter": """
        default_parameter formal_parameter keyword_parameter optional_parameter parameter
        parameter_declaration required_parameter simple_parameter typed_default_parameter typed_parameter
    """,
}
_ROLES: Mapping[str, Role] = {node: role for role, nodes in _NODES.items() for node in nodes.split()}
_CLASSES = frozenset(("class_definition", "class_declaration", "class"))
_BODIES = frozenset(("block", "statement_block", "body_statement", "compound_statement", "constructor_body"))
_FUNCTIONS = frozenset(_NODES["function"].split()) | frozenset(
    ("arrow_function", "closure_expression", "do_block", "func_literal", "function_expression", "lambda")
)
# Arguments of one call or element define nothing for other code.
_ARGUMENTS = frozenset(("jsx_attribute", "keyword_argument"))
_TEXTS = frozenset(("block_comment", "comment", "raw_string_literal", "string", "template_string"))
_NAMES = ("name", "left", "key", "label", "pattern", "declarator")
_SIGNS = "\"'`:@$*.&?"
_NAME = re.compile(r"[\w$.:/@-]+")
_ASSIGNMENT = re.compile(r"[\"'?!\s]*(?::|=>?)?")
_BLANKS = re.compile(r"\s+")
_MAX_VALUE_CHARACTERS = 500
# Limits for a parse: code takes a hundredth of a step per byte, noise up to forty times that.
_MIN_STEPS, _STEPS_PER_BYTE = 500, 0.05
_MAX_BYTES = 60_000


@dataclass(frozen=True, slots=True)
class SyntaxName:
    """A name and the text after it; `is_local` if it is visible inside one function only."""

    name: str
    role: Role
    is_local: bool
    value: str


@dataclass(frozen=True, slots=True)
class Syntax:
    """By line index in the hunk: names, lines inside texts, and lines that no rule explains."""

    names: Mapping[int, Sequence[SyntaxName]]
    texts: frozenset[int]
    unread: frozenset[int]


def syntax_of(path: str, hunk: Hunk, mark: str) -> Syntax | None:
    """The syntax of one side of a hunk ("-" for the old one); None without a grammar for the file."""
    return _syntax_of(path.rsplit(".", 1)[-1], hunk, mark)


@lru_cache(maxsize=512)
def _syntax_of(ending: str, hunk: Hunk, mark: str) -> Syntax | None:
    parser = _parser(ending)
    if parser is None:
        return None
    places = [at for at, line in enumerate(hunk.lines) if line.mark in (" ", mark)]
    root = _parse(parser, _dedented([hunk.lines[at].text for at in places]))
    return _TreeReader(places).read(root) if root else None


@lru_cache(maxsize=64)
def _parser(ending: str) -> Parser | None:
    if ending not in _GRAMMARS:
        return None
    module, language = _GRAMMARS[ending]
    return Parser(Language(getattr(import_module(module), language)()))


def _dedented(lines: Sequence[str]) -> bytes:
    """The lines without their common indent, so that a hunk from anywhere parses like a file."""
    lines = [line if len(line) <= LONG_LINE else "" for line in lines]
    depth = min((len(line) - len(line.lstrip()) for line in lines if line.strip()), default=0)
    return "\n".join(line[depth:] for line in lines).encode("utf-8", "replace")


def _parse(parser: Parser, source: bytes) -> Node | None:
    """The root node; None for text that fits no grammar, which would take minutes to parse."""
    steps = count()

    def is_enough(_offset: int, _has_error: bool) -> bool:
        return next(steps) > _MIN_STEPS + len(source) * _STEPS_PER_BYTE

    if len(source) > _MAX_BYTES:
        return None
    try:
        return parser.parse(lambda at, _point: source[at:], progress_callback=is_enough).root_node
    except ValueError:
        parser.reset()
        return None


class _TreeReader:
    def __init__(self, places: Sequence[int]) -> None:
        self.places = places
        self.names: dict[int, list[SyntaxName]] = defaultdict(list)
        self.texts: set[int] = set()
        self.unread: set[int] = set()

    def read(self, root: Node) -> Syntax:
        stack = [(root, False)]
        while stack:
            node, is_local = stack.pop()
            self.visit(node, is_local)
            if node.type not in _TEXTS:
                is_function = node.type in _FUNCTIONS
                stack += [
                    (child, is_local or (is_function and child.type in _BODIES))
                    for child in reversed(node.children)
                ]
        return Syntax(self.names, frozenset(self.texts), frozenset(self.unread))

    def visit(self, node: Node, is_local: bool) -> None:
        first, last = node.start_point.row, node.end_point.row
        if node.type == "ERROR":
            self.unread.update(self.places[first : last + 1])
        elif node.type in _TEXTS:
            self.texts.update(self.places[first + 1 : last + 1])
        at = _name_of(node) if node.type in _ROLES and node.is_named else None
        name = _text(at).strip(_SIGNS) if at else ""
        if at is None or not _NAME.fullmatch(name):
            return
        self.names[self.places[at.start_point.row]].append(
            SyntaxName(name, _role_of(node), is_local or node.type in _ARGUMENTS, _text_after(node, at))
        )


def _name_of(node: Node) -> Node | None:
    first = next(iter(node.named_children), None)
    return _field(node, _NAMES) or (first if first and first.type.endswith("identifier") else None)


def _field(node: Node, names: Sequence[str]) -> Node | None:
    return next((child for name in names if (child := node.child_by_field_name(name))), None)


def _role_of(node: Node) -> Role:
    """The role of a node; an assignment in a class or with a type defines a field."""
    if node.type == "assignment":
        outer = node.parent
        while outer is not None and outer.type in {"expression_statement", "block", "body_statement"}:
            outer = outer.parent
        if node.child_by_field_name("type") or (outer is not None and outer.type in _CLASSES):
            return "key"
    return _ROLES[node.type]


def _text(node: Node) -> str:
    return (node.text or b"").decode("utf-8", "replace")


def _text_after(node: Node, name: Node) -> str:
    """The text after the name, without the body of a function or class."""
    body = node.child_by_field_name("body")
    end = body.start_byte if body else node.end_byte
    rest = (node.text or b"")[name.end_byte - node.start_byte : end - node.start_byte]
    text = _BLANKS.sub(" ", rest[: 4 * _MAX_VALUE_CHARACTERS].decode("utf-8", "replace"))[
        :_MAX_VALUE_CHARACTERS
    ]
    return _ASSIGNMENT.sub("", text, count=1).strip()

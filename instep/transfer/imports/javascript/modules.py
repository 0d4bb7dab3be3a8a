"""Evaluates modules of a configuration: their exports, with constants, imports and their own functions."""

import posixpath
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from itertools import chain, repeat
from types import NoneType

from tree_sitter import Language, Node, Parser

from instep.platform.core import limits
from instep.platform.text.characters import shorten
from instep.transfer.imports.javascript.js_values import (
    SHOWN_SOURCE_CHARACTERS,
    JsCall,
    JsUnknown,
    JsValue,
    js_text,
)
from instep.transfer.imports.tree.file_names import with_ending
from instep.transfer.imports.tree.json_values import load_json
from instep.transfer.imports.tree.schemas import SourceFiles, UnreadableSource, read_text

_EXTENSIONS = ("", ".js", ".ts", ".mjs", ".cjs", ".mts", ".jsx", ".tsx", ".json", "/index.js", "/index.ts")
SCRIPT = re.compile(r"\.[cm]?[jt]sx?$")
ASTRO = ".astro"
# The parts of a component of Astro: statements between lines `---`, its props among them, and its markup.
_ASTRO_PARTS = re.compile(r"\s*---[ \t]*\n(.*?)^---[ \t]*$(.*)\Z", re.DOTALL | re.MULTILINE)
_ASTRO_PROPS = re.compile(
    r"^(?:const|let)\s+(\{[^{}]*\}|\w++)[^=;\n]*+=\s*Astro\.props\b[^;\n]*;?", re.MULTILINE
)
_ASTRO_STYLE = re.compile(r"<style\b(?:(?!</?style\b).)*+</style>", re.DOTALL)
_MAX_DEPTH = 60
# The number of characters of a text that count as one value.
_CHARACTERS_PER_VALUE = 64
_WRAPPERS = {"parenthesized_expression", "as_expression", "satisfies_expression", "non_null_expression"}
_WRAPPERS |= {"await_expression", "sequence_expression"}
FUNCTIONS = {"arrow_function", "function_expression", "function_declaration"}
_ESCAPE = re.compile(r"\\(u\{([0-9a-fA-F]{1,6})\}|u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|\r?\n|.)", re.DOTALL)
_SIMPLE_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "v": "\v", "0": "\0"}
_DEFINITIONS = {"lexical_declaration", "variable_declaration", "function_declaration"}
_NAMES = {"identifier", "shorthand_property_identifier_pattern"}
_WORD = re.compile(r"[\w$]+")
# JavaScript compares values of these types by kind and value; `null` and `undefined` are one value here.
_KINDS = {str: "string", bool: "boolean", int: "number", float: "number", NoneType: "missing"}
_CONSTANTS: dict[str, JsValue] = {"true": True, "false": False, "null": None, "undefined": None}


@dataclass(frozen=True, slots=True)
class FunctionResult:
    """The expression that a function returns, and the values of the names in it."""

    node: Node
    names: dict[str, JsValue]

    @property
    def text(self) -> str:
        return source_text(self.node)


class Configuration:
    """The modules of one source.

    The total number of values is bounded, so repeated spreading can't explode. Beyond it, a configuration is
    refused, and the values of a page are unknown.
    """

    def __init__(self, files: SourceFiles, aliases: Mapping[str, str] | None = None) -> None:
        self.files = files
        self.paths = frozenset(files.paths())
        self.values_left = limits.MAX_IMPORT_SETTINGS_VALUES
        self.is_page = False
        # Folders by path prefix, such as "@site/"; a folder is empty for the root, or ends with "/".
        self.aliases = aliases or {}
        self._modules: dict[str, Module] = {}

    def exported(self, path: str, name: str = "default") -> JsValue:
        """The value that a module or JSON file exports under this name; for other files, their path."""
        if not SCRIPT.search(path):
            return f"/{path}" if not path.endswith(".json") else self._json(path)
        return self.module(path).exported(name)

    def module(self, path: str) -> "Module":
        if path not in self._modules:
            text = read_text(self.files, path)
            self._modules[path] = Module(self, path, _astro_program(text) if path.endswith(ASTRO) else text)
        return self._modules[path]

    def find(self, source: str, importer: str) -> str | None:
        """The path of an imported file; None if it is not in the source."""
        return self.find_ending(source, importer, _EXTENSIONS)

    def find_ending(self, source: str, importer: str, endings: Iterable[str]) -> str | None:
        """The path of a file that is named relatively or by an alias, perhaps without one of the endings."""
        alias = max((name for name in self.aliases if source.startswith(name)), key=len, default=None)
        if alias is not None:
            path = self.aliases[alias] + source.removeprefix(alias)
        elif source.startswith("."):
            path = posixpath.join(posixpath.dirname(importer), source)
        else:
            return None
        return with_ending(posixpath.normpath(path), endings, self.paths)

    @contextmanager
    def reading_page(self) -> Iterator[None]:
        """Evaluate values of one page, which has its own bound, inside this context."""
        values_left, self.values_left = self.values_left, limits.MAX_IMPORT_PAGE_VALUES
        self.is_page = True
        try:
            yield
        finally:
            self.values_left, self.is_page = values_left, False

    def affords_values(self, path: str, count: int) -> bool:
        self.values_left -= count
        if self.values_left < 0 and not self.is_page:
            raise UnreadableSource(
                f"{path} has more than {limits.MAX_IMPORT_SETTINGS_VALUES:,} values: "
                "shorten it and import again."
            )
        return self.values_left >= 0

    def _json(self, path: str) -> JsValue:
        try:
            value: JsValue = load_json(self.files.read(path))
        except (ValueError, RecursionError):
            return JsUnknown(posixpath.basename(path), path, 1)
        return value


class Module:
    """One file: its constants and functions by name, its imports and its exports."""

    def __init__(self, configuration: Configuration, path: str, text: str) -> None:
        self.configuration, self.path = configuration, path
        self.root = _parser(path.endswith((".ts", ".mts", ".cts"))).parse(text.encode()).root_node
        self.nodes: dict[str, Node] = {}
        self.imports: dict[str, tuple[str, str]] = {}
        # The arguments and constants of the function that is being evaluated.
        self.names: Mapping[str, JsValue] = {}
        # The props of a component of Astro, which all statements of its file use.
        self.props: Mapping[str, JsValue] = {}
        self.depth = 0
        for statement in self.root.named_children:
            self._take_statement(statement)

    @contextmanager
    def named(
        self, names: Mapping[str, JsValue], props: Mapping[str, JsValue] | None = None
    ) -> Iterator[None]:
        """Inside this context, these names have these values, with priority over those of the file."""
        outer = self.names, self.props
        self.names, self.props = names, self.props if props is None else props
        try:
            yield
        finally:
            self.names, self.props = outer

    def exported(self, name: str) -> JsValue:
        key = "export default" if name == "default" else name
        return self._defined(key) if key in self.nodes else self._unknown(self.root, name)

    def _defined(self, name: str) -> JsValue:
        """The value of a constant of the file, which does not see the names of the current function."""
        with self.named(self.props):
            return self.value(self.nodes[name])

    def value(self, node: Node) -> JsValue:
        """The value of an expression; `JsUnknown` if it can't be determined from the text."""
        if not self._affords(1) or self.depth >= _MAX_DEPTH:
            return self._unknown(node)
        self.depth += 1
        try:
            value = self._value(node)
        finally:
            self.depth -= 1
        length = len(value) if isinstance(value, str) else 0
        return value if self._affords(length // _CHARACTERS_PER_VALUE) else self._unknown(node)

    def _affords(self, values: int) -> bool:
        return self.configuration.affords_values(self.path, values)

    def _take_statement(self, node: Node) -> None:
        if node.type == "import_statement":
            self._take_import(node)
        elif node.type == "export_statement":
            self._take_export(node)
        elif node.type in ("lexical_declaration", "variable_declaration"):
            self._take_constants(node)
        elif node.type == "function_declaration" and (name := node.child_by_field_name("name")):
            self.nodes[source_text(name)] = node
        elif node.type == "expression_statement" and (assignment := first_child(node)):
            left, right = assignment.child_by_field_name("left"), assignment.child_by_field_name("right")
            if left and right and source_text(left) in ("module.exports", "exports.default"):
                self.nodes["export default"] = right

    def _take_export(self, node: Node) -> None:
        declaration, value = node.child_by_field_name("declaration"), node.child_by_field_name("value")
        if declaration:
            self._take_statement(declaration)
            if any(child.type == "default" for child in node.children):
                self.nodes["export default"] = declaration
        elif value:
            self.nodes["export default"] = value

    def _take_constants(self, node: Node) -> None:
        for declarator in node.named_children:
            name, value = declarator.child_by_field_name("name"), declarator.child_by_field_name("value")
            if name and value and name.type == "identifier":
                self.nodes[source_text(name)] = value

    def _take_import(self, node: Node) -> None:
        source_node = node.child_by_field_name("source")
        source = _string(source_node) if source_node else ""
        for name in _descendants(node, {"import_specifier", "identifier", "namespace_import"}):
            if name.type == "import_specifier":
                imported, alias = name.child_by_field_name("name"), name.child_by_field_name("alias")
                if imported:
                    self.imports[source_text(alias or imported)] = (source, source_text(imported))
            elif name.type == "identifier" and name.parent and name.parent.type == "import_clause":
                self.imports[source_text(name)] = (source, "default")

    def _value(self, node: Node) -> JsValue:
        if node.type in _WRAPPERS:
            inner = first_child(node)
            return self.value(inner) if inner else self._unknown(node)
        method = getattr(self, f"_{node.type}", None)
        if method:
            value: JsValue = method(node)
            return value
        return _CONSTANTS[node.type] if node.type in _CONSTANTS else self._unknown(node)

    def _string(self, node: Node) -> JsValue:
        return _string(node)

    def _template_string(self, node: Node) -> JsValue:
        text = ""
        for child in node.named_children:
            if child.type == "template_substitution":
                inner = first_child(child)
                value = self.value(inner) if inner else ""
                if isinstance(value, bool) or not isinstance(value, (str, int, float)):
                    return self._unknown(node)
                text += str(value)
            else:
                text += _unescape(source_text(child))
        return text

    def _number(self, node: Node) -> JsValue:
        try:
            number = float(source_text(node).replace("_", ""))
        except ValueError:
            return self._unknown(node)
        return int(number) if number.is_integer() else number

    def _unary_expression(self, node: Node) -> JsValue:
        value = self._part(node, "argument")
        if source_text(node).startswith("-") and isinstance(value, (int, float)):
            return -value
        is_negation = source_text(node).startswith("!") and isinstance(value, bool)
        return not value if is_negation else self._unknown(node)

    def _binary_expression(self, node: Node) -> JsValue:
        """The value of two sides.

        `||` and `??` have their first known side, `&&` the side that it leads to; `===` compares; `+` joins
        strings.
        """
        name = field_text(node, "operator")
        if name == "&&":
            return self._ternary_expression(node)
        left, right = self._part(node, "left"), self._part(node, "right")
        if name in ("||", "??"):
            return right if isinstance(left, JsUnknown) or not left else left
        kinds = {_KINDS.get(type(left)), _KINDS.get(type(right))}
        is_alike = len(kinds) == 1 or "missing" in kinds
        is_comparable = name in ("===", "!==") or (name in ("==", "!=") and is_alike)
        if is_comparable and None not in kinds and kinds != {"missing"}:
            return (left == right and len(kinds) == 1) is (name[0] == "=")
        if name == "+" and isinstance(left, str) and isinstance(right, str):
            return left + right
        return self._unknown(node)

    def _ternary_expression(self, node: Node) -> JsValue:
        branch = self.branch(node)
        return self.value(branch) if isinstance(branch, Node) else branch

    def branch(self, node: Node) -> "Node | JsValue":
        """The part to which `condition ? a : b` or `condition && a` leads.

        A value if that is the condition itself, which is evaluated once, or if it is unknown.
        """
        is_ternary = node.type == "ternary_expression"
        condition = node.child_by_field_name("condition" if is_ternary else "left")
        is_choice = is_ternary or field_text(node, "operator") == "&&"
        value = self.value(condition) if condition is not None and is_choice else self._unknown(node)
        if isinstance(value, JsUnknown | JsCall):
            return self._unknown(node)
        if value or isinstance(value, (list, dict)):
            return node.child_by_field_name("consequence" if is_ternary else "right")
        return node.child_by_field_name("alternative") if is_ternary else value

    def _part(self, node: Node, name: str) -> JsValue:
        part = node.child_by_field_name(name)
        return self.value(part) if part else None

    def _spread(self, node: Node) -> JsValue:
        inner = first_child(node)
        value = self.value(inner) if inner else None
        return value if isinstance(value, list | dict) and self._affords(len(value)) else None

    def _array(self, node: Node) -> JsValue:
        items: list[JsValue] = []
        for child in _parts(node):
            if child.type != "spread_element":
                items.append(self.value(child))
                continue
            spread = self._spread(child)
            items += spread if isinstance(spread, list) else [self._unknown(child)]
        return items

    def _object(self, node: Node) -> JsValue:
        fields: dict[str, JsValue] = {}
        for child in node.named_children:
            if child.type == "pair":
                key, value = child.child_by_field_name("key"), child.child_by_field_name("value")
                if key and value:
                    fields[self._key(key)] = self.value(value)
            elif child.type == "shorthand_property_identifier":
                fields[source_text(child)] = self._identifier(child)
            elif child.type == "spread_element":
                spread = self._spread(child)
                fields |= spread if isinstance(spread, dict) else {"...": self._unknown(child)}
        return fields

    def _key(self, node: Node) -> str:
        if node.type == "string":
            return _string(node)
        inner = first_child(node)
        if node.type == "computed_property_name" and inner:
            value = self.value(inner)
            return value if isinstance(value, str) else source_text(inner)
        return source_text(node)

    def _identifier(self, node: Node) -> JsValue:
        name = source_text(node)
        if name == "undefined" or name in self.names:
            return self.names.get(name)
        if name in self.nodes:
            return self._defined(name)
        if name in self.imports:
            source, imported = self.imports[name]
            path = self.configuration.find(source, self.path)
            if path:
                return self.configuration.exported(path, imported)
        return self._unknown(node)

    def _member_expression(self, node: Node) -> JsValue:
        value, name = self._part(node, "object"), field_text(node, "property")
        if isinstance(value, str) and name in ("default", "src"):
            # `require("./a.png").default` and `image.src` evaluate to the file.
            return value
        if isinstance(value, (str, list)) and name == "length":
            return len(value)
        return self._field(value, name, node)

    def _field(self, value: JsValue, name: str, node: Node) -> JsValue:
        """A field of an object; unknown if the object or a part of it that may have the field is unknown."""
        if isinstance(value, dict) and (name in value or "..." not in value):
            return value.get(name)
        return self._unknown(node)

    def _subscript_expression(self, node: Node) -> JsValue:
        value, key = self._part(node, "object"), self._part(node, "index")
        if isinstance(value, list) and isinstance(key, int):
            return value[key] if 0 <= key < len(value) else None
        return self._field(value, key, node) if isinstance(key, str) else self._unknown(node)

    def _call_expression(self, node: Node) -> JsValue:
        arguments, name = _arguments(node), field_text(node, "function")
        values = tuple(self.value(child) for child in arguments)
        if name in ("require", "require.resolve") and values and isinstance(values[0], str):
            path = self.configuration.find(values[0], self.path)
            is_script = name == "require" and path is not None and SCRIPT.search(path)
            return self.configuration.exported(path) if is_script and path else values[0]
        declared = self.nodes.get(name) if name not in self.names else None
        if declared is not None and declared.type in FUNCTIONS:
            return self._value_of(node, self.result_of(declared, values, self.props))
        if (value := self._method_result(node, values)) is not None:
            return value
        return JsCall(name, values, source_text(node), self.path, _line(node))

    def _method_result(self, call: Node, values: Sequence[JsValue]) -> JsValue:
        """The value of `list.map(…)`, `list.reduce(…)`, `list.join(…)` or `text.trim()`; None for others."""
        target, name = self.method(call)
        if isinstance(target, str):
            return target.strip() if name == "trim" else None
        if not isinstance(target, list) or not values:
            return None
        if name == "join":
            return self._joined(target, js_text(values[0]))
        results = self.results_of_map(target, name, call)
        if results is not None:
            return [self._value_of(call, result) for result in results]
        callback = _arguments(call)[0]
        if name != "reduce" or len(values) == 1 or callback.type not in FUNCTIONS:
            return None
        total = values[1]
        for number, item in enumerate(target):
            total = self._value_of(call, self.result_of(callback, (total, item, number), self.names))
        return total

    def method(self, call: Node) -> tuple[JsValue, str]:
        """The object and the name of a method that is called; None and no name for another node."""
        function = call.child_by_field_name("function")
        if function is None or function.type != "member_expression":
            return None, ""
        return self._part(function, "object"), field_text(function, "property")

    def _joined(self, target: list[JsValue], separator: str) -> JsValue:
        texts = [item for item in target if isinstance(item, str)]
        length = sum(len(text) + len(separator) + 1 for text in texts)
        is_known = texts == target and self._affords(length // _CHARACTERS_PER_VALUE)
        return separator.join(texts) if is_known else None

    def results_of_map(self, target: JsValue, name: str, call: Node) -> list[FunctionResult | None] | None:
        """The results of the callback in a call of `map` of a list; None for another call."""
        callback = next(iter(_arguments(call)), call)
        if name != "map" or not isinstance(target, list) or callback.type not in FUNCTIONS:
            return None
        return [self.result_of(callback, (each, at, target), self.names) for at, each in enumerate(target)]

    def result_of(
        self, function: Node, arguments: Iterable[JsValue], outer: Mapping[str, JsValue]
    ) -> FunctionResult | None:
        """The result of a function that only defines names, logs and returns; None for any other."""
        if not self._affords(1 + len(outer)):
            return None
        body = function.child_by_field_name("body") or function
        *statements, last = (_parts(body) if body.type == "statement_block" else []) or [body]
        node = first_child(last) if last.type == "return_statement" else last
        definitions = [statement for statement in statements if not _changes_nothing(statement)]
        if node is None or any(definition.type not in _DEFINITIONS for definition in definitions):
            return None
        names = dict(outer)
        for parameter, argument in zip(_parameters(function), chain(arguments, repeat(None)), strict=False):
            self._define(names, parameter, argument)
        for definition in definitions:
            is_function = definition.type == "function_declaration"
            for declarator in [definition] if is_function else _parts(definition):
                self._define(names, declarator, self._unknown(definition) if is_function else None)
        return FunctionResult(node, names)

    def _define(self, names: dict[str, JsValue], node: Node, value: JsValue, depth: int = 0) -> None:
        """Add the names in a parameter or constant, such as `{ title, icon: picture = "none" }`."""
        if not depth and not self._affords(node.descendant_count):
            return
        default = node.child_by_field_name("value") or node.child_by_field_name("right")
        if value is None and default is not None:
            with self.named(names):
                value = self.value(default)
        inner = next(filter(None, map(node.child_by_field_name, ("pattern", "name", "left"))), None)
        if node.type in _NAMES:
            names[source_text(node)] = value
        elif inner is not None and depth < _MAX_DEPTH:
            self._define(names, inner, value, depth + 1)
        elif node.type == "object_pattern" and depth < _MAX_DEPTH:
            for part in _parts(node):
                key = part.child_by_field_name("key") or part.child_by_field_name("left") or part
                each = self._field(value, self._key(key), part)
                self._define(names, part.child_by_field_name("value") or part, each, depth + 1)
        else:
            names.update(dict.fromkeys(_WORD.findall(source_text(node)), self._unknown(node)))

    def _value_of(self, call: Node, result: FunctionResult | None) -> JsValue:
        if result is None:
            return self._unknown(call)
        with self.named(result.names):
            return self.value(result.node)

    def _jsx_element(self, node: Node) -> JsValue:
        """The text between the tags, for a title such as `<Separator>Guides</Separator>`."""
        words: list[str] = []
        for child in node.named_children:
            if child.type == "jsx_text":
                words.append(source_text(child))
            elif child.type in ("jsx_element", "jsx_fragment", "jsx_expression"):
                inner = first_child(child) if child.type == "jsx_expression" else child
                value = self.value(inner) if inner else ""
                words.append(value if isinstance(value, str) else "")
        return " ".join(" ".join(words).split())

    def _jsx_self_closing_element(self, node: Node) -> JsValue:
        return ""

    def _unknown(self, node: Node, name: str = "") -> JsUnknown:
        text = name or " ".join(source_text(node).split())
        return JsUnknown(shorten(text, SHOWN_SOURCE_CHARACTERS), self.path, _line(node))


def expression_value(module: Module, text: str) -> JsValue:
    """The value of an expression in a page, such as an attribute of a component."""
    node = expression_node(text)
    if node is None:
        return JsUnknown(shorten(" ".join(text.split()), SHOWN_SOURCE_CHARACTERS), module.path, 1)
    return module.value(node)


def expression_node(text: str) -> Node | None:
    """The syntax node of a text that is one expression; None for any other text."""
    root = _parser(False).parse(f"({text}\n)".encode()).root_node
    statement = first_child(root)
    wrapped = first_child(statement) if statement else None
    if root.has_error or wrapped is None or root.named_child_count != 1:
        return None
    return first_child(wrapped) or wrapped


def is_complete_module(text: str) -> bool:
    """True if a text is a list of complete statements."""
    return not _parser(False).parse(text.encode()).root_node.has_error


def _astro_program(text: str) -> str:
    """A component of Astro as a program, which exports a function of the props that returns the markup."""
    parts = _ASTRO_PARTS.match(text)
    statements, markup = parts.groups() if parts else ("", text)
    props = _ASTRO_PROPS.search(statements)
    markup = _ASTRO_STYLE.sub("", markup).replace("<slot />", "{children}")
    return (
        f"{_ASTRO_PROPS.sub('', statements)}\n"
        f"export default ({props[1] if props else 'props'}) => (<>{markup.strip()}</>);\n"
    )


@cache
def _parser(is_plain_typescript: bool) -> Parser:
    """TypeScript's casts `<T>value` are tags in JSX, so there are two grammars; both accept JavaScript."""
    grammar = import_module("tree_sitter_typescript")
    language = grammar.language_typescript() if is_plain_typescript else grammar.language_tsx()
    return Parser(Language(language))


def _descendants(node: Node, types: set[str]) -> Iterator[Node]:
    for child in node.named_children:
        if child.type in types:
            yield child
        if child.type != "import_specifier":
            yield from _descendants(child, types)


def _changes_nothing(statement: Node) -> bool:
    """True for an empty statement, a directive such as 'use strict', and a line for the log."""
    inner = first_child(statement) if statement.type == "expression_statement" else None
    is_log = inner is not None and field_text(inner, "function").startswith("console.")
    return statement.type == "empty_statement" or is_log or (inner is not None and inner.type == "string")


def _arguments(call: Node) -> list[Node]:
    return _parts(call.child_by_field_name("arguments"))


def _parameters(function: Node) -> list[Node]:
    alone = function.child_by_field_name("parameter")
    return [alone] if alone is not None else _parts(function.child_by_field_name("parameters"))


def _parts(node: Node | None) -> list[Node]:
    return [child for child in node.named_children if child.type != "comment"] if node is not None else []


def first_child(node: Node) -> Node | None:
    return next(iter(_parts(node)), None)


def field_text(node: Node, name: str) -> str:
    """The source text of a field of a node; empty if the field is missing."""
    part = node.child_by_field_name(name)
    return source_text(part) if part else ""


def source_text(node: Node) -> str:
    return (node.text or b"").decode("utf-8", errors="replace")


def _line(node: Node) -> int:
    return node.start_point.row + 1


def _string(node: Node) -> str:
    return _unescape(source_text(node)[1:-1])


def _unescape(text: str) -> str:
    if "\\" not in text:
        return text
    # JavaScript strings are UTF-16: a character may be written as two escapes, a surrogate pair.
    return _ESCAPE.sub(_unescaped, text).encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _unescaped(match: re.Match[str]) -> str:
    code = match[2] or match[3] or match[4]
    if code:
        number = int(code, 16)
        return chr(number) if number <= 0x10FFFF else "\ufffd"
    return "" if match[1].endswith("\n") else _SIMPLE_ESCAPES.get(match[1], match[1])

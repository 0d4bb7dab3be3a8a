"""Evaluates modules of a configuration: their exports, with constants, imports and their own functions."""

import posixpath
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from importlib import import_module

from tree_sitter import Language, Node, Parser

from instep.platform.core import limits
from instep.platform.text.characters import shorten
from instep.transfer.imports.javascript.js_values import (
    SHOWN_SOURCE_CHARACTERS,
    JsCall,
    JsUnknown,
    JsValue,
    js_object,
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
    r"^(?:const|let)\s+(\{[^{}]*\}|\w+)[^=;\n]*=\s*Astro\.props\b[^;\n]*;?", re.MULTILINE
)
_ASTRO_STYLE = re.compile(r"<style\b(?:(?!</style>).)*</style>", re.DOTALL)
_MAX_DEPTH = 60
_WRAPPERS = {"parenthesized_expression", "as_expression", "satisfies_expression", "non_null_expression"}
_WRAPPERS |= {"await_expression", "sequence_expression"}
FUNCTIONS = {"arrow_function", "function_expression", "function_declaration"}
_ESCAPE = re.compile(r"\\(u\{([0-9a-fA-F]{1,6})\}|u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|\r?\n|.)", re.DOTALL)
_SIMPLE_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "v": "\v", "0": "\0"}
_CONSTANTS: dict[str, JsValue] = {"true": True, "false": False, "null": None, "undefined": None}


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

    def affords_value(self, path: str) -> bool:
        self.values_left -= 1
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
        self.depth = 0
        for statement in self.root.named_children:
            self._take_statement(statement)

    @contextmanager
    def named(self, names: Mapping[str, JsValue]) -> Iterator[None]:
        """Inside this context, these names have these values, with priority over those of the file."""
        outer, self.names = self.names, names
        try:
            yield
        finally:
            self.names = outer

    def exported(self, name: str) -> JsValue:
        key = "export default" if name == "default" else name
        return self.value(self.nodes[key]) if key in self.nodes else self._unknown(self.root, name)

    def value(self, node: Node) -> JsValue:
        """The value of an expression; `JsUnknown` if it can't be determined from the text."""
        if not self.configuration.affords_value(self.path) or self.depth >= _MAX_DEPTH:
            return self._unknown(node)
        self.depth += 1
        try:
            return self._value(node)
        finally:
            self.depth -= 1

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
        """`setting || "default"` has the value of its first known side; `+` joins strings."""
        name = field_text(node, "operator")
        if name == "&&":
            return self._ternary_expression(node)
        left, right = self._part(node, "left"), self._part(node, "right")
        if name in ("||", "??"):
            return right if isinstance(left, JsUnknown) or not left else left
        is_known = not isinstance(left, JsUnknown | JsCall) and not isinstance(right, JsUnknown | JsCall)
        if is_known and name in ("===", "!==", "==", "!="):
            return (left == right) is (name[0] == "=")
        if name == "+" and isinstance(left, str) and isinstance(right, str):
            return left + right
        return self._unknown(node)

    def _ternary_expression(self, node: Node) -> JsValue:
        branch = self.branch(node)
        return self.value(branch) if branch is not None else self._unknown(node)

    def branch(self, node: Node) -> Node | None:
        """The part of `condition ? a : b` or `condition && a` that has its value; None if that is unknown."""
        if field_text(node, "operator") not in ("", "&&"):
            return None
        names = ("consequence", "alternative") if node.type == "ternary_expression" else ("right", "left")
        condition = node.child_by_field_name("condition") or node.child_by_field_name("left")
        value = self.value(condition) if condition is not None else None
        if isinstance(value, JsUnknown | JsCall):
            return None
        return node.child_by_field_name(names[0] if value or isinstance(value, (list, dict)) else names[1])

    def _part(self, node: Node, name: str) -> JsValue:
        part = node.child_by_field_name(name)
        return self.value(part) if part else None

    def _inner(self, node: Node) -> JsValue:
        inner = first_child(node)
        return self.value(inner) if inner else None

    def _array(self, node: Node) -> JsValue:
        items: list[JsValue] = []
        for child in node.named_children:
            if child.type == "comment":
                continue
            if child.type != "spread_element":
                items.append(self.value(child))
                continue
            spread = self._inner(child)
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
                spread = self._inner(child)
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
            return self.value(self.nodes[name])
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
        return value.get(name) if isinstance(value, dict) and name else self._unknown(node)

    def _subscript_expression(self, node: Node) -> JsValue:
        value, key = self._part(node, "object"), self._part(node, "index")
        if isinstance(value, list) and isinstance(key, int):
            return value[key] if 0 <= key < len(value) else None
        return value.get(key) if isinstance(value, dict) and isinstance(key, str) else self._unknown(node)

    def _call_expression(self, node: Node) -> JsValue:
        arguments, name = node.child_by_field_name("arguments"), field_text(node, "function")
        values = tuple(self.value(child) for child in arguments.named_children) if arguments else ()
        if name in ("require", "require.resolve") and values and isinstance(values[0], str):
            path = self.configuration.find(values[0], self.path)
            is_script = name == "require" and path is not None and SCRIPT.search(path)
            return self.configuration.exported(path) if is_script and path else values[0]
        declared = self.nodes.get(name)
        if declared is not None and declared.type in FUNCTIONS:
            return self._result(declared)
        if (value := self._method_result(node)) is not None:
            return value
        return JsCall(name, values, source_text(node), self.path, _line(node))

    def _method_result(self, call: Node) -> JsValue:
        """The value of `list.map(…)`, `list.reduce(…)`, `list.join(…)` or `text.trim()`; None for others."""
        function, arguments = (call.child_by_field_name(part) for part in ("function", "arguments"))
        if function is None or function.type != "member_expression" or arguments is None:
            return None
        target, name = self._part(function, "object"), field_text(function, "property")
        if isinstance(target, list) and arguments.named_children:
            return self._list_result(target, name, arguments.named_children)
        return target.strip() if isinstance(target, str) and name == "trim" else None

    def _list_result(self, target: list[JsValue], name: str, arguments: list[Node]) -> JsValue:
        if name == "join":
            texts = [item for item in target if isinstance(item, str)]
            return js_text(self.value(arguments[0])).join(texts) if texts == target else None
        if arguments[0].type not in FUNCTIONS:
            return None
        if name == "map":
            return [self._result(arguments[0], item, number) for number, item in enumerate(target)]
        if name != "reduce" or len(arguments) == 1:
            return None
        total = self.value(arguments[1])
        for item in target:
            total = self._result(arguments[0], total, item)
        return total

    def arguments_by_name(self, function: Node, arguments: Sequence[JsValue]) -> dict[str, JsValue]:
        alone, listed = (function.child_by_field_name(part) for part in ("parameter", "parameters"))
        parameters = [alone] if alone is not None else listed.named_children if listed is not None else []
        names: dict[str, JsValue] = {}
        for parameter, argument in zip(parameters, arguments, strict=False):
            pattern = parameter.child_by_field_name("pattern") or parameter
            parts = pattern.named_children if pattern.type == "object_pattern" else []
            if not parts:
                names[source_text(pattern)] = argument
            for part in parts:
                name, default = (part.child_by_field_name(side) for side in ("left", "right"))
                value = js_object(argument).get(source_text(name or part))
                value = self.value(default) if value is None and default is not None else value
                names[source_text(name or part)] = value
        return names

    def _result(self, function: Node, *arguments: JsValue) -> JsValue:
        with self.named({**self.names, **self.arguments_by_name(function, arguments)}):
            return self._returned_value(function)

    def _returned_value(self, function: Node) -> JsValue:
        """The return value of a function in the file that does nothing else."""
        body = function.child_by_field_name("body")
        if body is None or body.type != "statement_block":
            return self.value(body) if body else self._unknown(function)
        for statement in body.named_children:
            if statement.type == "return_statement" and (inner := first_child(statement)):
                return self.value(inner)
        return self._unknown(function)

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


def first_child(node: Node) -> Node | None:
    return next((child for child in node.named_children if child.type != "comment"), None)


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

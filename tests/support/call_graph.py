"""A static call graph of the package, for tests of work on the event loop."""

import ast
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field

from tests.support.source_code import Module, product_modules

# These run the functions passed to them in another process, in a thread, or never.
ELSEWHERE = {
    "run_bounded",
    "run_with_timeout",
    "_time_limited",
    "to_thread",
    "run_sync",
    "off_loop",
    "partial",
    # These pass the function to `_time_limited`.
    "_ask",
    "_ask_for_edits",
}
# Method names that library objects also have.
OF_LIBRARIES = {"parse"}
DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


@dataclass
class Function:
    """A function or method, and the full names of the functions that it calls or passes on as callbacks.

    A method call on an unknown type is recorded as `.method`.
    """

    name: str
    module: Module
    node: ast.FunctionDef | ast.AsyncFunctionDef
    owner: str = ""
    calls: set[str] = field(default_factory=set)

    @property
    def is_async(self) -> bool:
        return isinstance(self.node, ast.AsyncFunctionDef)

    @property
    def is_property(self) -> bool:
        return any(isinstance(name, ast.Name) and "property" in name.id for name in self.node.decorator_list)


class CallGraph:
    """All functions by full name, such as `instep.platform.text.diff.merge`; methods follow their class."""

    def __init__(self, modules: Collection[Module] = ()) -> None:
        self.functions: dict[str, Function] = {}
        self.methods: dict[str, list[Function]] = {}
        for module in modules or product_modules():
            self.add_functions(module)
            names = names_of(module)
            for function in self.add_functions(module):
                function.calls = set(called(function, names))

    def add_functions(self, module: Module) -> Iterator[Function]:
        for node in module.tree.body:
            if isinstance(node, DEFINITIONS):
                name = f"{module.name}.{node.name}"
                self.functions[name] = Function(name, module, node)
                yield self.functions[name]
            for method in node.body if isinstance(node, ast.ClassDef) else ():
                if isinstance(method, DEFINITIONS):
                    owner = f"{module.name}.{node.name}" if isinstance(node, ast.ClassDef) else ""
                    function = Function(f"{owner}.{method.name}", module, method, owner)
                    self.functions[function.name] = function
                    self.methods.setdefault(method.name, []).append(function)
                    yield function

    def targets(self, call: str) -> list[str]:
        """The functions that a call may refer to; an unknown type's method resolves if its name is unique."""
        kind, _, name = call.rpartition(".")
        if kind not in ("()", "@"):
            return [call]
        methods = self.methods.get(name, []) if name not in OF_LIBRARIES else []
        is_one = len(methods) == 1 and methods[0].is_property == (kind == "@")
        return [methods[0].name] if is_one else [f".{name}"]

    def reaching(self, primitives: Collection[str], bounded: Collection[str] = ()) -> dict[str, str]:
        """The synchronous functions that reach a primitive, except `bounded` ones, and their next steps."""
        callers: dict[str, list[str]] = {}
        for name, function in self.functions.items():
            if not function.is_async and name not in bounded:
                for target in {target for call in function.calls for target in self.targets(call)}:
                    callers.setdefault(target, []).append(name)
        found: dict[str, str] = {}
        steps = [target for target in callers if is_primitive(target, primitives)]
        while steps:
            step = steps.pop()
            new = [name for name in callers.get(step, ()) if name not in found]
            found.update(dict.fromkeys(new, step))
            steps += new
        return found


def is_primitive(call: str, primitives: Collection[str]) -> bool:
    """True if the call is to a primitive, or to a member of a library or class that is one."""
    return call in primitives or any(f"{call[:end]}" in primitives for end in dots(call))


def dots(name: str) -> Iterator[int]:
    return (at for at, sign in enumerate(name) if sign == "." and at)


def called(function: Function, names: Mapping[str, str]) -> Iterator[str]:
    types = {
        argument.arg: names[argument.annotation.id]
        for argument in (*function.node.args.args, *function.node.args.kwonlyargs)
        if isinstance(argument.annotation, ast.Name) and argument.annotation.id in names
    }
    types |= {"self": function.owner, "cls": function.owner} if function.owner else {}
    for node, is_read in references(function.node):
        match node:
            case ast.Name(id=name) if name in names:
                yield names[name]
            case ast.Attribute(value=ast.Name(id=name), attr=attr) if name in types or name in names:
                yield f"{types.get(name) or names[name]}.{attr}"
            case ast.Attribute(attr=attr):
                yield f"@.{attr}" if is_read else f"().{attr}"


def references(tree: ast.AST) -> Iterator[tuple[ast.expr, bool]]:
    """The names that are called or passed as callbacks and, with True, the attributes that are read."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.Call):
            yield node.func, False
            arguments = [*node.args, *(keyword.value for keyword in node.keywords)]
            if last_name(node.func) in ELSEWHERE:
                arguments = [row for row in arguments if not isinstance(row, ast.Name | ast.Attribute)]
            yield from ((row, False) for row in arguments if isinstance(row, ast.Name))
            yield from references(ast.List([node.func, *arguments]))
            continue
        if isinstance(node, ast.Attribute):
            yield node, True
        yield from references(node)


def last_name(node: ast.expr) -> str:
    match node:
        case ast.Attribute(attr=name, value=ast.Name(id="asyncio" | "anyio" | "to_thread" | "self")):
            return name
        case ast.Name(id=name):
            return name
    return ""


def names_of(module: Module) -> dict[str, str]:
    """The full names of everything that a module imports or defines."""
    names: dict[str, str] = {}
    for node in module.nodes:
        if isinstance(node, ast.Import):
            names |= {(row.asname or row.name.partition(".")[0]): row.name for row in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names |= {row.asname or row.name: f"{node.module}.{row.name}" for row in node.names}
    for node in module.tree.body:
        if isinstance(node, (*DEFINITIONS, ast.ClassDef)):
            names[node.name] = f"{module.name}.{node.name}"
    return names

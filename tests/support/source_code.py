"""The package's modules as syntax trees, for tests of names, comments and imports."""

import ast
import gc
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

import instep

PACKAGE = Path(instep.__file__).parent
REPOSITORY = PACKAGE.parent
# Folders that group slices; the name of a slice does not depend on its group.
WINGS = {
    file.parent.name for file in PACKAGE.glob("*/__init__.py") if any(file.parent.glob("*/__init__.py"))
} - {
    "cli",
    "search",
}


@dataclass(frozen=True)
class Module:
    name: str
    """The dotted name from the root: `instep.search.actions`; a package has the name of its folder."""
    file: str
    """Relative to the repository's root."""
    text: str

    @cached_property
    def tree(self) -> ast.Module:
        """The syntax tree, parsed once and only if a test needs it."""
        with no_collection():
            return ast.parse(self.text)

    @cached_property
    def nodes(self) -> list[ast.AST]:
        """All nodes of the tree, cached because many tests iterate over them."""
        tree = self.tree
        with no_collection():
            return list(ast.walk(tree))

    @property
    def package(self) -> str:
        """The slice of the module, or its own name at the top level."""
        return slice_of(self.name)[0]

    def at(self, line: int) -> str:
        return f"{self.file}:{line}"


@contextmanager
def no_collection() -> Iterator[None]:
    """Turn off garbage collection: all nodes are kept, and the search takes longer than parsing."""
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()


def slice_of(name: str) -> tuple[str, str]:
    """The slice in a module's full name, and the rest of the name."""
    _, *parts = name.split(".")
    slice, *inside = parts[1:] if len(parts) > 1 and parts[0] in WINGS else parts or [""]
    return slice, ".".join(inside)


@cache
def product_modules() -> tuple[Module, ...]:
    return modules_below(PACKAGE)


@cache
def modules_below(folder: Path) -> tuple[Module, ...]:
    return tuple(read_module(path) for path in sorted(folder.rglob("*.py")))


def read_module(path: Path) -> Module:
    file = path.relative_to(REPOSITORY)
    parts = file.with_suffix("").parts
    name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
    return Module(name, file.as_posix(), path.read_text())


def imports_of(module: Module) -> list[tuple[int, str, str]]:
    """The line, module and name of each `from ... import name`; for an `import` the name is empty."""
    imports: list[tuple[int, str, str]] = []
    for node in module.nodes:
        match node:
            case ast.Import():
                imports += [(node.lineno, alias.name, "") for alias in node.names]
            case ast.ImportFrom(module=str(source)):
                imports += [(node.lineno, source, alias.name) for alias in node.names]
    return imports

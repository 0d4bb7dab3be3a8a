"""The modules of the package as syntax trees, for tests that hold rules about names, comments and imports."""

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
# Folders of slices; a slice keeps its name wherever its wing is.
WINGS = {
    file.parent.name for file in PACKAGE.glob("*/__init__.py") if any(file.parent.glob("*/__init__.py"))
} - {
    "cli",
    "search",
}


@dataclass(frozen=True)
class Module:
    name: str
    """Dotted, from the repository's root: `instep.search.actions`; a package has the name of its folder."""
    file: str
    """Relative to the repository's root."""
    text: str

    @cached_property
    def tree(self) -> ast.Module:
        """Its syntax, which is read once and only for tests that need it."""
        with no_collection():
            return ast.parse(self.text)

    @cached_property
    def nodes(self) -> list[ast.AST]:
        """All nodes of the tree, for the many tests that look at each."""
        tree = self.tree
        with no_collection():
            return list(ast.walk(tree))

    @property
    def package(self) -> str:
        """The slice that it belongs to, or its own name when it stands at the top."""
        return slice_of(self.name)[0]

    def at(self, line: int) -> str:
        return f"{self.file}:{line}"


@contextmanager
def no_collection() -> Iterator[None]:
    """All nodes are kept, so a search for garbage among them finds none and takes longer than parsing."""
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()


def slice_of(name: str) -> tuple[str, str]:
    """The slice of a module's full name, and the rest of its name in the slice."""
    _, *parts = name.split(".")
    slice, *inside = parts[1:] if len(parts) > 1 and parts[0] in WINGS else parts or [""]
    return slice, ".".join(inside)


@cache
def product_modules() -> tuple[Module, ...]:
    """All modules of the package."""
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
    """The line, the module and the name of each `from ... import name`; the name of an `import` is empty."""
    imports: list[tuple[int, str, str]] = []
    for node in module.nodes:
        match node:
            case ast.Import():
                imports += [(node.lineno, alias.name, "") for alias in node.names]
            case ast.ImportFrom(module=str(source)):
                imports += [(node.lineno, source, alias.name) for alias in node.names]
    return imports

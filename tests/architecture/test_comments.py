"""Comments and docstrings are sentences with a subject."""

import ast
import io
import tokenize
from collections.abc import Iterator

import pytest

from tests.support.source_code import REPOSITORY, Module, modules_below


@pytest.mark.parametrize("folder", ["bench", "contract", "eval", "instep", "scripts", "tests"])
def test_no_comment_begins_with_a_bare_genitive(folder: str) -> None:
    """A sentence that begins with "Of" has the reader look for its subject."""
    places = [
        module.at(line)
        for module in modules_below(REPOSITORY / folder)
        if "Of " in module.text
        for line, text in [*comments(module), *docstrings(module)]
        if text.lstrip().startswith("Of ")
    ]

    assert not places, "\n".join(places)


def comments(module: Module) -> Iterator[tuple[int, str]]:
    for token in tokenize.generate_tokens(io.StringIO(module.text).readline):
        if token.type == tokenize.COMMENT:
            yield token.start[0], token.string.lstrip("#")


def docstrings(module: Module) -> Iterator[tuple[int, str]]:
    """Those of modules, classes and functions, and those that stand below an attribute."""
    for node in ast.walk(module.tree):
        match node:
            case ast.Expr(value=ast.Constant(value=str(text)), lineno=line):
                yield line, text

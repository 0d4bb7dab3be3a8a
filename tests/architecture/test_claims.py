"""Every test asserts something: a test that only calls code passes whatever the code returns."""

import ast
from collections.abc import Iterator

from tests.support.source_code import REPOSITORY, modules_below

# Calls that fail by themselves; `suppress` asserts that no other exception is raised.
CLAIMS = {"created", "expect", "expect_navigation", "fail", "ok", "raises", "suppress", "wait_for_url"}


def test_every_test_claims_something() -> None:
    places = [
        f"{module.at(function.lineno)} {function.name}"
        for module in modules_below(REPOSITORY / "tests")
        for function in functions_of_tests(module.tree)
        if not any(is_claim(node) for node in ast.walk(function))
    ]

    assert not places, "\n".join(places)


def functions_of_tests(tree: ast.Module) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test_"):
            yield node


def is_claim(node: ast.AST) -> bool:
    match node:
        case ast.Assert():
            return True
        case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)):
            return name in CLAIMS or name.startswith("assert_")
        case _:
            return False

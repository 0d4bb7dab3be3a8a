"""Functions that return tags, such as components and callbacks of `map`, which are never executed."""

import re

from tree_sitter import Node

from instep.transfer.imports.javascript.js_values import JsValue
from instep.transfer.imports.javascript.modules import (
    FUNCTIONS,
    FunctionResult,
    Module,
    expression_node,
    first_child,
    source_text,
)

# A component that handles events or state is a program.
_HANDLER = re.compile(r"\bon[A-Z]\w*=\{")
_TAGS = {"jsx_element", "jsx_self_closing_element", "jsx_fragment"}


def tags_of_component(module: Module, name: str, props: dict[str, JsValue]) -> FunctionResult | None:
    """The markup that a component returns for these attributes; None if it does anything else."""
    node = module.nodes.get("export default" if name == "default" else name)
    if node is not None and node.type == "identifier":
        node = module.nodes.get(source_text(node))
    if node is None or node.type not in FUNCTIONS:
        return None
    return _tags(module.result_of(node, [props], {}))


def tags_of_expression(module: Module, expression: str) -> list[FunctionResult] | None:
    """The tags that `values.map(value => <li>{value}</li>)` repeats, or that a condition leads to.

    None for any other expression.
    """
    node = expression_node(expression)
    while node is not None and node.type in ("ternary_expression", "binary_expression"):
        branch = module.branch(node)
        node = _unwrapped(branch) if isinstance(branch, Node) else None
        if node is not None and node.type in _TAGS:
            return [FunctionResult(node, dict(module.names))]
    results = module.results_of_map(*module.method(node), node) if node is not None else None
    rows = [_tags(result) for result in results or []]
    return [row for row in rows if row is not None] if results is not None and all(rows) else None


def _tags(result: FunctionResult | None) -> FunctionResult | None:
    node = _unwrapped(result.node) if result is not None else None
    if result is None or node is None or node.type not in _TAGS or _HANDLER.search(source_text(node)):
        return None
    return FunctionResult(node, result.names)


def _unwrapped(node: Node | None) -> Node | None:
    while node is not None and node.type == "parenthesized_expression":
        node = first_child(node)
    return node

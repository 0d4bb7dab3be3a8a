"""Functions that return tags, such as components and callbacks of `map`, which are never executed."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from tree_sitter import Node

from instep.transfer.imports.javascript.js_values import JsValue
from instep.transfer.imports.javascript.modules import (
    FUNCTIONS,
    Module,
    expression_node,
    first_child,
    source_text,
)

# A component that handles events or state is a program.
_HANDLER = re.compile(r"\bon[A-Z]\w*=\{")
_TAGS = {"jsx_element", "jsx_self_closing_element", "jsx_fragment"}


@dataclass(frozen=True, slots=True)
class ReturnedTags:
    """The source of tags, and the values of the names in it."""

    text: str
    names: dict[str, JsValue]


def tags_of_component(module: Module, name: str, props: dict[str, JsValue]) -> ReturnedTags | None:
    """The markup that a component returns for these attributes; None if it does anything else."""
    node = module.nodes.get("export default" if name == "default" else name)
    if node is not None and node.type == "identifier":
        node = module.nodes.get(source_text(node))
    with module.named({}):
        return _returned(module, node, [props]) if node is not None and node.type in FUNCTIONS else None


def shown_tags(module: Module, expression: str) -> list[ReturnedTags] | None:
    """The tags that `values.map(value => <li>{value}</li>)` repeats, or that a condition leads to.

    None for any other expression.
    """
    node = expression_node(expression)
    while node is not None and node.type in ("ternary_expression", "binary_expression"):
        node = _unwrapped(module.branch(node))
        if node is not None and node.type in _TAGS and not _HANDLER.search(source_text(node)):
            return [ReturnedTags(source_text(node), dict(module.names))]
    function = node.child_by_field_name("function") if node is not None else None
    arguments = node.child_by_field_name("arguments") if node is not None else None
    callback = first_child(arguments) if arguments is not None else None
    target, method = (
        function.child_by_field_name(part) if function else None for part in ("object", "property")
    )
    if callback is None or callback.type not in FUNCTIONS or target is None or method is None:
        return None
    values = module.value(target) if source_text(method) == "map" else None
    if not isinstance(values, list):
        return None
    rows = [_returned(module, callback, [value, number]) for number, value in enumerate(values)]
    return [row for row in rows if row is not None] if all(rows) else None


def _returned(module: Module, function: Node, arguments: Sequence[JsValue]) -> ReturnedTags | None:
    body = function.child_by_field_name("body")
    is_block = body is not None and body.type == "statement_block"
    statements = body.named_children if body is not None and is_block else [body] if body is not None else []
    *constants, last = [node for node in statements if node.type != "comment"] or [function]
    result = _unwrapped(first_child(last) if last.type == "return_statement" else last)
    if result is None or result.type not in _TAGS or _HANDLER.search(source_text(result)):
        return None
    names = {**module.names, **module.arguments_by_name(function, arguments)}
    for constant in constants:
        if constant.type != "lexical_declaration":
            return None
        for declarator in constant.named_children:
            name, value = declarator.child_by_field_name("name"), declarator.child_by_field_name("value")
            if name is not None and value is not None:
                with module.named(names):
                    names[source_text(name)] = module.value(value)
    return ReturnedTags(source_text(result), names)


def _unwrapped(node: Node | None) -> Node | None:
    while node is not None and node.type == "parenthesized_expression":
        node = first_child(node)
    return node

"""SQL statements name the workspace of each distributed table, so that a router can choose the shard.

Row-level security would find the same rows, but Citus chooses shards by the conditions in a statement.
"""

import ast
import re
from collections.abc import Iterator
from typing import NamedTuple

from instep.platform.core.database import Tx
from tests.architecture.test_distribution import TENANT_TABLES, rows, tables_in_one_place
from tests.support.source_code import product_modules

# Statements over all workspaces, run as the tables' owner or for an operator.
OVER_ALL_WORKSPACES: dict[str, str] = {
    "instep.operations.backups.restoring.settle_past": "a backup is restored whole",
    "instep.operations.ops.doctor.examine": "`instep doctor` counts what the installation holds",
    "instep.search.semantic.vectors.embedding_backlog": "`instep doctor` counts what waits everywhere",
}
# Texts for callers that contain words which are also SQL keywords.
PROSE = {
    "instep.cli",
    "instep.interfaces.mcp_servers.servers",
    "instep.interfaces.reference.descriptions",
}

# A table after one of these words or a comma, and its alias.
TABLE = re.compile(
    r"\b(?:from|join|update|into|using)\s+(?:only\s+)?(\w+)(?:\s+(?:as\s+)?(\w+))?|,\s*(\w+)\s+(?!from\b)(\w+)\b"
)
NO_ALIAS = {
    *("cross", "for", "full", "group", "having", "inner", "join", "lateral", "left", "limit", "on"),
    *("order", "returning", "right", "select", "set", "union", "using", "values", "where"),
}


class SqlText(NamedTuple):
    """A piece of SQL in the code, and the function or variable that contains it."""

    place: str
    text: str


def sql_texts() -> Iterator[SqlText]:
    for module in product_modules():
        if not module.name.startswith("instep.platform.migrations"):
            yield from texts_below(module.tree, module.name)


def texts_below(node: ast.AST, place: str) -> Iterator[SqlText]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Expr) and isinstance(child.value, ast.Constant):
            continue  # a docstring
        if isinstance(child, ast.JoinedStr):
            parts = [part.value if isinstance(part, ast.Constant) else "…" for part in child.values]
            yield SqlText(place, "".join(map(str, parts)))
            yield from (text for part in child.values for text in texts_below(part, place))
        elif isinstance(child, ast.Constant) and isinstance(child.value, str):
            yield SqlText(place, child.value)
        elif isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield from texts_below(child, f"{place}.{child.name}")
        else:
            yield from texts_below(child, place)


def tables_without_workspace(text: str, distributed: set[str]) -> set[str]:
    """The distributed tables that the SQL reads or writes without naming their workspace."""
    missing = set()
    unnamed = 0
    for match in TABLE.finditer(text):
        table, alias = match[1] or match[3], match[2] or match[4]
        if table not in distributed:
            continue
        if alias is not None and alias not in NO_ALIAS:
            column = rf"\b{alias}\.workspace_id\b|\binto\s+{table}\s+as\s+{alias}\s+\([^)]*\bworkspace_id\b"
            if not re.search(column, text):
                missing.add(table)
        else:
            unnamed += 1
            if len(re.findall(rf"(?<![\w.])(?:{table}\.)?workspace_id\b", text)) < unnamed:
                missing.add(table)
    return missing


async def test_every_statement_names_the_workspace_of_what_is_distributed(owner: Tx) -> None:
    tables = {name for (name,) in await rows(owner, f"{TENANT_TABLES} select name from tenant_tables")}
    distributed = tables - await tables_in_one_place(owner)

    missing = {
        (text.place, table)
        for text in sql_texts()
        if text.place not in PROSE
        for table in tables_without_workspace(text.text, distributed)
    }

    assert {place for place, _ in missing} == OVER_ALL_WORKSPACES.keys(), sorted(missing)

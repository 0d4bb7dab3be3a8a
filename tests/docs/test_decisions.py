"""The decision records refer to existing files and code."""

import re
from functools import cache

from tests.support.source_code import PACKAGE, modules_below

ROOT = PACKAGE.parent
DECISIONS = sorted((ROOT / "docs" / "decisions").glob("*.md"))
PATH = re.compile(r"[\w.*-]+(/[\w.*-]+)+/?")
# Code spans that can only be names: `Tx.ahead`, `run_bounded`, `@writes`, `retrieve()`, `IndexFiles`.
NAME = re.compile(r"@\w+|[\w.]+\(\)|[A-Za-z]\w*(\.\w+)+|\w+_\w+|([A-Z][a-z]+){2,}")
# Names of other programs, their options, and rejected alternatives.
FOREIGN = {"commit_delay", "pg_basebackup", "pg_dump", "pg_restore", "pg_trgm"}


def spans(pattern: re.Pattern[str]) -> list[tuple[str, str]]:
    return [
        (file.name, span)
        for file in DECISIONS
        for span in re.findall(r"`([^`\n]+)`", file.read_text())
        if pattern.fullmatch(span)
    ]


@cache
def names_of_the_code() -> set[str]:
    """Names and strings in the Python code, module names, and words in the schema's SQL."""
    names = {"py"}
    for module in modules_below(PACKAGE):
        names.update(module.name.split("."))
        for node in module.nodes:
            values = [getattr(node, field, None) for field in ("name", "id", "attr", "arg", "value")]
            names.update(str(value) for value in values if isinstance(value, str | int))
    for file in PACKAGE.rglob("*.sql"):
        names |= set(re.findall(r"\w+", re.sub(r"--.*", "", file.read_text())))
    return names


def is_in_the_code(name: str) -> bool:
    """True if the code contains the name; a setting such as `INSTEP_FILES` is the field `files`."""
    return name in names_of_the_code() or name.removeprefix("INSTEP_").lower() in names_of_the_code()


def test_paths_in_decisions_lead_to_files() -> None:
    found = spans(PATH)

    assert len(found) >= 20
    assert [(file, path) for file, path in found if not any(ROOT.glob(path.rstrip("/")))] == []


def test_names_in_decisions_are_in_the_code() -> None:
    found = spans(NAME)

    assert len(found) >= 50
    missing = {
        (file, span)
        for file, span in found
        for name in re.findall(r"\w+", span)
        if not is_in_the_code(name) and span not in FOREIGN
    }
    assert missing == set()

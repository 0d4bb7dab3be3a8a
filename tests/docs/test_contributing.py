"""`CONTRIBUTING.md` refers to existing files, names and make targets."""

import re
from pathlib import Path

from tests.support.source_code import WINGS, product_modules

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "CONTRIBUTING.md").read_text()


def test_table_of_code_names_files_with_the_definitions() -> None:
    rows = re.findall(r"^\| .+ \| `(instep/.+)` \| `(\w+)` \|$", TEXT, re.MULTILINE)

    assert len(rows) >= 10
    for path, name in rows:
        definition = rf"^\s*(?:async def|def|class)? ?{name}\b"
        assert re.search(definition, (ROOT / path).read_text(), re.MULTILINE), (path, name)


def test_every_package_is_on_the_map() -> None:
    [tree] = re.findall(r"```\n(instep/\n.*?)```", TEXT, re.DOTALL)
    folders = {module.package for module in product_modules() if module.file.endswith("__init__.py")}

    assert (folders | WINGS) - {""} - set(re.findall(r"(\w+)/", tree)) == set()


def test_make_targets_exist() -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))

    assert set(re.findall(r"^make ([a-z-]+)", TEXT, re.MULTILINE)) <= targets


def test_every_relative_link_of_the_contributors_documentation_leads_to_a_file() -> None:
    folders = (ROOT, ROOT / "docs", ROOT / "docs" / "decisions")
    for file in (file for folder in folders for file in folder.glob("*.md")):
        for target in re.findall(r"\]\((?![a-z]+:|/|#)([^)#\s]+)", file.read_text()):
            assert (file.parent / target).exists(), (file.name, target)

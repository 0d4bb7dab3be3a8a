"""Files, settings and entries of menus that a change moves, where articles lead to them."""

import pytest

from instep.writer import Article, Change, write
from tests.writer.conftest import Ask, text_of

VALUES = "replicas: 1\n\npersistence:\n  enabled: true\n  size: 8Gi\n"
MENU = (
    "export const menu = [\n  {\n    label: 'Company',\n    items: [\n      { label: 'Profile', to: '/p' },\n"
    "      { label: 'Leave', to: '/l' },\n    ],\n  },\n  {\n    label: 'People',\n    items: [\n"
    "      { label: 'Roles', to: '/r' },\n    ],\n  },\n];\n"
)


def test_the_paths_of_moved_files_and_folders_are_followed() -> None:
    moved = [
        ("tools/drivers/one.zip", "extras/drivers/one.zip"),
        ("tools/drivers/two.zip", "extras/drivers/two.zip"),
        ("ci/example.toml", "tests/example.toml"),
        ("src/main.py", "app/main.py"),
    ]
    diff = "".join(
        f"diff --git a/{old} b/{new}\nsimilarity index 100%\nrename from {old}\nrename to {new}\n"
        for old, new in moved
    )
    text = "# Drivers\n\n[Drivers](https://host.example/main/tools/drivers), `ci/example.toml`, src/main.py\n"

    report = write(Change("Move files", None, diff), [Article("guide", "Drivers", text)])

    expected = text.replace("tools/", "extras/").replace("ci/", "tests/")
    assert [proposal.text for proposal in report.proposals] == [expected]


def test_a_renamed_section_is_followed_where_its_settings_stand(ask: Ask) -> None:
    files = {"chart/values.yaml": (VALUES, VALUES.replace("persistence", "storage"))}
    text = (
        "# Install\n\nSet `persistence.size`; persistence of data is explained below.\n\n"
        "```yaml\npersistence:\n  size: 20Gi\n```\n"
    )

    report = ask(files, text, title="Rename a section", name="Install")

    assert text_of(report) == text.replace("persistence.", "storage.").replace("persistence:", "storage:")


@pytest.mark.parametrize(
    ("path", "new_path"),
    [
        ("**Settings > Company > Leave**", "**Settings > People > Leave**"),
        ("**Settings** → **Company** → **Leave**", "**Settings** → **People** → **Leave**"),
        ("**Settings > Company > Profile**", None),
    ],
)
def test_the_path_to_a_moved_entry_of_a_menu_leads_to_its_new_place(
    ask: Ask, path: str, new_path: str | None
) -> None:
    entry = "      { label: 'Leave', to: '/l' },\n"
    after = MENU.replace(entry, "").replace("to: '/r' },\n", f"to: '/r' }},\n{entry}")

    report = ask(
        {"settings/menu.ts": (MENU, after)}, f"# Leave\n\nOpen {path}.\n", "Move leave settings", "Leave"
    )

    assert text_of(report) == (new_path and f"# Leave\n\nOpen {new_path}.\n")

"""Labels, names and shortcuts that a change renames, in the ways in which articles write them."""

import pytest

from tests.writer.conftest import Ask, text_of

KEYS = "export const keys = {\n  newNote: 'Mod+N',\n  search: '%s',\n};\n"
LABELS = 'reports:\n  hours: "Hours"\n  log: "{}"\n'
HEADINGS = "<h1>{}</h1>\n"


def test_a_shortcut_changes_in_the_spelling_of_each_system(ask: Ask) -> None:
    files = {"desktop/keymap.ts": (KEYS % "Mod+K", KEYS % "Mod+P")}
    text = "# Shortcuts\n\n| Search | Ctrl + K | \u2318K |\n\nCtrl+Shift+K stays. Press **Cmd+K**.\n"

    report = ask(files, text, "Move search to another shortcut", "Shortcuts")

    expected = text.replace("Ctrl + K", "Ctrl + P").replace("\u2318K", "\u2318P").replace("Cmd+K", "Cmd+P")
    assert text_of(report) == expected


@pytest.mark.parametrize(
    ("old", "new", "text", "expected"),
    [
        (
            "Activity log", "Audit trail",
            "An activity log is kept. Activity logs are under **Reports > Activity log**.",
            "An audit trail is kept. Audit trails are under **Reports > Audit trail**.",
        ),
        (
            "Service templates", "Application service templates",
            "Open **Service templates**. Application service templates help.",
            "Open **Application service templates**. Application service templates help.",
        ),
        # What a button does may be said of anything.
        ("Save report", "Keep report", "To save report files, wait.", None),
    ],
)  # fmt: skip
def test_a_label_is_renamed_where_a_sentence_speaks_of_it(
    ask: Ask, old: str, new: str, text: str, expected: str | None
) -> None:
    files = {
        "config/locales/en.yml": (LABELS.format(old), LABELS.format(new)),
        "app/views/reports.html.erb": (HEADINGS.format(old), HEADINGS.format(new)),
    }

    report = ask(files, f"# Reports\n\n{text}\n", f"Rename {old}", "Reports")

    assert text_of(report) == (expected and f"# Reports\n\n{expected}\n")


def test_a_name_in_other_capitals_is_the_same_name_everywhere(ask: Ask) -> None:
    files = {"app/channels.py": ('("opsgenie", "OpsGenie"),\n', '("opsgenie", "Opsgenie"),\n')}

    report = ask(files, "# Channels\n\nUse PagerDuty, OpsGenie or mail.\n", "Respell Opsgenie", "Channels")

    assert text_of(report) == "# Channels\n\nUse PagerDuty, Opsgenie or mail.\n"


def test_the_help_of_an_option_without_a_default_is_renewed_in_a_small_help_center(ask: Ask) -> None:
    old, new = (
        "read the files to back up from a file",
        "read the files to back up from a file or folder given",
    )
    code = 'f.StringVar(&o.From, "files-from", "", "{}")\n'
    text = "# Back up\n\n```\n      --files-from string   {}\n```\n"

    report = ask({"cmd/backup.go": (code.format(old), code.format(new))}, text.format(old), name="Back up")

    assert text_of(report) is None

    new = "read all files to back up from a file"
    report = ask({"cmd/backup.go": (code.format(old), code.format(new))}, text.format(old), name="Back up")

    assert text_of(report) == text.format(new)


LABEL_MAP = (
    "export const ROLE_LABELS: Record<Role, string> = {{\n  assistant: '{}',\n  student: 'Student',\n}};\n"
)


def test_a_map_of_labels_tells_what_is_a_label_in_code(ask: Ask) -> None:
    files = {"web/roles.ts": (LABEL_MAP.format("Teaching assistant"), LABEL_MAP.format("Co-teacher"))}
    text = "# Roles\n\nPick **Teaching assistant**. A teaching assistant grades.\n"

    report = ask(files, text, "Rename teaching assistants to co-teachers", "Roles")

    assert text_of(report) == "# Roles\n\nPick **Co-teacher**. A co-teacher grades.\n"


def test_a_label_changes_beside_the_name_that_the_code_gives_it(ask: Ask) -> None:
    """Two labels become one text, so that elsewhere it is not known which of them is meant."""
    app, web = (f"const LABELS = {{\n  prorate: '{text}',\n}}\n" for text in ("Prorate next", "Next invoice"))
    new = "const LABELS = {\n  prorate: 'Prorate on next invoice',\n}\n"
    text = "# Changes\n\n### Next invoice (`prorate`)\n\nThe next invoice has it. Next invoice: (`other`).\n"

    report = ask({"app/labels.ts": (app, new), "web/labels.ts": (web, new)}, text, "Reword labels", "Changes")

    assert text_of(report) == text.replace("### Next invoice", "### Prorate on next invoice")

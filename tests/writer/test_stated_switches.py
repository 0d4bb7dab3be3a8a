"""What articles say is on or off by default is turned around with the default, and how to change it."""

import pytest

from tests.writer.conftest import Ask, text_of

CODE = (
    "export const defaults = {\n  theme: 'system',\n  syncEnabled: false,\n  syncOverMobileData: false,\n};\n"
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "Sync is off by default. Turn it on in **Settings**.",
            "Sync is on by default. Turn it off in **Settings**.",
        ),
        (
            "Notes are kept; sync is *disabled* by default. To enable it, switch on **Sync**.",
            "Notes are kept; sync is *enabled* by default. To disable it, switch off **Sync**.",
        ),
        ("By default, sync is turned off.", "By default, sync is turned on."),
        ("## Sync\n\nIt is disabled by default.", "## Sync\n\nIt is enabled by default."),
        ("Sync over mobile data is off by default.", None),
        ("Sync and spelling are off by default.", None),
        ("Sync is on by default.", None),
        ("Spelling is off by default.", None),
    ],
)
def test_a_default_that_is_turned_around_is_stated_so(ask: Ask, text: str, expected: str | None) -> None:
    files = {"core/settings.ts": (CODE, CODE.replace("syncEnabled: false", "syncEnabled: true"))}

    report = ask(files, f"# Sync notes\n\n{text}\n", title="Turn sync on by default", name="Sync notes")

    assert text_of(report) == (expected and f"# Sync notes\n\n{expected}\n")
    assert not any(proposal.is_certain for proposal in report.proposals)


def test_a_switch_with_a_negative_name_says_the_opposite(ask: Ask) -> None:
    code = "class Reports(Settings):\n    disable_digest = BooleanField(default=False)\n"
    files = {"reports/settings.py": (code, code.replace("False", "True"))}
    text = "# Digest\n\nThe digest is sent weekly. The digest is enabled by default.\n"

    report = ask(files, text, title="Disable the digest by default", name="Digest")

    assert text_of(report) == text.replace("enabled", "disabled")

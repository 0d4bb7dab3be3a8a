"""A table of roles or plans says yes or no to what a change gives to one of them, or takes from it."""

import pytest

from tests.writer.conftest import Ask, text_of

ROLES = (
    "# Roles and permissions\n\n| | Viewer | Editor |\n|---|---|---|\n| Edit data | no | yes |\n"
    "| Export data | no | yes |\n"
)
MARKS = (
    "# Roles and permissions\n\n| | Viewer | Editor |\n|---|---|---|\n| Edit data | \u2013 | \u2713 |\n"
    "| Export data | \u2713 | \u2713 |\n"
)
CODE = 'PERMISSIONS = {{\n    "viewer": ["data:read"{}],\n    "editor": ["data:read", "data:export"],\n}}\n'


@pytest.mark.parametrize(
    ("before", "after", "text", "expected"),
    [
        ("", ', "data:export"', ROLES, ROLES.replace("Export data | no", "Export data | yes")),
        (', "data:export"', "", MARKS, MARKS.replace("Export data | \u2713", "Export data | \u2013")),
        # Nothing tells how this table says no.
        (', "data:export"', "", ROLES.replace("no", "yes"), None),
        ("", ', "data:purge"', ROLES, None),
    ],
)
def test_the_cell_of_a_role_and_a_permission_says_what_the_code_says(
    ask: Ask, before: str, after: str, text: str, expected: str | None
) -> None:
    files = {"auth/permissions.py": (CODE.format(before), CODE.format(after))}
    title = "Change what viewers may do with data: roles and permissions"

    report = ask(files, text, title=title, name="Roles and permissions")

    assert text_of(report) == expected
    assert not any(proposal.is_certain for proposal in report.proposals)


@pytest.mark.parametrize(
    ("line", "new_line", "text", "expected"),
    [
        (
            "  approve: [manager]\n", "  approve: [team_lead, manager]\n",
            "Only managers can approve a swap. Managers see all shifts.",
            "Only managers and team leads can approve a swap. Managers see all shifts.",
        ),
        (
            '    "swap.approve": {"owner", "manager"},\n', '    "swap.approve": {"owner"},\n',
            "**Owners** and **managers** may approve swaps.", "**Owners** may approve swaps.",
        ),
        ("  approve: [manager]\n", "  approve: [team_lead, manager]\n", "Owners can approve a swap.", None),
    ],
)  # fmt: skip
def test_a_sentence_names_those_who_may_do_something_now(
    ask: Ask, line: str, new_line: str, text: str, expected: str | None
) -> None:
    files = {"config/permissions.yml": (f"swap:\n{line}", f"swap:\n{new_line}")}

    report = ask(
        files, f"# Swap shifts\n\n{text}\n", title="Change who may approve swaps", name="Swap shifts"
    )

    assert text_of(report) == (expected and f"# Swap shifts\n\n{expected}\n")

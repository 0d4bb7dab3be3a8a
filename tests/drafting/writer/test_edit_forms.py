"""A model's edits are anchored by a line number and a copy of its text, and refused if they fit nowhere."""

import pytest

from instep.drafting.writer.editing.edits import apply as apply_edits
from instep.drafting.writer.llm.edit_forms import EditRefused, ModelEdit, located_edits

TEXT = """\
# Limits

Files of up to 10 MB can be
uploaded. Files are kept for 30 days.

| plan | files |
|---|---|
| Free | 5 |
| Team | 50 |

- Pictures
- Films

## Trash

Files are kept for 30 days.

## Export

Ask us.
"""


def applied(action: str, **fields: object) -> str:
    edit = ModelEdit.model_validate({"article": "A1", "action": action, **fields})
    spans = sorted(located_edits(edit, TEXT), key=lambda span: span.start)
    return apply_edits(spans, TEXT)


@pytest.mark.parametrize(
    ("line", "old", "new"),
    [
        (3, "10 MB", "25 MB"),
        (9, "10 MB", "25 MB"),
        (3, "3|Files of up to 10 MB can be", "Files of up to 25 MB can be"),
        (3, "Files of up to 10 MB can be uploaded.", "Files of up to 25 MB can be uploaded."),
        (8, "| Free | 5 |\n| Team | 50 |", "| Free | 6 |"),
        (9, "9|| Team | 50 |", "| Team | 60 |"),
    ],
)
def test_a_text_is_replaced_whatever_the_line_numbers_and_line_breaks_of_the_copy(
    line: int, old: str, new: str
) -> None:
    after = applied("replace", line=line, old=old, new=new)

    assert new in after
    assert len(after.split("\n")) <= len(TEXT.split("\n"))


def test_the_line_number_chooses_between_two_equal_texts() -> None:
    after = applied("replace", line=16, old="Files are kept for 30 days.", new="Files are kept for a week.")

    assert "uploaded. Files are kept for 30 days." in after
    assert "## Trash\n\nFiles are kept for a week." in after


def test_a_line_with_a_small_copying_error_is_replaced_whole() -> None:
    after = applied("replace", line=4, old="uploaded. Files are kept for 30 day", new="uploaded.")
    assert after.count("30 days") == 1
    misread = applied("replace", line=14, old="## Trashs", new="## Bin")
    assert "\n## Bin\n" in misread


@pytest.mark.parametrize(
    ("line", "old", "new", "expected"),
    [
        (9, "| Team | 50 |", "| Business | 500 |", "| Team | 50 |\n| Business | 500 |\n\n- Pictures"),
        (12, "- Films", "- Songs", "- Films\n- Songs\n\n## Trash"),
        (7, "- Films", "- Songs", "- Films\n- Songs\n\n## Trash"),
        (16, "", "Admins can restore them.", "30 days.\nAdmins can restore them.\n\n## Export"),
        (16, "", "\n### Restore\n\nAsk.", "30 days.\n\n### Restore\n\nAsk.\n\n## Export"),
        (3, "", "\nFolders\n-------", "can be\n\nFolders\n-------\n\nuploaded"),
        (13, "", "## Songs\n\nNone.", "- Films\n\n## Songs\n\nNone.\n\n## Trash"),
        (19, "Ask us.", "## More\n\nNone.", "Ask us.\n\n## More\n\nNone.\n"),
    ],
)
def test_lines_come_after_a_line_as_blocks_of_their_own(line: int, old: str, new: str, expected: str) -> None:
    assert expected in applied("insert", line=line, old=old, new=new)


def test_lines_can_go_and_move_and_a_name_changes_everywhere() -> None:
    assert "10 MB can be\nuploaded" in TEXT
    gone = applied("delete", line=14, last=17, old="## Trash")
    assert "- Films\n\n## Export" in gone
    moved = applied("move", line=9, last=9, to=7, old="| Team | 50 |")
    assert "|---|---|\n| Team | 50 |\n| Free | 5 |\n\n" in moved
    renamed = applied("rename", old="Files", new="Documents")
    assert renamed.count("Documents") == 3
    assert "files |" in renamed


@pytest.mark.parametrize(
    "edit",
    [
        {"action": "replace", "line": 3, "old": "Nothing like this is anywhere in it", "new": "x"},
        {"action": "replace", "line": 3, "old": "", "new": "x"},
        {"action": "replace", "line": 3, "old": "10 MB", "new": "10 MB"},
        {"action": "insert", "line": 3, "old": "No such line at all in this text", "new": "x"},
        {"action": "insert", "line": 3, "old": "", "new": "  "},
        {"action": "insert", "line": 300, "old": "", "new": "x"},
        {"action": "delete", "line": 14, "last": 900, "old": "## Trash"},
        {"action": "move", "line": 8, "last": 9, "to": 9, "old": "| Free | 5 |"},
        {"action": "rename", "old": "Folders", "new": "Documents"},
        {"action": "rename", "old": "Files", "new": ""},
    ],
)
def test_an_edit_that_fits_nowhere_is_refused(edit: dict[str, object]) -> None:
    with pytest.raises(EditRefused):
        list(located_edits(ModelEdit.model_validate({"article": "A1", **edit}), TEXT))

"""Words removed and added between two texts."""

import pytest

from instep.platform.core import limits
from instep.platform.text.word_changes import LineRun, WordRun, mark_changes, mark_changes_now


def test_a_reworded_line_marks_its_words() -> None:
    [lines] = mark_changes_now("Up to 25 MB each.\n", "Up to 50 MB each.\n")

    assert lines.change == "reworded"
    assert lines.words == (
        WordRun("same", "Up to "),
        WordRun("removed", "25"),
        WordRun("added", "50"),
        WordRun("same", " MB each.\n"),
    )


def test_lines_that_have_hardly_a_word_in_common_stand_one_after_the_other() -> None:
    removed, added = mark_changes_now("Ask us anything.\n", "Open **Settings**, then choose a plan.\n")

    assert (removed.change, added.change) == ("removed", "added")


def test_equal_texts_have_no_change() -> None:
    assert mark_changes_now("One.\nTwo.\n", "One.\nTwo.\n") == [
        LineRun("same", (WordRun("same", "One.\nTwo.\n"),))
    ]
    assert mark_changes_now("", "") == []


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", "New.\n"),
        ("Old.\n", ""),
        ("a\nb\nc\n", "a\nx\nc"),
        ("One two three.\r\n\r\nFour.", "One two.\n\nThree four.\n"),
        ("é 日本語 text", "é 日本 text"),
    ],
)
def test_both_texts_can_be_read_out_of_the_changes(before: str, after: str) -> None:
    words = [run for lines in mark_changes_now(before, after) for run in lines.words]

    assert "".join(run.text for run in words if run.change != "added") == before
    assert "".join(run.text for run in words if run.change != "removed") == after


async def test_long_texts_are_compared_too() -> None:
    text = "".join(f"Line {number}.\n" for number in range(limits.MAX_INLINE_CHARACTERS // 10))

    changes = await mark_changes(text, f"{text}Last.\n")

    assert [lines.change for lines in changes] == ["same", "added"]

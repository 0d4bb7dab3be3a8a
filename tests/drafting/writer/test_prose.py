"""A change's title has a subject, and also a heading if the change adds something."""

import pytest

from instep.drafting.writer.words.prose import heading_of, subject_of


@pytest.mark.parametrize(
    ("title", "subject", "heading"),
    [
        (
            "feat(api): add page sizes for lists (#12)",
            "add page sizes for lists",
            "Page sizes for lists",
        ),
        (
            "✨ Add support for early exits, fix #3",
            "Add support for early exits",
            "Early exits",
        ),
        (
            "Remove the load_plugin hook, closes #1073",
            "Remove the load_plugin hook",
            "",
        ),
        (
            "Custom views are public by default",
            "Custom views are public by default",
            "",
        ),
        ("Fix", "Fix", ""),
        ("", "", ""),
    ],
)
def test_a_title_has_a_subject_and_tells_what_is_new(title: str, subject: str, heading: str) -> None:
    assert (subject_of(title), heading_of(title)) == (subject, heading)

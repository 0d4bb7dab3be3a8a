"""Comments, doc strings and titles become sentences that an article can hold."""

import pytest

from instep.writer.facts.values import default_of
from instep.writer.words.prose import heading_of, prose_of, subject_of


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("how many rows a page has", "How many rows a page has."),
        ("Sets max_jobs and pageSize for it", "Sets `max_jobs` and `pageSize` for it."),
        ("Rows of a page.\n\nArgs:\n    size: the size\n", "Rows of a page."),
        (
            "Rows of a page. See [this](https://evil.test). At most 100 of them.",
            "Rows of a page. At most 100 of them.",
        ),
        ("Use ``name`` to call it.", "Use `name` to call it."),
        ("x = y; return {}", ""),
        (
            "Return a failed status if a class is ambiguous.",
            "Return a failed status if a class is ambiguous.",
        ),
        ("Rows of a page.\n\nReturns:\n    the rows of it\n", "Rows of a page."),
        ("Forces one source: auto|dist|tag.", "Forces one source: auto|dist|tag."),
        ("Cut | into | cells of a table", ""),
        ("Constraint to add on top, e.g. acme/page=1.0.0", "Constraint to add on top, e.g. acme/page=1.0.0."),
        ("too short", ""),
        ("Ends in the name of max_jobs", "Ends in the name of `max_jobs`."),
    ],
)
def test_prose_is_flat_safe_and_has_its_names_in_code(text: str, expected: str) -> None:
    assert prose_of(text) == expected


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


@pytest.mark.parametrize(
    ("value", "default"),
    [
        ('env.int("PAGE_SIZE", 20)', "20"),
        ('os.getenv("NAME")', "None"),
        ("int = 20", "20"),
        ('"text",', "text"),
        ("true", "true"),
        ("compute(3)", None),
        ("string", None),
    ],
)
def test_a_default_is_a_literal(value: str, default: str | None) -> None:
    assert default_of(value) == default


@pytest.mark.parametrize(
    "text",
    [
        "type: ignore[no-redef] until it is gone",
        "TODO: remove when nobody needs it",
        "SELECT NULL AS parent, 1 AS x",
    ],
)
def test_what_developers_tell_tools_and_each_other_is_no_prose(text: str) -> None:
    assert prose_of(text) == ""

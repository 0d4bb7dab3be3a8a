"""Front matter: reading it, writing it, and leaving the rest as it was."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from instep.transfer.exports.page_file import (
    UnreadableFrontMatter,
    new_page,
    read_values,
    split_page,
    with_value,
)

TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=80)


@example({"title": " "}, "")
@given(st.dictionaries(st.sampled_from(["title", "slug", "status"]), TEXTS), st.text(max_size=200))
def test_every_value_and_text_comes_back(values: dict[str, str], body: str) -> None:
    page = split_page(new_page(values, body).text)

    assert page.body == body
    assert read_values(page) == values


@pytest.mark.parametrize(
    ("before", "value", "after"),
    [
        ("title: Old\nslug: a", "New", "title: New\nslug: a"),
        ("slug: a\n'title' : >-\n  An old\n  one\n\n# A note", "New", "slug: a\ntitle: New\n\n# A note"),
        ("titles: 1", "yes", 'titles: 1\ntitle: "yes"'),
        ("title: Old\nslug: a", None, "slug: a"),
        ("title:\n- a\nslug: a", "New", "title: New\nslug: a"),
    ],
)
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_changed_value_changes_its_own_lines(before: str, value: str | None, after: str, end: str) -> None:
    text = f"---\n{before}\n---\ntitle: in the text\n".replace("\n", end)

    changed = with_value(split_page(text), "title", value)

    assert changed.text == f"---\n{after}\n---\ntitle: in the text\n".replace("\n", end)


@pytest.mark.parametrize(
    "text", ["", "Words.", "---\n", "---\ntitle: A\n", "--- a\n---\n", "\n---\na: 1\n---\n"]
)
def test_a_text_without_front_matter_is_all_text(text: str) -> None:
    page = split_page(text)

    assert (page.head, page.body) == ("", text)
    assert with_value(page, "title", "A").text == f"---\ntitle: A\n---\n{text}"


def test_numbers_and_words_are_read_as_they_stand() -> None:
    page = split_page(
        "---\ntitle: 1.10\nslug: no\nicon: 2026-01-01\ntags: [a]\nempty:\nx: !!python/name:os {}\n---\n"
    )

    assert read_values(page) == {"title": "1.10", "slug": "no", "icon": "2026-01-01"}


@pytest.mark.parametrize(
    "head",
    ["title: [", "- a", "words", "a: 1\n a: 2", "{" * 1000, "- " * 7_000],
)
def test_invalid_yaml_is_refused(head: str) -> None:
    with pytest.raises(UnreadableFrontMatter):
        read_values(split_page(f"---\n{head}\n---\n"))


def hostile(count: int) -> str:
    """Front matter whose merge keys expand to ten values, a hundred, a thousand, and so on."""
    lines = ["title: A", "m0: &m0 {k: v}"]
    for number in range(1, count):
        aliases = ", ".join([f"*m{number - 1}"] * 10)
        lines.append(f"m{number}: &m{number} {{<<: [{aliases}]}}")
    return "\n".join(lines)


def test_merge_keys_are_not_expanded() -> None:
    assert read_values(split_page(f"---\n{hostile(40)}\n---\n")) == {"title": "A"}


def test_a_title_that_is_yaml_is_only_a_title() -> None:
    title = "{" + hostile(40).replace("\n", ", ") + "}"

    page = split_page(new_page({"title": title}, "").text)

    assert read_values(page) == {"title": title}


def test_two_marks_of_the_byte_order_hide_no_front_matter() -> None:
    text = "\ufeff\ufeff---\ntitle: Two\n---\ntext"

    page = split_page(text)

    assert (read_values(page), page.body, page.text) == ({"title": "Two"}, "text", text)


@pytest.mark.parametrize("title", ["[x]", "{y}", "&amp", "!bang"])
def test_a_title_that_yaml_reads_as_no_text_is_told(title: str) -> None:
    with pytest.raises(UnreadableFrontMatter, match="put it in quotes"):
        read_values(split_page(f"---\ntitle: {title}\n---\ntext"))

"""What an article lists side by side is found in every form, with the place of each entry."""

import pytest

from instep.writer.articles.entries import entry_lists_of
from instep.writer.articles.headings import headings_of
from instep.writer.words.identifiers import key_of, label_of


def listed(text: str) -> list[tuple[str, list[str]]]:
    return [(group.kind, [entry.label for entry in group.entries]) for group in entry_lists_of(text)]


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("`--page-size N` rows", "--page-size"),
        ("**`name`** \\*", "name"),
        ("``status`` - integer", "status"),
        ("[Get a check](#get)", "Get a check"),
        ("start=&lt;value&gt;", "start"),
        ("await .fetch(name, size=1)", ".fetch"),
        ("/-/threads", "/-/threads"),
        ("Korean (ko)", "Korean"),
        ("Rows of a page", "Rows of a page"),
        ("", ""),
    ],
)
def test_a_label_is_the_name_that_a_text_opens_with(text: str, label: str) -> None:
    assert label_of(text) == label


def test_spellings_of_one_name_have_one_key() -> None:
    assert {key_of(name) for name in ("page_size", "pageSize", "--page-size", "PAGE_SIZE")} == {"page size"}


def test_tables_lists_terms_and_sections_are_found() -> None:
    text = (
        "# Guide\n\n| a | b |\n|---|---|\n| `one` | x |\n| `two` | y |\n\n"
        "- `red`: a colour\n  of fire\n- `blue`: another\n\n"
        "term\n:   meaning\n\nother\n:   meaning\n\n## Next\n\n## Last\n"
    )
    assert listed(text) == [
        ("row", ["one", "two"]),
        ("item", ["red", "blue"]),
        ("term", ["term", "other"]),
        ("section", ["Next", "Last"]),
    ]


def test_code_is_no_list() -> None:
    assert listed("```\n- a: x\n- b: y\n| c | d |\n```\n") == []


def test_an_entry_covers_its_lines_and_no_more() -> None:
    text = "- `red`: a colour\n  of fire\n  - deep\n  - light\n- `blue`: another\n\nEnd.\n"
    outer = next(
        group for group in entry_lists_of(text) if len(group.entries) == 2 and group.entries[0].label == "red"
    )
    assert [text[entry.start : entry.end] for entry in outer.entries] == [
        "- `red`: a colour\n  of fire\n  - deep\n  - light\n",
        "- `blue`: another\n",
    ]


def test_a_section_reaches_to_the_next_of_its_level_and_owns_the_anchor_above() -> None:
    text = ".. _a:\n\nFirst\n-----\n\nText.\n\nDeeper\n~~~~~~\n\n.. _b:\n\nSecond\n------\n\nMore.\n"
    heads = headings_of(text)
    assert [(head.level, head.title, head.mark, head.start) for head in heads] == [
        (1, "First", "-", 0),
        (2, "Deeper", "~", text.index("Deeper")),
        (1, "Second", "-", text.index(".. _b")),
    ]
    (group,) = entry_lists_of(text)
    assert text[group.entries[0].start : group.entries[0].end].endswith("~~~~~~\n\n")


def test_attributes_of_a_heading_are_no_part_of_its_title() -> None:
    assert [head.title for head in headings_of("## `A` {: #A }\n\n## Early exit { #early-exit }\n")] == [
        "`A`",
        "Early exit",
    ]

"""Lists of parallel entries in an article are found in every form, with each entry's location."""

import pytest

from instep.drafting.writer.articles.entries import entry_lists_of
from instep.drafting.writer.articles.headings import heading_over, headings_of
from instep.drafting.writer.words.identifiers import key_of, label_of


def listed(text: str) -> list[list[str]]:
    return [[entry.label for entry in group.entries] for group in entry_lists_of(text)]


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
        ["one", "two"],
        ["red", "blue"],
        ["term", "other"],
        ["Next", "Last"],
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


def test_a_section_begins_at_the_anchor_above_it() -> None:
    text = ".. _a:\n\nFirst\n-----\n\nText.\n\nDeeper\n~~~~~~\n\n.. _b:\n\nSecond\n------\n\nMore.\n"
    heads = headings_of(text)
    assert [(head.level, head.title, head.start) for head in heads] == [
        (1, "First", 0),
        (2, "Deeper", text.index("Deeper")),
        (1, "Second", text.index(".. _b")),
    ]


def test_attributes_of_a_heading_are_no_part_of_its_title() -> None:
    assert [head.title for head in headings_of("## `A` {: #A }\n\n## Early exit { #early-exit }\n")] == [
        "`A`",
        "Early exit",
    ]


def test_settings_comments_and_markup_are_no_headings() -> None:
    text = (
        "---\ntitle: Keys\n---\n\nIntro\n=====\n\n```sh\n# Install it\n```\n\n"
        "<!--\n## Hidden\n-->\n\n| a |\n|---|\n\n## Shown ##\n"
    )

    assert [head.title for head in headings_of(text)] == ["Intro", "Shown"]


def test_a_title_of_restructured_text_may_have_a_line_above_it() -> None:
    text = (
        ".. code-block:: sh\n\n   # No title\n\n====\n One\n====\n\nText.\n\n"
        "Two\n~~~~\n\n- `a`: x\n- `b`: y\n"
    )

    assert [(head.level, head.title) for head in headings_of(text)] == [
        (1, "One"),
        (2, "Two"),
    ]
    assert ["a", "b"] in listed(text)


def test_an_offset_is_under_the_nearest_heading_above_it() -> None:
    text = "Text.\n\n## One\n\nHere.\n"

    assert [heading_over(text, text.index(word)) for word in ("Text", "## One", "Here")] == ["", "One", "One"]


def test_rows_without_outer_pipes_and_items_around_blank_lines_belong_together() -> None:
    text = "Key | Means\n---|---\n`one` | x\n`two` | y\n\n1. `red`: a\n\n   more\n\n2. `blue`: b\n"

    assert listed(text) == [["one", "two"], ["red", "blue"]]
    (_, items) = entry_lists_of(text)
    assert text[items.entries[0].start : items.entries[0].end] == "1. `red`: a\n\n   more\n"


def test_carriage_returns_move_no_entry() -> None:
    text = "# One\r\n\r\n- `red`: a\r\n- `blue`: b\r\n"

    (group,) = entry_lists_of(text)
    assert [text[entry.start : entry.end] for entry in group.entries] == ["- `red`: a\r\n", "- `blue`: b\r\n"]

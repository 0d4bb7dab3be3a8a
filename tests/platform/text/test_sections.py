"""Sections of Markdown, found by lines: the same headings that the page shows, in linear time."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from instep.platform.text.blocks import read_blocks
from instep.platform.text.sections import TextSection, read_sections, split_into_parts
from tests.support.growth import grows_linearly

LINES = ["# a", "## b ##", "c", "d\n===", "e\n---", "", "```", "~~~", "    f", "#g", "- h\n", "1. i\n", "***"]


def test_sections_have_the_titles_above_and_their_lines() -> None:
    assert list(read_sections("a\n# B ##\n\n### *C*\nd\n\nE\n-\nf\r\n```\n# g\n```")) == [
        TextSection((), None, ["a"]),
        TextSection(("B",), 0, [""]),
        TextSection(("B", "*C*"), 1, ["d", ""]),
        TextSection(("B", "E"), 2, ["f", "```", "# g", "```"]),
    ]


@given(st.lists(st.sampled_from(LINES), max_size=12))
def test_headings_are_those_of_the_renderer(lines: list[str]) -> None:
    # Blank lines separate all blocks, because only the renderer knows titles of several lines.
    text = "\n\n".join(lines)
    titles = [section.titles[-1] for section in read_sections(text) if section.titles]

    blocks = read_blocks(text).blocks
    assert titles == [block.text for block in blocks if block.kind == "heading" and block.depth == 0]


def test_parts_end_at_blank_lines_outside_of_code() -> None:
    lines = ["a", "b", "", " ", "```", "c", "", "d", "```", "e", "", ""]

    assert list(split_into_parts(lines, 100)) == ["a\nb", "```\nc\n\nd\n```\ne"]


def test_parts_have_a_maximum_length() -> None:
    assert list(split_into_parts(["abcdefg", "hi", "jk"], 3)) == ["abc", "def", "g\nhi", "jk"]


def test_a_table_that_is_split_keeps_its_head() -> None:
    head = ["A table:", "| name | price |", "|---|--:|"]
    rows = [f"| plan {number} | {number} |" for number in range(6)]

    parts = list(split_into_parts([*head, *rows, "", "Text | more text"], 60))

    assert parts == [
        "\n".join([*head, rows[0]]),
        "\n".join([*head[1:], *rows[1:5]]),
        "\n".join([*head[1:], rows[5]]),
        "Text | more text",
    ]


def test_code_with_bars_and_rows_that_are_too_long_are_split_without_a_head() -> None:
    table = ["| a |", "|---|"]

    assert list(split_into_parts(["```", *table, "| b | c |"], 12)) == ["```\n| a |", "|---|", "| b | c |"]
    assert list(split_into_parts([*table, "|" * 25], 12)) == ["\n".join(table), *_pieces("|" * 25, table)]


def _pieces(row: str, table: list[str]) -> list[str]:
    return ["\n".join([*table, row[:12]]), row[12:24], row[24:]]


@pytest.mark.parametrize("sign", ["# ", "> ", "```\n", "a\n=\n", "[", "*", "- ", " \n", "#", "    ", "|-|\n"])
def test_any_text_is_read_in_linear_time(sign: str) -> None:
    assert grows_linearly(read_in_parts, lambda length: sign * (length // len(sign)), 200_000)


def read_in_parts(text: str) -> None:
    for section in read_sections(text):
        list(split_into_parts(section.lines, 3_000))

"""Blocks of Markdown, as the page shows them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from instep.platform.text.blocks import Block, BlockKind, cell_count, read_blocks

ARTICLE = """Opening words
on two lines.

# Install *it* ##

1. Download

   ```sh
   make
   ```
2. Run
   it
   - deep
   - [x] done

Limits
------

| Plan | Seats |
|---|---|
| Free | 3 |

> [!NOTE]
> Seats are
> people.

    indented

***
## Open end
~~~
# no heading
"""
LINES = [
    "# a",
    "- b",
    "  c",
    "1. d",
    "> ",
    "| x |",
    "|---|",
    "---",
    "===",
    "[r]: /x",
    "[^1]: n",
    "word",
    "* ",
]
FRAGMENTS = ["```", "~~~", "\t", "<p>", "\r", "    ", "e\x00", "設定", "<!--", "&lt;", "[^1]"]
PIECES = st.sampled_from([*LINES, *FRAGMENTS])


def kinds(blocks: tuple[Block, ...]) -> list[tuple[str, int, int]]:
    return [(block.kind, block.first_line, block.last_line) for block in blocks]


def test_each_block_has_its_kind_and_lines() -> None:
    assert kinds(read_blocks(ARTICLE).blocks) == [
        ("paragraph", 1, 2),
        ("heading", 4, 4),
        ("list", 6, 14),
        ("item", 6, 10),
        ("paragraph", 6, 6),
        ("code", 8, 10),
        ("item", 11, 14),
        ("paragraph", 11, 12),
        ("list", 13, 14),
        ("item", 13, 13),
        ("item", 14, 14),
        ("heading", 16, 17),
        ("table", 19, 21),
        ("row", 19, 19),
        ("row", 21, 21),
        ("quote", 23, 25),
        ("paragraph", 24, 25),
        ("code", 27, 27),
        ("rule", 29, 29),
        ("heading", 30, 30),
        ("code", 31, 32),
    ]


def of_kind(text: str, kind: BlockKind) -> list[Block]:
    return [block for block in read_blocks(text).blocks if block.kind == kind]


def test_headings_have_level_title_and_marker() -> None:
    headings = of_kind(ARTICLE, "heading")

    assert [(block.level, block.text, block.marker) for block in headings] == [
        (1, "Install *it*", "#"),
        (2, "Limits", "-"),
        (2, "Open end", "##"),
    ]


def test_items_have_their_own_words_and_marker() -> None:
    items = of_kind(ARTICLE, "item")

    assert [(block.text, block.marker, block.depth) for block in items] == [
        ("Download", "1.", 1),
        ("Run\nit", "2.", 1),
        ("deep", "-", 3),
        ("done", "-", 3),
    ]


def test_rows_leave_out_the_line_of_hyphens() -> None:
    assert [block.text for block in read_blocks(ARTICLE).rows()] == ["| Plan | Seats |", "| Free | 3 |"]


def test_code_is_fenced_or_indented() -> None:
    assert [(block.text, block.marker, block.is_open) for block in of_kind(ARTICLE, "code")] == [
        ("make", "```", False),
        ("indented", "", False),
        ("# no heading", "~~~", True),
    ]
    assert [block.marker for block in read_blocks(ARTICLE).fences()] == ["```", "~~~"]


@pytest.mark.parametrize(
    "text", ["    ```  \n", "    ```  \n    b\n\n\nx", "- a\n\n      ``` \n\n  b", "\t~~~ \t\n"]
)
def test_indented_code_that_begins_like_a_fence_has_none(text: str) -> None:
    [code] = of_kind(text, "code")

    assert (code.marker, code.is_open) == ("", False)


@pytest.mark.parametrize("text", ["~~~ x\n~~~ x\n~~~\n", "> ```  \n> ```  \n", "```\n\n```"])
def test_fenced_code_whose_content_looks_like_its_fence_is_closed(text: str) -> None:
    [code] = of_kind(text, "code")

    assert (bool(code.marker), code.is_open) == (True, False)


def test_a_quote_keeps_its_paragraphs_without_its_marks() -> None:
    blocks = read_blocks("> one\n> two\nlazy\n>\n> ## Inside\n").blocks

    assert [(block.kind, block.text, block.depth) for block in blocks] == [
        ("quote", "", 0),
        ("paragraph", "one\ntwo\nlazy", 1),
        ("heading", "Inside", 1),
    ]


@pytest.mark.parametrize(
    ("line", "title", "marker"),
    [
        ("#", "", "#"),
        ("## a #b ##", "a #b", "##"),
        ("### a#", "a#", "###"),
        ("# \\#", "\\#", "#"),
        ("#### ####", "", "####"),
        ("   # a\t", "a", "#"),
        ("a\nb\n===", "a\nb", "="),
    ],
)
def test_titles_as_commonmark_reads_them(line: str, title: str, marker: str) -> None:
    [heading] = of_kind(line, "heading")

    assert (heading.text, heading.marker) == (title, marker)


@pytest.mark.parametrize("line", ["#a", "####### a", "    # a", "\\# a", "`# a`", "a\n\n---"])
def test_lines_that_only_look_like_headings_are_none(line: str) -> None:
    assert of_kind(line, "heading") == []


def test_html_of_an_author_can_not_pretend_to_be_a_block() -> None:
    text = 'a\n\n<h1 data-sourcepos="1:1-1:1">\nx\n</h1>\n\n`<p data-sourcepos="9:9-9:9">`\n'

    assert kinds(read_blocks(text).blocks) == [("paragraph", 1, 1), ("paragraph", 7, 7)]


def test_markdown_between_tags_is_read() -> None:
    blocks = read_blocks("<details>\n<summary>More</summary>\n\ninside\n\n</details>\n").blocks

    assert kinds(blocks) == [("paragraph", 4, 4)]


def test_footnotes_stand_where_they_are_defined() -> None:
    blocks = read_blocks("a[^1]\n\n[^1]: note\n\n# End\n").blocks

    assert kinds(blocks) == [("paragraph", 1, 1), ("footnote", 3, 3), ("paragraph", 3, 3), ("heading", 5, 5)]


def test_link_definitions_are_no_text() -> None:
    assert [block.text for block in read_blocks("[a]: /x\n[b]: /y\nText\n").blocks] == ["Text"]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_all_line_ends_count_alike(end: str) -> None:
    assert kinds(read_blocks(f"a{end}{end}# b{end}").blocks) == [("paragraph", 1, 1), ("heading", 3, 3)]


def test_an_item_whose_words_begin_below_its_marker() -> None:
    [item] = of_kind("-\n  words\n  more\n\n  rest\n", "item")

    assert (item.text, item.marker) == ("words\nmore", "-")


def test_an_item_that_holds_only_other_blocks_has_no_words() -> None:
    texts = [block.text for block in of_kind("- - inner\n- # title\n- ```\n  code\n  ```\n", "item")]

    assert texts == ["", "inner", "", ""]


@pytest.mark.parametrize(("row", "count"), [("| a | b |", 2), ("a | b", 2), (r"| a \| b |", 1), ("|a", 1)])
def test_cells_of_a_row(row: str, count: int) -> None:
    assert cell_count(row) == count


@given(st.lists(PIECES, max_size=30), st.lists(st.sampled_from(["\n", " ", ""]), min_size=30, max_size=30))
def test_any_text_is_read_within_its_lines(pieces: list[str], joints: list[str]) -> None:
    markdown = read_blocks("".join(piece + joint for piece, joint in zip(pieces, joints, strict=False)))

    count = len(markdown.lines)
    firsts = [block.first_line for block in markdown.blocks]
    assert firsts == sorted(firsts)
    assert all(1 <= block.first_line <= block.last_line <= count for block in markdown.blocks)

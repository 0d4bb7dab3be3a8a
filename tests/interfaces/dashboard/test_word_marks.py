"""Changed words are marked in rendered HTML, and no mark crosses a tag."""

import re

import pytest

from instep.interfaces.dashboard.review.block_marks import mark_table
from instep.interfaces.dashboard.review.word_marks import mark_all, mark_words
from instep.platform.core.markdown import render


def marked(before: str, after: str) -> str:
    return mark_words(render(before), render(after)).html.strip()


@pytest.mark.parametrize(
    ("before", "after", "html"),
    [
        ("up to 25 MB.", "up to 50 MB.", "<p>up to <del>25</del><ins>50</ins> MB.</p>"),
        ("in 1.5 s", "in 2.5 s", "<p>in <del>1.5</del><ins>2.5</ins> s</p>"),
        ("run it", "run it twice", "<p>run it<ins> twice</ins></p>"),
        ("run it twice", "run it", "<p>run it<del> twice</del></p>"),
        ("a **b** c", "a **d** c", "<p>a <strong><del>b</del><ins>d</ins></strong> c</p>"),
        ("use `a` now", "use b now", "<p>use <del><code>a</code></del><ins>b</ins> now</p>"),
        ("a plain word", "a *plain* word", "<p>a <em><del>plain</del><ins>plain</ins></em> word</p>"),
        ("one two three", "one four five", "<p>one <del>two three</del><ins>four five</ins></p>"),
        ("Tom & Ann", "Tom & Eve", "<p>Tom &amp; <del>Ann</del><ins>Eve</ins></p>"),
        ("上传文件", "上传图片", "<p>上传<del>文件</del><ins>图片</ins></p>"),
    ],
)
def test_a_changed_word_is_marked(before: str, after: str, html: str) -> None:
    assert marked(before, after) == html


def test_marks_stay_inside_of_items() -> None:
    html = marked("- one\n- two\n", "- one\n- three\n- two\n")

    assert html == "<ul>\n<li>one</li>\n<li><ins>three</ins></li>\n<li>two</li>\n</ul>"


def test_equal_texts_have_no_marks() -> None:
    html = render("A [link](https://a.example).")

    assert mark_words(html, html).has_marks is False


def test_another_address_of_a_link_is_seen() -> None:
    assert "<del>link</del><ins>link</ins>" in marked(
        "A [link](https://a.example).", "A [link](https://b.example)."
    )


def test_a_row_that_goes_stays_a_row() -> None:
    before = render("|a|b|\n|-|-|\n|1|2|\n|3|4|\n")
    after = render("|a|b|\n|-|-|\n|1|5|\n")

    html = mark_table(before, after).html

    assert "<td><del>2</del><ins>5</ins></td>" in html
    assert "<td><del>3</del></td>" in html


def test_a_long_table_shows_its_changed_rows_and_their_neighbors() -> None:
    rows = [f"|row {number}|{number} MB|\n" for number in range(1, 31)]
    before = render("".join(["|what|limit|\n|-|-|\n", *rows]))
    rows[19] = "|row 20|25 MB|\n"
    after = render("".join(["|what|limit|\n|-|-|\n", *rows]))

    marked = mark_table(before, after, is_folded=True)

    assert marked.has_fold
    assert re.findall(r"<td>(row \d+)</td>", marked.html) == [f"row {number}" for number in range(18, 23)]
    assert "<th>what</th>" in marked.html
    assert re.findall(r'<td colspan="2">([^<]+)</td>', marked.html) == [
        "17 unchanged rows",
        "8 unchanged rows",
    ]
    assert not mark_table(before, after).has_fold


LONG = "refuses what is larger before it is read, so that no memory is spent on it"
WIDE = "|Setting|Type|Description|Default|\n|-|-|-|-|\n"
ROW = f"|`MAX_BYTES`|integer|{LONG}|`20`|\n"


def fields_of(html: str) -> list[tuple[str, str]]:
    """The names and marked cells of rows that are shown as fields."""
    return re.findall(r"<dt>(.*?)</dt><dd>(.*?)</dd>", html)


def test_a_changed_row_of_a_wide_table_is_shown_as_fields() -> None:
    other = ROW.replace("MAX_BYTES", "MIN_BYTES")
    html = mark_table(render(WIDE + ROW + other), render(WIDE + ROW.replace("20", "50") + other)).html

    assert fields_of(html) == [
        ("Setting", "<code>MAX_BYTES</code>"),
        ("Type", "integer"),
        ("Description", LONG),
        ("Default", "<code><del>20</del><ins>50</ins></code>"),
    ]
    assert "<td><code>MIN_BYTES</code></td>" in html


def test_rows_of_a_wide_table_that_come_or_go_are_fields_and_an_emptied_cell_is_seen() -> None:
    other = ROW.replace("MAX_BYTES", "MIN_BYTES")

    for old, new, tag in ((ROW, "", "del"), ("", ROW, "ins")):
        fields = dict(fields_of(mark_table(render(WIDE + other + old), render(WIDE + other + new)).html))
        assert fields["Default"] == f"<code><{tag}>20</{tag}></code>"
    emptied = mark_table(render(WIDE + ROW), render(WIDE + ROW.replace("integer", ""))).html
    assert dict(fields_of(emptied))["Type"] == "<del>integer</del>"


def test_a_new_column_and_a_narrow_table_stay_rows() -> None:
    column = "|Setting|Type|Unit|Description|Default|\n|-|-|-|-|-|\n"
    more = ROW.replace("|integer|", "|integer|bytes|")
    narrow = ROW.replace(LONG, "bytes")

    assert fields_of(mark_table(render(WIDE + ROW), render(column + more)).html) == []
    assert fields_of(mark_table(render(WIDE + narrow), render(WIDE + narrow.replace("20", "50"))).html) == []


def test_every_word_is_marked() -> None:
    html = mark_all(render("One *two* three."), "ins")

    assert html.strip() == "<p><ins>One</ins> <em><ins>two</ins></em> <ins>three.</ins></p>"

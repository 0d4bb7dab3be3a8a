"""An article as passages: its headings, where they stand on the page, and what reading it may cost."""

import time

import pytest

from instep.core.markdown import render
from instep.search.index.builder import MAX_INDEXED_PASSAGES, sections_of
from instep.search.index.passages import Anchors, split

HEADINGS = {
    "# a": "a",
    "#  a  b  ": "a  b",
    "## a ##": "a",
    "## a ##  ": "a",
    "# a#": "a#",
    "# a #b": "a #b",
    "#\ta\t#": "a",
    "   ### *a* `b`": "a b",
}
NO_HEADINGS = ["#a", "####### a", "    # a", "a # b"]


@pytest.mark.parametrize(("line", "title"), HEADINGS.items())
def test_a_heading_is_read_as_commonmark_has_it(line: str, title: str) -> None:
    [section] = split(f"{line}\n\nb")

    assert section.headings == (title,)


@pytest.mark.parametrize("line", ["#", "# #", "## ##"])
def test_a_heading_may_be_empty(line: str) -> None:
    [section] = split(f"{line}\n\nb")

    assert section.headings == ("",)


@pytest.mark.parametrize("line", NO_HEADINGS)
def test_what_is_no_heading_is_text(line: str) -> None:
    [section] = split(f"{line}\n\nb")

    assert section.headings == ()


def test_a_heading_with_many_blanks_is_read_in_no_time() -> None:
    began = time.process_time()
    [section] = split("# a" + " " * 250_000 + "b\n\nc")

    assert time.process_time() - began < 0.5
    assert section.markdown.strip() == "c"


def test_an_article_with_many_headings_is_read_as_quickly_as_a_usual_one() -> None:
    text = "".join(f"## Heading {number}\n\nSome words.\n\n" for number in range(9_000))
    html = render(text)
    began = time.process_time()
    sections = sections_of(None, text)
    anchors = Anchors(html)

    assert [anchors.of(section) for section in sections[-2:]] == ["h-heading-598", "h-heading-599"]
    assert time.process_time() - began < 0.2
    assert len(sections) == MAX_INDEXED_PASSAGES


def test_headings_in_html_move_none_of_the_anchors() -> None:
    text = "<h2>Before</h2>\n\n## Same\n\na\n\n## Other\n\nb\n\n## Same\n\nc\n"
    sections = split(text)
    anchors = Anchors(render(text))

    assert [anchors.of(section) for section in sections[1:]] == ["h-same", "h-other", "h-same-1"]


def test_what_stands_before_all_headings_has_no_anchor() -> None:
    [section] = split("a")

    assert Anchors(render("a")).of(section) is None

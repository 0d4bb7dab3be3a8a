"""Splitting an article into passages: headings, anchors, and the time it takes."""

import time

import pytest

from instep.platform.core import limits
from instep.platform.core.markdown import render
from instep.search.index.builder import split_article
from instep.search.index.passages import Anchors, plain_passage, readable_passage, split_markdown
from tests.support.growth import grows_linearly

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
    [passage] = split_markdown(f"{line}\n\nb")

    assert passage.headings == (title,)


@pytest.mark.parametrize("line", ["#", "# #", "## ##"])
def test_a_heading_may_be_empty(line: str) -> None:
    [passage] = split_markdown(f"{line}\n\nb")

    assert passage.headings == ("",)


@pytest.mark.parametrize("line", NO_HEADINGS)
def test_lines_that_only_look_like_headings_are_text(line: str) -> None:
    [passage] = split_markdown(f"{line}\n\nb")

    assert passage.headings == ()


def test_a_heading_with_many_blanks_is_read_in_no_time() -> None:
    assert grows_linearly(split_markdown, heading_with_blanks, 250_000)

    [passage] = split_markdown(heading_with_blanks(9))
    assert passage.markdown.strip() == "c"


def heading_with_blanks(count: int) -> str:
    return "# a" + " " * count + "b\n\nc"


def test_an_article_with_many_headings_is_read_as_quickly_as_a_usual_one() -> None:
    text = "".join(f"## Heading {number}\n\nSome words.\n\n" for number in range(9_000))
    html = render(text)
    started = time.thread_time()
    passages = split_article(None, text)
    anchors = Anchors(html)

    assert [anchors.of(passage) for passage in passages[-2:]] == ["h-heading-598", "h-heading-599"]
    assert time.thread_time() - started < 0.2
    assert len(passages) == limits.MAX_INDEXED_PASSAGES


def test_headings_in_html_move_none_of_the_anchors() -> None:
    text = "<h2>Before</h2>\n\n## Same\n\na\n\n## Other\n\nb\n\n## Same\n\nc\n"
    passages = split_markdown(text)
    anchors = Anchors(render(text))

    assert [anchors.of(passage) for passage in passages[1:]] == ["h-same", "h-other", "h-same-1"]


def test_text_before_all_headings_has_no_anchor() -> None:
    [passage] = split_markdown("a")

    assert Anchors(render("a")).of(passage) is None


def test_formulas_stay_as_their_author_wrote_them() -> None:
    text = "Wait $`10^{-3}`$ seconds.\n\n```math\n\\frac{a}{b}\n```\n"

    for passage in (plain_passage(text), readable_passage(text)):
        assert passage == "Wait 10^{-3} seconds.\n\\frac{a}{b}"

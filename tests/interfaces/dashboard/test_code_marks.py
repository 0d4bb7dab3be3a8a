"""A code block in the review shows the changed lines and the lines around them."""

import re

from instep.interfaces.dashboard.review.block_marks import mark_block
from instep.interfaces.dashboard.review.word_marks import MarkedHtml
from instep.platform.core.markdown import render_excerpt

LINES = [f"STEP_{number} = {number}" for number in range(1, 31)]


def marked(before: list[str], after: list[str], *, is_folded: bool = False) -> MarkedHtml:
    texts = ("\n".join(["```python", *lines, "```"]) for lines in (before, after))
    return mark_block(*map(render_excerpt, texts), is_folded=is_folded)


def lines_with_signs(html: str) -> list[str]:
    return [
        f"{sign or ' '} {re.sub('<[^>]*>', '', line)}"
        for sign, line in re.findall(r'<span(?: data-sign="(.)")?>(.*)\n</span>', html)
    ]


def test_a_changed_line_stands_above_the_one_that_comes_for_it_with_its_words_marked() -> None:
    html = marked(["a = 1", 'b = "<x>" + 2', "c = 3"], ["a = 1", 'b = "<x>" + 4', "c = 3"]).html

    assert lines_with_signs(html) == [
        "  a = 1",
        "- b = &quot;&lt;x&gt;&quot; + 2",
        "+ b = &quot;&lt;x&gt;&quot; + 4",
        "  c = 3",
    ]
    assert "<del>2</del>" in html
    assert "<ins>4</ins>" in html


def test_lines_that_only_one_text_has_are_marked_as_a_whole() -> None:
    html = marked(["a = 1", "b = 2"], ["a = 1", "    c = 3", "", "d = 4"]).html

    assert "<del>b = 2</del>" in html or "<del>b</del>" in html
    assert "<ins>d = 4</ins>" in html
    assert [line[0] for line in lines_with_signs(html)] == [" ", "-", "+", "+", "+"]


def test_long_code_shows_its_changed_line_and_the_lines_around_it() -> None:
    after = [*LINES[:19], "STEP_20 = 25", *LINES[20:]]

    folded = marked(LINES, after, is_folded=True)

    assert folded.has_fold
    assert re.findall(r'<span class="folded">(.*)\n', folded.html) == [
        "17 unchanged lines",
        "8 unchanged lines",
    ]
    assert len(lines_with_signs(folded.html)) == 6
    assert len(lines_with_signs(marked(LINES, after).html)) == 31


def test_another_language_of_the_code_alone_marks_nothing() -> None:
    assert not mark_block(render_excerpt("```py\na\n```"), render_excerpt("```python\na\n```")).has_marks


STEPS = """\
1. Write the file:

   ```yaml
   port: {port}
   host: a
   ```

   {then}

   | option | default |
   |---|---|
   | port | {port} |
   | host | a |
"""


def test_code_and_tables_within_an_item_are_marked_by_line_and_by_row() -> None:
    before, after = STEPS.format(port=80, then="Then start it."), STEPS.format(port=8080, then="Then wait.")

    html = mark_block(render_excerpt(before), render_excerpt(after)).html

    assert lines_with_signs(html) == ["- port: 80", "+ port: 8080", "  host: a"]
    assert re.search(r"<p>Then <del>start it</del><ins>wait</ins>", html)
    assert re.search(r"<td>port</td>\s*<td><del>80</del><ins>8080</ins></td>", html)


def test_words_beside_the_code_of_an_item_that_go_are_shown() -> None:
    before, after = STEPS.format(port=80, then="Then start it."), STEPS.format(port=80, then="")

    marked = mark_block(render_excerpt(before), render_excerpt(after))

    assert marked.has_marks
    assert "<del>Then start it.</del>" in marked.html

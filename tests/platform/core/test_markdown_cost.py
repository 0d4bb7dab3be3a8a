"""Text that the renderer could not process in linear time is refused at once, with its line and the limit."""

import time

import pytest

from instep.platform.core import limits
from instep.platform.core.markdown import render, render_bounded, render_checked
from instep.platform.core.markdown_cost import TooComplex

LONGEST = limits.MAX_CONTENT_CHARACTERS


def filled(piece: str, before: str = "") -> str:
    """A text of the maximum length of an article."""
    return before + piece * ((LONGEST - len(before)) // len(piece))


def table(columns: int) -> str:
    return "|" + "a|" * columns + "\n|" + "-|" * columns + "\n"


def staircase(depth: int) -> str:
    return "".join("  " * level + "- a\n" for level in range(depth))


COSTLY = {
    "quotes": (">" * 60_000, "Line 1 nests"),
    "long line of quotes": (filled(">"), "Line 1 nests"),
    "quotes after a mark of byte order": ("\ufeff" + ">" * 60_000, "Line 1 nests"),
    "quotes after a carriage return": ("a\r" + ">" * 60_000, "Line 2 nests"),
    "quotes in a footnote": ("[^a]: " + ">" * 60_000, "Line 1 nests"),
    "lists in one line": (filled("* ") + "a", "Line 1 nests"),
    "numbered lists in one line": (filled("1. ") + "a", "Line 1 nests"),
    "lists by indentation": (staircase(500), "Line 31 nests"),
    "lists and quotes": ("".join("> - " * depth + "a\n" for depth in range(200)), "Line 17 nests"),
    "lists, then lines": (filled("a\n", staircase(300)), "Line 31 nests"),
    "list items": (filled("- a\n"), "Line 50001 goes beyond 50000 list items"),
    "columns": (filled("a\n", table(20_000)), "line 2 has more than 500 columns"),
    "cells": (filled("a\n", table(100)), "line 2 goes beyond 50000 cells"),
    "tables": (filled(table(3) + "\n"), "goes beyond 50000 cells"),
    "delimiter rows": (filled("-|-\n"), "goes beyond 50000 cells"),
    "footnotes": (filled("[^a] ", "[^a]: x\n\n"), "Line 3 goes beyond 10000 footnote"),
    "headings": (filled("# a\n"), "Line 10001 goes beyond 10000 headings"),
    "underlined headings": (filled("a\n=\n"), "goes beyond 10000 headings"),
    "equal headings": ("# a\n" * 9_000, "More than 1000 headings are identical"),
    "headings that render alike": ("".join(f"# [a](/{n})\n" for n in range(9_000)), "are identical"),
    "ampersands": (filled("&"), "Line 1 goes beyond 20000 signs `&`"),
    "entities": (filled("&#38;"), "Line 1 goes beyond 20000 signs `&`"),
    "addresses of mail": (filled("a@b.c "), "Line 1 has more than 1000 signs `@`"),
    "parentheses": (filled(")", "http://a.b"), "line 1 has more than 2000 closing"),
    "tags": (filled("<div>"), "open in line 1:"),
    "tags on lines": (filled("<div>\n"), "open in line 201:"),
    "formatting": (filled("a<b>\n\n"), "open in line 399:"),
    "ends of other tags": ("<section>" * 50_000 + "</em>" * 50_000, "open in line 1:"),
    "ends in comments": (filled("<div><!-- </div> -->"), "open in line 1:"),
    "ends in attributes": (filled('<div><b title="</div>"></b>'), "open in line 1:"),
    "ends in raw text": (filled("<div><textarea></div></textarea>"), "open in line 1:"),
    "ends outside of a table": (filled("<div><table></div></table>"), "open in line 1:"),
    "attributes": ("<b " + " ".join(f"a{n}" for n in range(100_000)) + ">", "more than 100 attributes"),
}


@pytest.mark.parametrize(("text", "refusal"), COSTLY.values(), ids=COSTLY)
def test_a_costly_text_is_refused_quickly_and_in_words(text: str, refusal: str) -> None:
    began = time.thread_time()
    with pytest.raises(TooComplex) as error:
        render_checked(text)

    assert time.thread_time() - began < 1
    assert refusal in error.value.message
    assert error.value.details == (("contentMarkdown", error.value.message),)


ALLOWED = {
    "nesting": ">" * limits.MAX_NESTING_LEVELS + " a",
    "lists": staircase(limits.MAX_NESTING_LEVELS),
    "lines of a nested list": filled("a\n", staircase(limits.MAX_NESTING_LEVELS)),
    "a line of dashes": "- " * 1_000 + "\n\n" + "* " * 1_000,
    "code far to the right": (" " * 4_000 + "- a\n") * 10,
    "siblings": "- a\n  - b\n    - c\n\n> - d\n\n" * 2_000,
    "table": table(limits.MAX_TABLE_COLUMNS) + "a\n" * 50,
    "headings": "".join(f"# a {number}\n" for number in range(limits.MAX_HEADINGS)),
    "equal headings": "# a\n" * limits.MAX_EQUAL_HEADINGS,
    "code of a program": "```c\n" + "if (a && b)\n" * 5_000 + "```\n",
    "tags as code": "Use `<div>`.\n" * 5_000 + "```html\n" + "<div>\n" * 5_000 + "```\n",
    "tags": "<details><summary>a</summary>\n\nb<br>\n\n</details>\n\n" * 5_000,
    "tags that end nothing": 'a <Icon name="b" /> c\n\n' * 5_000,
    "paragraphs without an end": "a<p>\n" * 5_000,
    "a table of tags": "<table>" + "<tr><td>a<td><p>b\n" * 5_000 + "</table>",
    "a picture in an address": f'<img src="data:image/png;base64,{"A" * 100_000}">',
}


@pytest.mark.parametrize("text", ALLOWED.values(), ids=ALLOWED)
def test_markdown_of_authors_is_rendered(text: str) -> None:
    assert render_checked(text) == render(text)


async def test_a_costly_text_is_refused_wherever_it_is_rendered() -> None:
    """A short text is refused at once, a long one in a separate process."""
    for depth in (limits.MAX_NESTING_LEVELS + 1, 500_000):
        with pytest.raises(TooComplex, match="than 30") as refusal:
            await render_bounded("a\n\n" + ">" * depth)

        assert refusal.value.status == 400
        assert refusal.value.details[0][0] == "contentMarkdown"

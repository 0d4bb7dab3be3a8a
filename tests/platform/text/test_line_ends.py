"""A text sent back by a browser equals the original, byte for byte, except where someone changed it."""

import re

import pytest

from instep.platform.text.diff import compare_now
from instep.platform.text.line_ends import value_in_field, with_line_ends_of

TEXTS = [
    "",
    "one",
    "one\n",
    "\n",
    "one\ntwo\n\n",
    "one\r\ntwo\r\n",
    "a\r\nb\nc\rd",
    "\r\n\nx\r\r\n",
    "a\rb\r",
]


def sent_by_browser(text: str) -> str:
    """A text as a form sends it: every line end is CRLF (WHATWG HTML, section 4.10.21.4)."""
    return re.sub(r"\r\n|\r|\n", "\r\n", text)


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("line_end", ["\r\n", "\n"])
def test_unchanged_text_comes_back_byte_for_byte(text: str, line_end: str) -> None:
    assert with_line_ends_of(text, sent_by_browser(text).replace("\r\n", line_end)) == text


def test_one_word_changes_one_line_of_a_text_with_all_kinds_of_line_ends() -> None:
    text = "one\r\ntwo\nthree\rfour\r\nfive\n"

    assert with_line_ends_of(text, sent_by_browser(text).replace("three", "3")) == text.replace("three", "3")


def test_new_lines_end_like_the_line_before_them() -> None:
    assert with_line_ends_of("a\r\nb\nc", "a\r\nnew\r\nb\r\nc\r\nlast") == "a\r\nnew\r\nb\nc\nlast"
    assert with_line_ends_of("a\r\nb\r\n", "a\nnew\nb\n") == "a\r\nnew\r\nb\r\n"
    assert with_line_ends_of("", "a\r\nb") == "a\nb"


def test_a_long_text_with_two_kinds_of_line_ends_keeps_them() -> None:
    lines = [f"line {number}" + ("\r\n" if number % 3 else "\n") for number in range(20_000)]
    text = "".join(lines)
    changed = text.replace("line 10000\r", "line ten thousand\r")

    diff = compare_now(text, with_line_ends_of(text, sent_by_browser(changed)), ("a", "b"))
    assert (diff.additions, diff.deletions) == (1, 1)


def test_a_field_of_one_line_gives_back_what_it_was_filled_with() -> None:
    assert value_in_field("two\nlines", "twolines") == "two\nlines"
    assert value_in_field("two\nlines", "two lines") == "two lines"

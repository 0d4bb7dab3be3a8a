"""Excerpts of texts around the words of a search."""

import re
import time

import pytest

from instep.platform.core.markdown import render
from instep.search.excerpts import EXCERPT_CHARACTERS, best_excerpt, plain_text, readable_text

FILLER = "Nothing of interest stands here. " * 40


def excerpt(text: str, *prefixes: str) -> str:
    best = best_excerpt(text, prefixes)
    assert best is not None
    return best


def test_a_short_text_is_its_own_excerpt() -> None:
    assert excerpt("Invite your team.", "team") == "Invite your team."


def test_the_excerpt_has_the_most_words_and_whole_ones() -> None:
    text = f"Export. {FILLER}Then export all data as a file. {FILLER}Data. {FILLER}"

    result = excerpt(text, "export", "data", "file")

    assert "Then export all data as a file." in result
    assert result.startswith("…")
    assert result.endswith("…")
    assert len(result) <= EXCERPT_CHARACTERS + 2
    assert result.strip("…") in text
    before, after = text.split(result.strip("…"))
    assert before[-1:] == " "
    assert after[:1] == " "


def test_the_first_of_equal_excerpts_is_chosen() -> None:
    assert excerpt(f"One key. {FILLER}Another key.", "key").startswith("One key.")


def test_an_excerpt_at_the_end_of_a_text_is_of_full_length() -> None:
    result = excerpt(f"{FILLER}At last the key.", "key")

    assert result.endswith("At last the key.")
    assert len(result) > EXCERPT_CHARACTERS / 2


@pytest.mark.parametrize(
    ("text", "prefix", "is_match"),
    [
        ("Exported data", "export", True),
        ("EXPORT", "export", True),
        ("İSTANBUL Export", "export", True),
        ("Import", "port", False),
        ("A van", "v", False),
        ("Use v 2", "v", True),
        ("如何重置密码", "密码", True),
        ("Sei ÜBER", "über", True),
    ],
)
def test_words_match_by_prefix(text: str, prefix: str, is_match: bool) -> None:
    assert (best_excerpt(text, [prefix]) is not None) is is_match


def test_a_text_without_a_match_has_no_excerpt() -> None:
    assert best_excerpt("", ["key"]) is None
    assert best_excerpt("text", []) is None


def test_scripts_without_blanks_are_cut_too() -> None:
    result = excerpt("前置说明" * 200 + "重置密码" + "后续内容" * 200, "重置", "密码")

    assert "重置密码" in result
    assert len(result) <= EXCERPT_CHARACTERS + 2


@pytest.mark.parametrize(
    ("markdown", "text"),
    [
        (
            "# Title\n\n*One* **two** `three` [four](https://x.y/?a=1&b=2 'five \" > six').",
            "Title One two three four.",
        ),
        ("- a\n- b\n\n1. c\n\n> d\n\n---\n\n- [x] e", "a b c d e"),
        ("| a | b |\n|---|---|\n| c | d |", "a b c d"),
        ("```sh\nrun --now\n```", "run --now"),
        ("a &lt;b&gt; &amp; `<c>`", "a <b> & <c>"),
        ("un**believ**able", "unbelievable"),
        ("Text.[^1]\n\n[^1]: Note.", "Text. Note."),
        ("<b>a</b> ![picture](x.png '>') b", "a b"),
        ("<script>alert(1)</script>\n\nc", "c"),
        ("<details><summary>More</summary>Text</details>", "More Text"),
    ],
)
def test_only_words_are_left_of_a_rendered_text(markdown: str, text: str) -> None:
    assert plain_text(render(markdown)) == text


def test_rows_and_lines_of_code_are_lines_of_a_readable_text() -> None:
    html = render(
        "Set one:\n\n| name | | default |\n|---|---|---|\n| `port` | | 80 |\n| host\\|name | of | |\n\n"
        "Then *run*\nit.\n\n```sh\ninstep serve\n\n  --port 8\n```\n\nDone."
    )

    assert readable_text(html).split("\n") == [
        "Set one:",
        "name · default",
        "port · 80",
        "host|name · of",
        "Then run it.",
        "instep serve",
        "--port 8",
        "Done.",
    ]


def test_an_excerpt_begins_and_ends_at_words_of_the_rows() -> None:
    rows = "\n".join(f"name{number} · value{number}" for number in range(100))

    result = excerpt(rows, "value50")

    assert "name50 · value50\n" in result
    assert re.fullmatch(r"…(name|value)\d+.*(name|value)\d+…", result, re.DOTALL)


def test_a_text_that_was_cut_within_a_tag_ends_before_it() -> None:
    html = render("Go [there](https://example.com/a 'title') now.")

    for length in range(len(html)):
        assert not set(plain_text(html[:length])) & set('<>="')


def test_no_text_takes_long() -> None:
    prefixes = ["a", "ab", *(f"a{number}" for number in range(40))]
    texts = ["a " * 50_000, "ab" * 50_000, '<sup class="footnote-ref">' * 4_000, "<a href='x' b>" * 7_000]
    started = time.thread_time()
    for text in [*texts, "<" * 100_000, "&amp" * 25_000, "<a " * 30_000, "<pre\n<table </td> " * 9_000]:
        best_excerpt(plain_text(text), prefixes)
        best_excerpt(readable_text(text), prefixes)

    assert time.thread_time() - started < 5

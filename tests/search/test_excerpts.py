"""The passage around what was found."""

import time

import pytest

from instep.core.markdown import render
from instep.search.excerpts import LENGTH, best_passage, plain_text

FILLER = "Nothing of interest stands here. " * 40


def passage(text: str, *beginnings: str) -> str:
    found = best_passage(text, beginnings)
    assert found is not None
    return found


def test_a_short_text_is_shown_whole() -> None:
    assert passage("Invite your team.", "team") == "Invite your team."


def test_the_passage_where_most_words_stand_together_is_shown_from_word_to_word() -> None:
    text = f"Export. {FILLER}Then export all data as a file. {FILLER}Data. {FILLER}"

    shown = passage(text, "export", "data", "file")

    assert "Then export all data as a file." in shown
    assert shown.startswith("…")
    assert shown.endswith("…")
    assert len(shown) <= LENGTH + 2
    assert shown.strip("…") in text
    before, after = text.split(shown.strip("…"))
    assert before[-1:] == " "
    assert after[:1] == " "


def test_of_equal_passages_the_first_is_shown() -> None:
    assert passage(f"One key. {FILLER}Another key.", "key").startswith("One key.")


def test_the_end_of_a_text_is_shown_with_what_stands_before_it() -> None:
    shown = passage(f"{FILLER}At last the key.", "key")

    assert shown.endswith("At last the key.")
    assert len(shown) > LENGTH / 2


@pytest.mark.parametrize(
    ("text", "beginning", "is_found"),
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
def test_words_are_found_by_how_they_begin(text: str, beginning: str, is_found: bool) -> None:
    assert (best_passage(text, [beginning]) is not None) is is_found


def test_nothing_found_is_no_passage() -> None:
    assert best_passage("", ["key"]) is None
    assert best_passage("text", []) is None


def test_scripts_without_blanks_are_cut_too() -> None:
    shown = passage("前置说明" * 200 + "重置密码" + "后续内容" * 200, "重置", "密码")

    assert "重置密码" in shown
    assert len(shown) <= LENGTH + 2


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


def test_a_text_that_was_cut_within_a_tag_ends_before_it() -> None:
    html = render("Go [there](https://example.com/a 'title') now.")

    for length in range(len(html)):
        assert not set(plain_text(html[:length])) & set('<>="')


def test_no_text_takes_long() -> None:
    beginnings = ["a", "ab", *(f"a{number}" for number in range(40))]
    texts = ["a " * 50_000, "ab" * 50_000, '<sup class="footnote-ref">' * 4_000, "<a href='x' b>" * 7_000]
    started = time.process_time()
    for text in [*texts, "<" * 100_000, "&amp" * 25_000, "<a " * 30_000]:
        best_passage(plain_text(text), beginnings)

    assert time.process_time() - started < 5

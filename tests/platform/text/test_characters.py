"""Rules about single characters."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from instep.platform.text.characters import (
    has_hidden,
    is_word_character,
    remove_hidden,
    replace_unprintable,
    shorten,
)

CONTROLS_AND_FORMATS = ["\x00", "\x1b", "\u00ad", "\u200b", "\u202e", "\u2066", "\ue000", "\ud800", "\u0378"]
HIDDEN = [*CONTROLS_AND_FORMATS, "\u2028", "\u034f", "\u3164", "\uffa0", "\U000e0041", "\U000e0100"]


@pytest.mark.parametrize("char", ["a", "ß", "7", "語", "\u093f", "\u0301"])
def test_letters_digits_and_marks_belong_to_words(char: str) -> None:
    assert is_word_character(char)


@pytest.mark.parametrize("char", [" ", "-", "_", "、", "🙂", "\u200d"])
def test_other_characters_do_not(char: str) -> None:
    assert not is_word_character(char)


@pytest.mark.parametrize("char", HIDDEN)
def test_hidden_characters_are_noticed_and_removed(char: str) -> None:
    assert has_hidden(f"a{char}b")
    assert remove_hidden(f"a{char}b") == "ab"
    assert replace_unprintable(f"a{char}b") == "a\ufffdb"


@pytest.mark.parametrize("text", ["", "Déjà vu, 設定 (1)…", "हिन्दी में", "⚙️ 🙂"])
def test_visible_text_stays(text: str) -> None:
    assert not has_hidden(text)
    assert remove_hidden(text) == text


@pytest.mark.parametrize(
    "text", ["one\n\ttwo", "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645", "👩\u200d💻"]
)
def test_line_breaks_and_joiners_are_hidden_but_stay(text: str) -> None:
    assert has_hidden(text)
    assert remove_hidden(text) == text


def test_control_characters_of_terminals_are_replaced() -> None:
    assert replace_unprintable("a\x1b[2Jb\tc\n\u202ed") == "a\ufffd[2Jb\ufffdc\ufffd\ufffdd"
    assert replace_unprintable("a\x1bb\tc\nd", allowed="\n\t") == "a\ufffdb\tc\nd"


def test_a_short_text_is_not_cut() -> None:
    assert shorten("four", 4) == "four"


def test_a_long_text_ends_in_an_ellipsis() -> None:
    assert shorten("a long text", 6) == "a lon…"
    assert shorten("a long text", 8) == "a long…"


def test_a_text_can_be_cut_after_a_whole_word() -> None:
    assert shorten("a long text", 10, at_word=True) == "a long…"
    assert shorten("indivisible", 6, at_word=True) == "indiv…"


@given(st.text(max_size=60), st.integers(1, 40), st.booleans())
def test_a_cut_text_keeps_the_limit(text: str, limit: int, at_word: bool) -> None:
    assert len(shorten(text, limit, at_word=at_word)) <= limit

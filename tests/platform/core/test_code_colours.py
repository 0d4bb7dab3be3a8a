"""Colors of code mark keywords, strings, values and comments; the text itself is unchanged."""

import re
from html import unescape

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from instep.platform.core.code_colours import LANGUAGES, colour_code, lexer_of
from instep.platform.core.markdown import render

TAG = re.compile(r"<[^<>]*>")


def block(language: str, code: str) -> str:
    return render(f"````{language}\n{code}\n````")


def test_words_texts_values_and_comments_differ() -> None:
    html = colour_code(block("python", 'def f(x=3):\n    # the <b>\n    return "a"'))

    assert '<span class="code-word">def</span>' in html
    assert '<span class="code-value">3</span>' in html
    assert '<span class="code-note"># the &lt;b&gt;</span>' in html
    assert '<span class="code-text">"a"</span>' in html


@pytest.mark.parametrize("language", ["", "klingon", "text"])
def test_code_of_no_known_language_stays(language: str) -> None:
    html = block(language, "if x: return 1")

    assert colour_code(html) == html


@settings(deadline=None)
@given(
    st.sampled_from(sorted(LANGUAGES)), st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=80)
)
def test_the_text_of_code_is_never_changed(language: str, code: str) -> None:
    html = block(language, code)

    assert unescape(TAG.sub("", colour_code(html))) == unescape(TAG.sub("", html))


def test_there_is_a_lexer_for_each_language() -> None:
    assert all(lexer_of(language) for language in LANGUAGES)

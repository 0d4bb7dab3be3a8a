"""Words and terms of texts in any script."""

import pytest

from instep.platform.text.terms import ordered_terms, stem, stop_words, terms_of, words_in


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Don't re-open it!", ["Don", "t", "re", "open", "it"]),
        ("日本語、設定", ["日本", "本語", "設定"]),
        ("語", ["語"]),
        ("हिन्दी में", ["हिन्दी", "में"]),
        ("Team設定2", ["Team", "設定", "2"]),
        ("\uf900\uf901", ["\uf900\uf901"]),
        ("x" * 200, ["x" * 100]),
        ("", []),
    ],
)
def test_words_of_any_script(text: str, words: list[str]) -> None:
    assert list(words_in(text)) == words


def test_terms_have_no_case_ending_or_stop_word() -> None:
    assert ordered_terms("How do I export the invoices of teamSettings?") == [
        "export",
        "invoic",
        "team",
        "sett",
    ]


def test_single_letters_are_no_terms_but_digits_are() -> None:
    assert terms_of("b 7 é") == {"7"}


def test_words_outside_ascii_keep_their_endings() -> None:
    assert ordered_terms("Räume ändern") == ["räume", "ändern"]


@pytest.mark.parametrize(
    "forms", ["display displays displayed displaying", "copy copies copied", "test tests"]
)
def test_the_forms_of_a_word_have_one_stem(forms: str) -> None:
    assert len(set(map(stem, forms.split()))) == 1


def test_a_language_without_a_list_has_no_stop_words() -> None:
    assert "please" in stop_words("question_key")
    assert stop_words("question_key", "de") == frozenset()

"""Highlighting the words of a text that match a search."""

import pytest

from instep.search.highlight import best_matches, highlight


@pytest.mark.parametrize(
    ("text", "words", "shown"),
    [
        (
            "Invite a person, inviting others.",
            {"invite", "inviting"},
            "[Invite] a person, [inviting] others.",
        ),
        ("An inviter.", {"invite"}, "An inviter."),
        ("Set pageSize or --dry-run.", {"page", "size", "run"}, "Set [pageSize] or --dry-[run]."),
        ("東京都に行く", {"東京", "京都"}, "[東京都]に行く"),
        ("\ufb01le it", {"file"}, "[\ufb01le] it"),
        ("", {"a"}, ""),
        ("Nothing.", set[str](), "Nothing."),
    ],
)
def test_whole_words_are_marked_in_any_spelling(text: str, words: set[str], shown: str) -> None:
    assert (
        "".join(f"[{piece}]" if is_marked else piece for piece, is_marked in highlight(text, words)) == shown
    )


def test_synonyms_are_marked_only_if_the_word_itself_is_not_there() -> None:
    matches = {"install": [("install", 1.0)], "set": [("install", 0.3)], "setting": [("install", 0.4)]}

    assert best_matches("Install it, then change a setting.", matches) == {"install"}
    assert best_matches("Set it up in a setting.", matches) == {"set", "setting"}

"""Marking the words of a text that match a search."""

import pytest

from instep.search.highlight import highlight


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

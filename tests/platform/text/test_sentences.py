"""The ends of sentences."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from instep.platform.text.sentences import sentence_spans, split_sentences


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("One. Two! Three?", ["One.", "Two!", "Three?"]),
        ("No end", ["No end"]),
        (
            "Use e.g. Chrome, i.e. A browser, etc. It runs.",
            ["Use e.g. Chrome, i.e. A browser, etc. It runs."],
        ),
        ("Version 1.2 is out. 3 more come.", ["Version 1.2 is out.", "3 more come."]),
        ("Open settings.json now. then go on.", ["Open settings.json now. then go on."]),
        ('He said "go." Then (so.) **Stop.** End.', ['He said "go."', "Then (so.)", "**Stop.**", "End."]),
        ("設定します。次へ\uff01完了", ["設定します。", "次へ\uff01", "完了"]),
        ("Fertig. Über uns.", ["Fertig.", "Über uns."]),
        ("Two\nlines. Next", ["Two\nlines.", "Next"]),
        ("", []),
        (" \n ", []),
    ],
)
def test_sentences(text: str, sentences: list[str]) -> None:
    assert split_sentences(text) == sentences


def test_lines_can_end_sentences() -> None:
    assert split_sentences("Title\nOne. Two\n\nThree", at_line_breaks=True) == [
        "Title",
        "One.",
        "Two",
        "Three",
    ]


@given(st.text(alphabet="aB.!?; \n\"')*。\uff01é1", max_size=60), st.booleans())
def test_spans_are_ordered_and_lose_only_spaces(text: str, at_line_breaks: bool) -> None:
    spans = sentence_spans(text, at_line_breaks=at_line_breaks)

    assert all(start < end for start, end in spans)
    assert all(end <= start for (_, end), (start, _) in pairwise(spans))
    assert "".join("".join(text[start:end].split()) for start, end in spans) == "".join(text.split())

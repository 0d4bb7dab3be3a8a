"""The proof of a model's edits: the lines of the diff that it quotes for each when it is asked again."""

import json

import pytest

from instep.llm.protocol import Prompt
from instep.writer import Report
from instep.writer.llm.critic import prompt_for_critic, unproved_edits
from instep.writer.llm.model_edits import CheckedReply, report_with_edits
from tests.writer.model_replies import CHANGE, NEW_ROW, ROW, SENTENCE, certain, checked_reply, on_settings

ADDED = 'RETRY_PAUSE = int(os.environ.get("ACME_RETRY_PAUSE", "2"))'
EDITS = [
    ("settings", ROW, f"{ROW}\n{NEW_ROW}"),
    ("settings", SENTENCE, f"{SENTENCE} The default is 30."),
]


def two_edits() -> tuple[Report, CheckedReply]:
    articles, report = certain()
    checked = checked_reply(EDITS, articles, report)
    assert len(checked.edits) == 2
    return report, checked


def asked(max_tokens: int = 10_000) -> Prompt | None:
    return prompt_for_critic(CHANGE, two_edits()[1], max_tokens)


def unproved(*quotes: tuple[int, str]) -> frozenset[int] | None:
    reply = json.dumps({"quotes": [{"edit": number, "quote": quote} for number, quote in quotes]})
    return unproved_edits(CHANGE, two_edits()[1], reply)


def test_it_sees_the_diff_and_the_edits_and_not_what_the_change_says_of_itself() -> None:
    prompt = asked()

    assert prompt is not None
    assert f"+{ADDED}" in prompt.user
    assert NEW_ROW in prompt.user
    assert "The default is 30." in prompt.user
    assert CHANGE.title not in prompt.user
    assert prompt.max_total_tokens <= 10_000


def test_without_room_it_is_not_asked() -> None:
    assert asked(500) is None


@pytest.mark.parametrize(
    "quote",
    [
        ADDED,
        f"+{ADDED}",
        f"+   {ADDED}\n",
        'os.environ.get("ACME_RETRY_PAUSE", "2")',
        f"+# Seconds between two tries, doubled each time.\n+{ADDED}",
        f"{ADDED}\nRETRIES = 3",
        "-POOL = 5",
    ],
)
def test_a_quote_proves_whose_lines_are_changed_lines_of_the_diff(quote: str) -> None:
    assert unproved((2, quote), (1, ADDED)) == frozenset()


@pytest.mark.parametrize(
    "quote",
    [
        *("", " ", "+", "=", "RETRY_PAUSE = 5", "import os", "DEBUG = False"),
        f"{ADDED}\nDEBUG = False",
        "Tries wait for each other.",
    ],
)
def test_a_quote_that_no_changed_line_has_proves_nothing(quote: str) -> None:
    assert unproved((1, ADDED), (2, quote)) == frozenset([1])


def test_an_edit_without_a_quote_is_not_proved() -> None:
    assert unproved() == frozenset([0, 1])
    assert unproved((7, ADDED), (-1, ADDED)) == frozenset([0, 1])


@pytest.mark.parametrize("reply", ["", "[]", '{"quotes": [{"edit": "all"}]}', '{"edits": []}', "Yes."])
def test_a_reply_of_another_form_is_told_apart(reply: str) -> None:
    assert unproved_edits(CHANGE, two_edits()[1], reply) is None


def test_what_is_not_proved_is_left_out_with_a_warning() -> None:
    report, checked = two_edits()
    edits = [checked.edits.index(edit) for edit in checked.edits if "default" in edit.located.new]

    draft = on_settings(report_with_edits(report, checked, edits, "scripted"))

    assert NEW_ROW in draft.text
    assert "The default is 30" not in draft.text
    assert draft.warnings == ("An edit of the model was left out: no line of the diff proves it.",)

"""A change's context reaches the model as data; the rules used without a model ignore it."""

from dataclasses import replace

from instep.drafting.writer import ChangeContext, CodeExcerpt, LinkedIssue, Proposal
from tests.support.model_replies import (
    CHANGE,
    CHOICE,
    NEW_ROW,
    ROW,
    ScriptedModel,
    certain,
    edited,
    edits,
    on_settings,
)

WISH = "Waiting should double up to ninety seconds, see https://wishes.acme-status.test/4."
CONTEXT = ChangeContext(
    (LinkedIssue("Servers are asked too often", WISH),),
    (
        CodeExcerpt("src/retry.py", 40, "def pause(attempt):\n    return RETRY_PAUSE * 2**attempt"),
        CodeExcerpt("tests/test_retry.py", 1, "def test_pause(): ..."),
    ),
    "2.4.0",
)
WITH_CONTEXT = replace(CHANGE, context=CONTEXT)


async def drafted(new: str, context: ChangeContext) -> tuple[Proposal, ScriptedModel]:
    """The draft of a model that adds these lines below the last row and corrects nothing."""
    change, edit = replace(CHANGE, context=context), {"action": "insert", "line": 11, "old": ROW, "new": new}
    reply = edits({**edit, "reason": "It is new."})
    report, model = await edited(CHOICE, reply, reply, change=change)
    return on_settings(report), model


async def test_context_is_shown_in_the_prompts_that_need_it() -> None:
    _, model = await drafted(NEW_ROW, CONTEXT)

    choice, question = (prompt.user for prompt in model.prompts)
    for text in (choice, question):
        assert "Servers are asked too often\n\nWaiting should double" in text
    for text in ("src/retry.py, from line 40:\ndef pause(attempt):\n    return", "=====\n2.4.0\n====="):
        assert text not in choice
        assert text in question
    assert "test_pause" not in question


async def test_prompts_without_a_context_are_as_before() -> None:
    _, model = await drafted(NEW_ROW, ChangeContext())

    labels = [line.split()[2:4] for line in model.prompts[1].user.splitlines() if "= BEGIN" in line]
    assert labels == [["title", "of"], ["description", "of"], ["diff", labels[2][1]], ["article", "A1"]]


async def test_the_next_version_may_be_written() -> None:
    new = NEW_ROW.replace("again |", "again, since 2.4 |")

    named, _ = await drafted(new, CONTEXT)
    unnamed, _ = await drafted(new, replace(CONTEXT, next_version=""))

    assert "since 2.4" in named.text
    assert not any("2.4" in warning for warning in named.warnings)
    assert any("`2.4`" in warning for warning in unnamed.warnings)


async def test_names_of_issues_and_code_are_known_but_not_the_hosts_of_issues() -> None:
    named, _ = await drafted(f"{NEW_ROW}\n| `pause` | Doubles up to ninety seconds. | |", CONTEXT)
    linked, _ = await drafted(f"{NEW_ROW}\n\nSee https://wishes.acme-status.test/4.", CONTEXT)

    assert "`pause`" in named.text
    assert NEW_ROW not in linked.text


async def test_a_sentence_of_an_issue_gets_a_warning() -> None:
    draft, _ = await drafted(f"{NEW_ROW}\n\n{WISH.partition(',')[0]}.", CONTEXT)

    assert any("an issue says" in warning for warning in draft.warnings)


def test_the_writer_without_a_model_does_not_read_it() -> None:
    assert certain(change=WITH_CONTEXT) == certain()

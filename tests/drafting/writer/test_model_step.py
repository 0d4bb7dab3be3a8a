"""A model chooses what to read, edits, and corrects refused edits; each draft gives its reason."""

from dataclasses import replace

import pytest

from instep.drafting.writer import DismissedEdit, Verdict, WaitingEdit
from instep.drafting.writer.llm.article_contents import begin_reading
from instep.drafting.writer.llm.edit_forms import ModelReply
from instep.drafting.writer.llm.model_report import report_with_result
from instep.drafting.writer.llm.model_step import ModelStep
from instep.platform.llm.protocol import CompletionError
from tests.support.model_replies import (
    AFTER,
    CHANGE,
    CHOICE,
    DIFF,
    INSERT_ROW,
    NEW_ROW,
    OWN,
    QUOTE,
    ROW,
    TEXT,
    ScriptedModel,
    certain,
    edited,
    edits,
    on_settings,
)

WITH_ROW = AFTER.replace(ROW, f"{ROW}\n{NEW_ROW}")
CHECK = {"action": "check", "line": 11, "old": ROW, "reason": "The unit is not said", "quote": QUOTE}
EVIL = {
    "action": "insert",
    "line": 6,
    "old": "",
    "new": "See [more](https://evil.example/a).",
    "reason": "x.",
}


async def test_an_edit_comes_on_top_of_what_is_certain_with_its_reason_and_its_line_of_code() -> None:
    report, model = await edited(CHOICE, edits(INSERT_ROW))

    draft = on_settings(report)
    assert draft.text == WITH_ROW
    assert not draft.is_certain
    assert "It is new." in draft.reason
    assert Verdict("settings", "edit", draft.reason) in report.reviewed
    assert ("src/retry.py", 5, 12, "It is new.") in [
        (row.file, row.start_line, row.article_line, row.reason) for row in draft.evidence
    ]
    choice, question = model.prompts
    assert "A1.1 Settings" in choice.user
    assert "POOL" in choice.user
    assert f"11|{ROW}" in question.user
    assert "ACME_REQUEST_TIMEOUT` to a number" in question.user


@pytest.mark.parametrize(
    ("reply", "text"), [(edits(INSERT_ROW), TEXT.replace(ROW, f"{ROW}\n{NEW_ROW}")), ({"edits": []}, "")]
)
async def test_a_model_decides_about_drafts_that_the_change_does_not_prove(reply: object, text: str) -> None:
    articles, report = certain()
    drafts = tuple(replace(row, is_doubtful=True) for row in report.proposals)
    model = ScriptedModel({"sections": [], "searches": []}, reply)

    report = await ModelStep(model, 60_000).edit(CHANGE, articles, replace(report, proposals=drafts), OWN)

    question = model.prompts[1].user
    assert "+Set `ACME_REQUEST_TIMEOUT`" in question
    assert "|Set `ACME_TIMEOUT`" in question
    assert [draft.text for draft in report.proposals] == [text] * bool(text)
    assert [row.verdict for row in report.reviewed if row.article_id == "settings"] == ["edit"] * bool(text)


def test_doubtful_draft_stays_if_the_prompt_has_no_room_for_its_article() -> None:
    articles, report = certain()
    drafts = tuple(replace(row, is_doubtful=True) for row in report.proposals)
    reading = begin_reading(CHANGE, articles, replace(report, proposals=drafts), OWN, 40_000)

    result = report_with_result(reading, ModelReply(edits=[]), [], [], "scripted")

    assert on_settings(result).text == AFTER
    assert [row.verdict for row in result.reviewed if row.article_id == "settings"] == ["edit"]


async def test_a_change_that_no_reader_could_notice_costs_one_question_and_leaves_no_places() -> None:
    report, model = await edited({"sections": [], "searches": []})

    assert len(model.prompts) == 1
    assert report.places == ()
    assert on_settings(report).text == AFTER
    assert "scripted found nothing" in report.summary
    assert "may need writing" not in report.summary


async def test_an_edit_in_a_tab_leaves_the_directives_around_it() -> None:
    words = "Five connections are kept in the `POOL`, and no more."
    text = TEXT.replace(words, f"::::tabs\n:::tab[On macOS]\n{words}\n:::\n:::tab[Windows]\nNone.\n:::\n::::")
    line = text.split("\n").index(words) + 1
    edit = {"action": "replace", "line": line, "old": "Five", "new": "Several", "reason": "They are more."}

    report, _ = await edited(CHOICE, edits(edit), text=text)

    changed = text.replace("Five", "Several").replace("ACME_TIMEOUT", "ACME_REQUEST_TIMEOUT")
    assert on_settings(report).text == changed


async def test_the_padding_of_cells_is_not_read_and_stays() -> None:
    padded = "| `ACME_DEBUG`       | Whether each request is logged  |      `false` |"
    code = "```\n|  x   |\n```\n"
    text = TEXT.replace(ROW, padded) + code
    edit = {
        "action": "replace",
        "line": 11,
        "old": "logged | `false`",
        "new": "kept | `true`",
        "reason": "x.",
    }

    report, model = await edited(CHOICE, edits(edit, INSERT_ROW), text=text)

    assert ROW in model.prompts[1].user
    assert "|  x   |" in model.prompts[1].user
    rows = padded.replace("logged  |      `false`", "kept | `true`") + f"\n{NEW_ROW}"
    assert rows in on_settings(report).text


async def test_an_article_that_is_up_to_date_says_why() -> None:
    choice = {"sections": [{"section": "A1"}, {"section": "A2"}], "searches": []}
    reply = edits(INSERT_ROW, unchanged=[{"article": "A2", "reason": "it is about pets"}])

    report, _ = await edited(choice, reply)

    assert Verdict("pets", "no_edit", "It is about pets.") in report.reviewed


async def test_missing_sections_are_shown_in_a_second_prompt() -> None:
    wants_more = edits(INSERT_ROW, show=["A2"], searches=["Five connections"])
    more = edits({"action": "replace", "line": 3, "old": "Cats and dogs", "new": "Cats"}, article="A2")

    report, model = await edited({"sections": [{"section": "A1.1"}], "searches": []}, wants_more, more)

    assert "Cats and dogs" not in model.prompts[1].user
    assert "Cats and dogs" in model.prompts[2].user
    assert NEW_ROW in model.prompts[2].user
    assert {draft.article_id for draft in report.proposals} == {"settings", "pets"}
    assert on_settings(report).text == WITH_ROW


async def test_a_refused_edit_goes_back_once_with_the_reason_and_its_article_is_corrected() -> None:
    report, model = await edited(CHOICE, edits(INSERT_ROW, EVIL), edits(INSERT_ROW))

    assert "evil.example" in model.prompts[2].user
    assert "refused: " in model.prompts[2].user
    assert on_settings(report).text == WITH_ROW


async def test_an_article_that_needs_no_edit_after_a_refusal_has_no_place() -> None:
    second = {"edits": [], "unchanged": [{"article": "A1", "reason": "it is up to date"}]}
    report, _ = await edited(CHOICE, edits(EVIL), second)

    assert report.places == ()
    assert "the checks" not in report.summary


@pytest.mark.parametrize(
    "second", [edits(INSERT_ROW, EVIL), {"edits": []}, "no JSON", CompletionError("Down.", 0)]
)
async def test_edits_of_an_article_fall_together_and_leave_a_place(second: object) -> None:
    report, _ = await edited(CHOICE, edits(INSERT_ROW, EVIL), second, second)

    assert on_settings(report).text == AFTER
    [place] = report.places
    assert (place.article_id, place.line) == ("settings", 6)
    assert [row.verdict for row in report.reviewed if row.article_id == "settings"] == ["edit"]
    assert "left out" in place.reason
    assert "the checks" in report.summary


async def test_text_that_only_a_person_can_write_becomes_a_place_next_to_the_edits() -> None:
    report, _ = await edited(CHOICE, edits(INSERT_ROW, CHECK, CHECK | {"quote": "nowhere in the change"}))

    assert on_settings(report).text == WITH_ROW
    [place] = report.places
    assert (place.line, place.reason, len(place.evidence)) == (11, "The unit is not said.", 1)
    assert [row.verdict for row in report.reviewed if row.article_id == "settings"] == ["edit"]


async def test_a_refused_edit_may_become_such_a_place() -> None:
    report, _ = await edited(CHOICE, edits(EVIL), edits(CHECK))

    assert [place.line for place in report.places] == [11]
    assert "the checks" not in report.summary


async def test_edits_that_overlap_are_not_both_made() -> None:
    row = {"action": "replace", "line": 10, "old": "`3`", "new": "`2`"}
    whole = {"action": "delete", "line": 10, "last": 11, "old": ""}

    report, model = await edited(CHOICE, edits(row, whole), edits(INSERT_ROW))

    assert "overlaps" in model.prompts[2].user
    assert on_settings(report).text == WITH_ROW


async def test_articles_that_were_not_shown_are_not_edited() -> None:
    report, _ = await edited(
        {"sections": [{"section": "A1"}], "searches": []},
        edits({"action": "rename", "old": "Cats", "new": "Dogs"}, article="A2"),
    )

    assert [draft.article_id for draft in report.proposals] == ["settings"]


async def test_a_new_article_joins_its_neighbor_and_waits_for_a_reviewer() -> None:
    article = {
        "near": "A1",
        "title": "Retries",
        "text": "Requests are tried again.\n\nSet `ACME_RETRY_PAUSE`.",
        "reason": "retries are new",
        "quote": QUOTE,
    }
    report, _ = await edited(CHOICE, {"edits": [], "articles": [article]})

    [draft] = [row for row in report.proposals if row.type == "new_article"]
    assert (draft.title, draft.neighbor_id, draft.reason) == ("Retries", "settings", "Retries are new.")
    assert "ACME_RETRY_PAUSE" in draft.text


async def test_a_title_can_change() -> None:
    report, _ = await edited(CHOICE, edits({"action": "title", "new": "Settings and retries"}, INSERT_ROW))

    assert on_settings(report).title == "Settings and retries"


async def test_prompt_names_the_dismissed_edits_of_its_articles_alone() -> None:
    rows = [
        DismissedEdit("settings", "Added: “the pause”", "not needed: too deep"),
        DismissedEdit("pets", "Added: “birds”", "not needed"),
    ]
    _, model = await edited({"sections": [{"section": "A1"}]}, {"edits": []}, dismissed=rows)

    assert "“the pause” (not needed: too deep)" in model.prompts[1].user
    assert "birds" not in model.prompts[1].user


async def test_edits_that_wait_for_review_are_shown_by_their_lines() -> None:
    rows = [
        WaitingEdit("settings", TEXT, TEXT.replace("Set `", "y" * 9_000)),
        WaitingEdit("settings", TEXT, TEXT.replace("Five", "Six")),
        WaitingEdit("pets", "Cats.\n", "Dogs.\n"),
    ]
    _, model = await edited({"sections": [{"section": "A1"}]}, {"edits": []}, waiting=rows)

    lines = "-Five connections are kept in the `POOL`, and no more.\n+Six connections are kept in"
    assert f"A1:\n{lines}" in model.prompts[1].user
    assert "Dogs" not in model.prompts[1].user
    assert "yyy" not in model.prompts[1].user


async def test_a_file_without_room_in_the_prompt_proves_an_edit_by_its_line_of_the_list() -> None:
    rows = "".join(f"-option_{number} = 0\n+option_{number} = 1\n" for number in range(2_000))
    diff = f"{DIFF}--- a/src/options.py\n+++ b/src/options.py\n@@ -1,2000 +1,2000 @@\n{rows}"
    line = "({}: {} lines added, {} removed; not shown)"

    for quote, files in (
        (line.format("src/options.py", 2_000, 2_000), ["src/options.py"]),
        (line.format("src/retry.py", 4, 2), []),
    ):
        row = edits({**INSERT_ROW, "quote": quote})
        report, model = await edited(CHOICE, row, row, change=replace(CHANGE, diff=diff))
        draft = on_settings(report)
        assert (quote in model.prompts[1].user) is bool(files)
        assert [row.file for row in draft.evidence if row.reason] == files
        assert any("proof" in warning for warning in draft.warnings) is not bool(files)


@pytest.mark.parametrize("reply", ["", "no JSON", '{"edits": [{"article": 3}]}', '["edits"]'])
@pytest.mark.parametrize("step", ["choice", "edit"])
async def test_a_reply_of_another_form_leaves_the_report_as_it_was(reply: str, step: str) -> None:
    replies = [reply, reply] if step == "choice" else [CHOICE, reply, reply]
    _, before = certain()

    report, _ = await edited(*replies)

    assert (report.proposals, report.places) == (before.proposals, before.places)
    assert "scripted was left out." in report.summary


async def test_a_model_whose_reply_has_another_form_is_asked_once_more() -> None:
    report, _ = await edited("no JSON", CHOICE, "no JSON", edits(INSERT_ROW))

    assert on_settings(report).text == WITH_ROW


async def test_edits_stay_if_the_question_about_more_sections_fails() -> None:
    report, _ = await edited(CHOICE, edits(INSERT_ROW, show=["A2"]), CompletionError("Down.", 0))

    assert on_settings(report).text == WITH_ROW


async def test_json_is_found_where_servers_without_schemas_put_it() -> None:
    report, _ = await edited('<think>Hm.</think>\n```json\n{"sections": [], "searches": []}\n```')

    assert "found nothing" in report.summary


@pytest.mark.parametrize("max_tokens", [1_000, 8_000, 20_000])
async def test_no_task_uses_more_than_its_tokens_and_the_summary_says_so(max_tokens: int) -> None:
    text = TEXT + "\n\n".join(f"## Part {n}\n\n{'A long part. ' * 90}" for n in range(300))
    articles, report = certain(text)
    model = ScriptedModel(CHOICE, edits(INSERT_ROW), edits(INSERT_ROW))

    report = await ModelStep(model, max_tokens).edit(CHANGE, articles, report, OWN)

    assert sum(prompt.max_total_tokens for prompt in model.prompts[:1]) <= max_tokens
    assert "left out" in report.summary or on_settings(report).text != AFTER

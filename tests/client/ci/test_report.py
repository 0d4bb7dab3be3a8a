"""The output of a run: complete, and harmless whatever titles, reasons and lines of code contain."""

import json
from typing import Any

import pytest

from instep.client.ci.diff import LeftOut
from instep.client.ci.report import Run, as_json, as_markdown, as_text, left_out_lines, text_lines
from instep.client.ci.shapes import Bot, Draft, Task, parse_shape
from instep.platform.core import limits
from instep.platform.core.markdown import render
from tests.support.cast import Json
from tests.support.ci_servers import TASK
from tests.support.limits import SetLimit

URL = "https://help.test"
BOT = Bot("bot_1", "Acme", "acme")
DRAFT: Json = {
    "id": "edit_1",
    "type": "edit",
    "status": "pending",
    "title": "Upload limits",
    "articleId": "art_1",
    "articleTitle": "Uploads",
    "reason": "States `max` as `10`;\nthe change makes it `25`.",
    "evidence": [
        {"file": "app/config.py", "startLine": 2, "endLine": 2, "excerpt": "    max = 25", "articleLine": 1},
        {"file": "app/b.py", "startLine": 3, "endLine": 5, "excerpt": "b", "articleLine": None},
    ],
    "warnings": ["`max` still stands in line 9."],
    "diff": "--- live\n+++ proposed\n@@ -1 +1 @@\n-The limit is 10.\n+The limit is 25.\n",
    "contentMarkdown": "The limit is 25.\n",
}
# At the start of a line, inside a line, on a terminal or in GitLab, these would be commands.
COMMANDS = [
    "::error::x",
    "  ::add-mask::x",
    "##[error]x",
    "##vso[task.complete]x",
    "\x1b[2J",
    "a\n::debug::x",
]
MARKDOWN = [
    "<b>x</b>",
    "[x](https://evil.test)",
    "![x](https://evil.test/a.png)",
    "# x",
    "| x |",
    "x @team",
    "`x",
]


def run(*drafts: Json, **fields: Any) -> Run:
    listed = [{name: draft[name] for name in ("id", "type", "title", "articleId")} for draft in drafts]
    outcome = "drafts" if drafts else "no_changes"
    task = TASK | {"status": "completed", "outcome": outcome, "summary": "Found.", "drafts": listed} | fields
    details = [parse_shape(Draft, draft) for draft in drafts[: limits.MAX_REPORTED_DRAFTS]]
    return Run(URL, [LeftOut("a.lock", "lock file")], parse_shape(Task, task), details, bot=BOT)


@pytest.mark.parametrize(
    ("lines", "shown"),
    [
        ("-a\n{note}+b\n{note}", ["-a", "+b"]),
        ("-a\n+b\n c\n{note}", ["-a", "+b", " c"]),
        ("-a\n{note}+b\n", ["-a", "\\ No newline at end of file", "+b"]),
    ],
)
def test_a_missing_line_break_at_the_end_is_told_where_it_changes(lines: str, shown: list[str]) -> None:
    diff = lines.format(note="\\ No newline at end of file\n")

    assert text_lines("b", diff) == shown


def test_a_log_tells_of_each_draft_what_a_reviewer_wants_to_know() -> None:
    assert as_text(run(DRAFT)) == (
        "Task task_1: 1 draft waits for review\n"
        "   found   Found.\n"
        "   task    https://help.test/app/acme/tasks/task_1\n"
        "\n"
        "1. Upload limits\n"
        "   draft   edit of “Uploads” (art_1)\n"
        "   why     States `max` as `10`; the change makes it `25`.\n"
        "   code    app/config.py:2  max = 25\n"
        "   code    app/b.py:3-5  b\n"
        "   check   `max` still stands in line 9.\n"
        "   review  https://help.test/app/acme/review/edit_1\n"
        "   or      instep draft show edit_1\n"
        "   | --- live\n"
        "   | +++ proposed\n"
        "   | @@ -1 +1 @@\n"
        "   | -The limit is 10.\n"
        "   | +The limit is 25."
    )


def test_a_new_article_is_told_by_its_text() -> None:
    new = DRAFT | {"id": "article_1", "type": "new_article", "diff": None, "status": "applied"}

    report = as_text(run(new))

    assert "   draft   new article (art_1), applied\n" in report
    assert report.endswith("   | The limit is 25.")


def test_a_long_diff_is_left_to_the_page_of_the_draft() -> None:
    long = DRAFT | {"diff": "+a\n" * (limits.MAX_REPORTED_DIFF_LINES + 1)}

    assert "| +a" not in as_text(run(long))
    assert "| +a" in as_text(run(DRAFT | {"diff": "+a\n" * limits.MAX_REPORTED_DIFF_LINES}))


def test_long_lines_are_cut() -> None:
    report = as_text(run(DRAFT | {"diff": "+" + "a" * 5_000 + "\r\n"}))

    assert max(map(len, report.splitlines())) < limits.MAX_REPORTED_LINE_CHARACTERS + 10


def test_many_drafts_are_told_up_to_a_number() -> None:
    many = run(*[DRAFT | {"id": f"edit_{number}"} for number in range(limits.MAX_REPORTED_DRAFTS + 7)])

    assert as_text(many).endswith("7 more: https://help.test/app/acme/review")
    assert "7 more" in as_markdown(many)
    assert many.pending_count == limits.MAX_REPORTED_DRAFTS + 7


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({}, "no article"),
        ({"status": "running", "outcome": None}, "running"),
        (
            {"status": "failed", "outcome": None, "error": {"code": "x", "message": "Too\nmuch."}},
            "failed: Too much.",
        ),
        ({"outcome": "something_new"}, "completed"),
    ],
)
def test_the_outcome_is_told_in_words(fields: Json, words: str) -> None:
    assert as_text(run(**fields)).startswith(f"Task task_1: {words}")
    assert words in as_markdown(run(**fields)).replace("\\", "")


def test_without_a_task_there_was_nothing_to_send() -> None:
    nothing = Run(URL, [LeftOut("a.lock", "lock file")])

    assert as_text(nothing).startswith("Nothing to send")
    assert "Nothing to send" in as_markdown(nothing)
    assert nothing.pending_count == 0
    assert json.loads(as_json(nothing)) == {
        "id": None,
        "status": None,
        "outcome": None,
        "drafts": [],
        "draftDetails": [],
        "placeDetails": [],
        "leftOut": [{"file": "a.lock", "reason": "lock file"}],
    }


def test_json_has_every_field_of_the_api_also_later_ones() -> None:
    report = json.loads(as_json(run(DRAFT)))

    assert report["later"] == {"field": 1}
    assert report["draftDetails"] == [DRAFT]
    assert report["leftOut"] == [{"file": "a.lock", "reason": "lock file"}]
    assert set(TASK) < set(report)


def test_the_language_model_that_was_asked_is_named_with_its_tokens() -> None:
    model = {"name": "openai:gpt-9", "inputTokens": 40_000, "outputTokens": 2_000, "calls": 3}

    assert "   model   openai:gpt-9 (42,000 tokens, questions: 3)" in as_text(run(DRAFT, model=model))
    assert "model" not in as_text(run(DRAFT, model=None))


@pytest.mark.parametrize("words", COMMANDS)
def test_words_of_others_command_neither_a_runner_nor_a_terminal(words: str) -> None:
    hostile = DRAFT | dict.fromkeys(("title", "articleTitle", "reason", "articleId", "type", "status"), words)
    hostile |= {"warnings": [words], "diff": words, "evidence": [DRAFT["evidence"][0] | {"excerpt": words}]}

    report = as_text(run(hostile, summary=words, id=words))
    printed = [*report.split("\n"), as_json(run(hostile))]

    for line in printed:
        assert line.isprintable()
        assert not line.lstrip().startswith("::")
        assert "##[" not in line
        assert "##vso[" not in line
    assert json.loads(printed[-1])["draftDetails"] == [hostile]


@pytest.mark.parametrize("words", MARKDOWN)
def test_words_of_others_stay_words_on_a_page(words: str) -> None:
    hostile = DRAFT | {
        "title": words,
        "articleTitle": words,
        "reason": words,
        "warnings": [words],
        "evidence": [],
    }
    hostile |= {"diff": f"```\n{words}\n````\n"}

    page = render(as_markdown(run(hostile, summary=words)))

    assert page.count("<h4") == 1
    for markup in ("<b>", "<img", "<table", "<h1", 'href="https://evil'):
        assert markup not in page
    assert page.count('href="https://help.test/app/acme/review/edit_1"') == page.count('href="https://') == 1


def test_a_page_stays_below_what_github_takes(set_limit: SetLimit) -> None:
    set_limit("MAX_SUMMARY_BYTES", 2_000)

    page = as_markdown(run(*[DRAFT] * 40))

    assert len(page.encode()) < 2_100
    assert "[35 more](https://help.test/app/acme/review)" in page


def test_files_that_are_left_out_are_named_up_to_a_number() -> None:
    lines = list(left_out_lines([LeftOut("a", "binary")] * (limits.MAX_REPORTED_SKIPPED_FILES + 3)))

    assert lines[0] == "Left out: a (binary)."
    assert lines[limits.MAX_REPORTED_SKIPPED_FILES :] == ["Left out: 3 more."]


@pytest.mark.parametrize(
    ("states", "waiting", "words"),
    [
        (["applied", "dismissed"], 0, "all drafts are reviewed"),
        (["applied", "pending"], 1, "1 draft waits"),
        (["pending", "pending"], 2, "2 drafts wait"),
    ],
)
def test_a_draft_waits_while_it_is_pending(states: list[str], waiting: int, words: str) -> None:
    report = run(*[DRAFT | {"status": state} for state in states])

    assert report.pending_count == waiting
    assert as_text(report).startswith(f"Task task_1: {words}")

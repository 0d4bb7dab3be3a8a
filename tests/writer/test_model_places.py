"""Texts of a model for the sections that a change concerns."""

from dataclasses import replace

import pytest

from instep.writer import Article, Evidence, Place, Report, Verdict
from instep.writer.llm.model_edits import prompt_for_edits, report_with_edits
from instep.writer.reporting.statements import place_statement
from tests.writer.model_replies import CHANGE, OTHER, ROW, TEXT, checked_reply, on_settings

PAUSE = "A request that fails is tried again after `ACME_RETRY_PAUSE` seconds."
LINE = 'RETRY_PAUSE = int(os.environ.get("ACME_RETRY_PAUSE", "2"))'
ARTICLES = [OTHER, Article("settings", "Settings", TEXT)]


def concerned(heading: str | None = "Pools") -> Report:
    """A report that knows where to write, and no text."""
    evidence = Evidence("src/retry.py", 6, 6, LINE, 15)
    verdict = Verdict("settings", "concerned", "Write here.", heading, (evidence,))
    statement = place_statement(heading, (evidence,))
    place = Place("settings", heading, 15, "Write here.", (evidence,), statement)
    return Report(("pets", "settings"), 0.9, (), (verdict,), "No article states a fact.", places=(place,))


def filled(report: Report, *texts: tuple[int, str]) -> Report:
    checked = checked_reply([], ARTICLES, report, texts=texts)
    return report_with_edits(report, checked, (), "scripted")


def test_the_question_names_each_place_with_its_line_and_the_code_behind_it() -> None:
    section = prompt_for_edits(CHANGE, ARTICLES, concerned(), 40_000)

    assert section is not None
    assert "section: Pools\na text for the end of this section\nsrc/retry.py:6: " in section.user
    # Where a text is missing comes before what only ranks higher.
    assert section.user.index("BEGIN article settings") < section.user.index("BEGIN article pets")


def test_a_section_that_is_concerned_gets_its_text_at_its_end() -> None:
    report = filled(concerned("Settings"), (1, PAUSE))

    assert on_settings(report).text == TEXT.replace(f"{ROW}\n", f"{ROW}\n\n{PAUSE}\n")
    assert [(verdict.article_id, verdict.verdict) for verdict in report.reviewed] == [("settings", "edit")]
    [evidence] = on_settings(report).evidence
    assert (evidence.file, evidence.article_line) == ("src/retry.py", 13)
    assert report.places == ()


@pytest.mark.parametrize("heading", ["Pools", None])
def test_without_a_section_the_text_is_the_end_of_the_article(heading: str | None) -> None:
    assert on_settings(filled(concerned(heading), (1, PAUSE))).text == f"{TEXT.rstrip()}\n\n{PAUSE}\n"


def test_an_item_joins_the_list_that_it_follows() -> None:
    text = f"{TEXT}\n- `ACME_POOL` connections are kept.\n"
    articles = [OTHER, Article("settings", "Settings", text)]
    checked = checked_reply([], articles, concerned(), texts=[(1, f"- {PAUSE}")])

    draft = on_settings(report_with_edits(concerned(), checked, (), "scripted"))

    assert draft.text == f"{text}- {PAUSE}\n"


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        (f"## Retries\n\n{PAUSE}", "it brings in a heading"),
        (f"{PAUSE} It is […].", "it leaves a gap"),
        ("Rename ACME_TIMEOUT and add ACME_RETRY_PAUSE.", "it repeats the title of the change"),
        (PAUSE.replace("seconds", "or 7 seconds"), "neither the change nor the article says `7`"),
    ],
)
def test_what_does_not_hold_leaves_the_place_to_a_person(text: str, fault: str) -> None:
    report = concerned()
    checked = checked_reply([], ARTICLES, report, texts=[(1, text)])

    assert fault in checked.faults["settings"][0]
    after = report_with_edits(report, checked, (), "scripted")
    assert (after.proposals, after.reviewed, after.places) == ((), report.reviewed, report.places)


def test_a_place_that_nobody_asked_about_is_left_out() -> None:
    report = filled(concerned(), (2, PAUSE), (0, PAUSE), (-1, PAUSE))

    assert report.proposals == ()
    assert "3 of its edits were left out by the checks." in report.summary


def test_two_texts_for_one_place_are_not_both_written() -> None:
    report = filled(concerned(), (1, PAUSE), (1, "`ACME_RETRY_PAUSE` is 2."))

    assert on_settings(report).text == f"{TEXT.rstrip()}\n\n{PAUSE}\n"
    assert on_settings(report).warnings == (
        "An edit of the model was left out: it overlaps with another one.",
    )


def test_a_place_of_an_article_that_is_gone_is_not_asked_about() -> None:
    report = concerned()
    report = replace(report, places=(replace(report.places[0], article_id="gone"),))

    question = prompt_for_edits(CHANGE, ARTICLES, report, 40_000)

    assert question is not None
    assert "BEGIN places" not in question.user

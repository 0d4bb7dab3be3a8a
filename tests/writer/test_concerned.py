"""Articles that a change concerns although no text is known: who is told where to write, and who is not."""

import pytest

from instep.writer import Article, Change, Report, Suppressed, Verdict, write
from instep.writer.writing import NOTHING_SUPPRESSED
from tests.writer.conftest import diff_of

EXPORTS = (
    "# Exports\n\nHow to export your projects.\n\n## Formats\n\nAn export is a CSV file or a JSON file.\n\n"
    "## Schedule exports\n\nA scheduled export runs every night and sends the file by mail.\n"
)
ARTICLES = (
    Article("exports", "Exports", EXPORTS),
    Article("imports", "Imports", "# Imports\n\nHow to import projects from other services.\n"),
    Article("teams", "Teams", "# Teams\n\nInvite people, and give them a role in your team.\n"),
    Article("billing", "Billing", "# Billing\n\nInvoices come by mail at the end of a month.\n"),
    *(Article(f"other-{n}", f"Page {n}", f"# Page {n}\n\nNothing to see here.\n") for n in range(8)),
)
SCHEDULER = (
    "def run_scheduled_export(export, schedule):\n    send_mail(export.file)\n",
    "def run_scheduled_export(export, schedule):\n    if schedule.paused:\n        return\n"
    "    send_mail(export.file)\n",
)
FORM = (
    '<label for="schedule">Schedule the export</label>\n',
    '<label for="schedule">Schedule the export</label>\n'
    '<label for="pause">Pause the scheduled export</label>\n'
    '<p class="help">See https://docs.acme.test/exports</p>\n',
)


def pausing(
    title: str = "Support pausing of scheduled exports", suppressed: Suppressed = NOTHING_SUPPRESSED
) -> Report:
    diff = diff_of("app/exports/schedule.py", *SCHEDULER)
    diff += diff_of("app/templates/exports/schedule.html", *FORM)
    diff += diff_of("tests/test_schedule.py", "", "assert schedule.paused\n")
    return write(Change(title, None, diff), ARTICLES, suppressed)


def concerned(report: Report) -> list[Verdict]:
    return [verdict for verdict in report.reviewed if verdict.verdict == "concerned"]


def test_a_sure_place_without_a_text_is_told_with_its_heading_and_the_code_behind_it() -> None:
    report = pausing()
    (verdict,) = concerned(report)
    assert (verdict.article_id, verdict.heading) == ("exports", "Schedule exports")
    assert "under “Schedule exports”" in verdict.reason
    assert '<label for="pause">Pause the scheduled export</label>' in [e.excerpt for e in verdict.evidence]
    assert {evidence.article_line for evidence in verdict.evidence} == {9}
    assert len(report.reviewed) == len({verdict.article_id for verdict in report.reviewed})


def test_a_place_names_the_section_the_line_and_the_code() -> None:
    report = pausing()
    (place,), (verdict,) = report.places, concerned(report)
    assert (place.article_id, place.heading, place.line) == ("exports", "Schedule exports", 9)
    assert (place.reason, place.evidence) == (verdict.reason, verdict.evidence)


def test_a_place_that_is_held_back_is_not_named_again() -> None:
    (place,) = pausing().places
    assert pausing(suppressed={"exports": [place.statement.key]}).places == ()
    assert pausing(suppressed={"teams": [place.statement.key]}).places == (place,)


def test_the_title_of_a_change_makes_no_draft() -> None:
    assert pausing().proposals == ()


def test_the_summary_counts_the_places_to_write_at() -> None:
    assert "1 article should say more" in pausing().summary


@pytest.mark.parametrize("title", ["Fix a flaky test of the schedule", "Refactor: tidy up types"])
def test_internal_work_concerns_no_article(title: str) -> None:
    diff = diff_of("tests/test_schedule.py", "a = 1\n", "a = 2\n")
    assert concerned(write(Change(title, None, diff), ARTICLES)) == []


def test_an_article_with_a_draft_is_not_concerned_as_well() -> None:
    diff = diff_of("app/exports.py", "export_limit = 10\n", "export_limit = 25\n")
    text = f"{EXPORTS}\n`export_limit` is 10 by default.\n"
    report = write(
        Change("Support a new default of the `export_limit` setting", None, diff),
        [Article("exports", "Exports", text), *ARTICLES[1:]],
    )
    assert [proposal.article_id for proposal in report.proposals] == ["exports"]
    assert "exports" not in [verdict.article_id for verdict in concerned(report)]


def test_an_article_that_says_it_already_is_not_concerned() -> None:
    diff = diff_of("app/exports.py", "export_limit = 10\n", "export_limit = 25\n")
    text = f"{EXPORTS}\n`export_limit` is 25 by default.\n"
    report = write(
        Change("Support a new default of the `export_limit` setting", None, diff),
        [Article("exports", "Exports", text), *ARTICLES[1:]],
    )
    assert "exports" not in [verdict.article_id for verdict in concerned(report)]


@pytest.mark.parametrize(
    "title",
    [
        "refactor(exports): scheduled exports in smaller functions",
        "Extract ExportScheduler from scheduled exports",
        "Fix a race in scheduled exports",
        "Rename scheduled exports in code",
    ],
)
def test_a_change_of_the_inside_alone_asks_for_no_words(title: str) -> None:
    assert concerned(pausing(title)) == []

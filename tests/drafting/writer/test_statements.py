"""Drafts name their statements, which are certain or likely, and omit those that a reviewer dismissed."""

from instep.drafting.writer import Article, Change, Report, write
from tests.drafting.writer.conftest import diff_of, renaming

RENAME = "".join(
    diff_of(path, *sides)
    for path, sides in renaming(
        "app/config.py", 'x = env("{}")', "ACME_TIMEOUT", "ACME_REQUEST_TIMEOUT"
    ).items()
)
LIMIT = diff_of("app/limits.py", "max_upload_mb = 10\n", "max_upload_mb = 25\n")
TEXT = "Set `ACME_TIMEOUT`, in seconds.\n\nThe setting `max_upload_mb` is 10 by default.\n"
GUIDE = Article("guide", "Guide", TEXT)


def report_on(diff: str, suppressed: dict[str, set[str]] | None = None, text: str = TEXT) -> Report:
    others = [Article(f"other-{n}", f"Page {n}", f"# Page {n}\n\nNothing to see.\n") for n in range(8)]
    guide = Article("guide", "Guide", text)
    return write(Change("Add a setting", None, diff), [guide, *others], suppressed or {})


def test_edits_that_the_change_proves_are_certain_and_tell_their_facts() -> None:
    (draft,) = report_on(RENAME + LIMIT).proposals

    assert draft.is_certain
    assert [statement.summary for statement in draft.statements] == [
        "“ACME_TIMEOUT” → “ACME_REQUEST_TIMEOUT”",
        "max_upload_mb: “10” → “25”",
    ]


def test_a_dismissed_fact_is_left_out_and_the_others_stay() -> None:
    (draft,) = report_on(RENAME + LIMIT).proposals
    _, limit = draft.statements

    report = report_on(RENAME + LIMIT, {"guide": {limit.key}})

    (rest,) = report.proposals
    assert rest.text == TEXT.replace("ACME_TIMEOUT", "ACME_REQUEST_TIMEOUT")
    assert rest.statements == draft.statements[:1]
    (verdict,) = [verdict for verdict in report.reviewed if verdict.article_id == "guide"]
    assert verdict.reason.endswith("“10” → “25”.")


def test_verdict_names_the_reason_if_all_statements_were_dismissed() -> None:
    (draft,) = report_on(LIMIT).proposals

    report = report_on(LIMIT, {"guide": {statement.key for statement in draft.statements}})

    assert report.proposals == ()
    (verdict,) = [verdict for verdict in report.reviewed if verdict.article_id == "guide"]
    assert (verdict.verdict, verdict.reason[:18]) == ("no_edit", "Not proposed again")


def test_another_value_and_another_article_are_other_statements() -> None:
    (draft,) = report_on(LIMIT).proposals
    keys = {statement.key for statement in draft.statements}

    assert report_on(LIMIT.replace("25", "30"), {"guide": keys}).proposals
    assert report_on(LIMIT, {"other-1": keys}).proposals


def test_the_same_fact_keeps_its_key_when_the_article_and_the_file_around_it_change() -> None:
    (before,) = report_on(LIMIT).proposals
    moved = diff_of("app/limits.py", "a = 1\n\nmax_upload_mb = 10\n", "a = 1\n\nmax_upload_mb = 25\n")
    (after,) = report_on(moved, text=f"# Limits\n\n{TEXT}").proposals

    assert before.statements == after.statements

"""A value that an article states without the name of its setting is told by unit, size and topic."""

import pytest

from instep.writer import Article
from instep.writer.editing.unnamed_values import stated_quantities
from instep.writer.facts.changed_texts import SourceLine
from instep.writer.facts.values import Value
from tests.writer.conftest import Ask


@pytest.mark.parametrize(
    ("name", "old", "new", "text", "expected"),
    [
        ("timeout", "20.0", "10.0", "## Timeouts\n\nThat is after **20 seconds**.", "10 seconds"),
        ("MAX_UPLOAD_SIZE", "10485760", "26214400", "Upload files of up to 10 MB.", "25 MB"),
        ("max_upload_mb", "10", "25", "You can upload files of up to 10 MB.", "25 MB"),
        ("session_ttl_seconds", "86400", "3600", "A session ends after 24 hours.", "1 hour"),
        ("session_hours", "1", "12", "A session ends after 1 hour.", "12 hours"),
        ("poll_interval_ms", "5000", "10000", "The poll comes every 5 seconds.", "10 seconds"),
        ("max_export_rows", "10", "25", "An export has up to 10 MB.", None),
        ("max_upload_mb", "10", "25", "A mail has up to 10 MB.", None),
        ("max_upload_mb", "10", "25", "You can upload 10 GB.", None),
        ("max_upload_mb", "10", "25", "Upload with `limit 10 MB`.", None),
        ("session_ttl_seconds", "90", "30", "A session ends after 2 minutes.", None),
        ("late_fee_cents", "2500", "4050", "The late fee is $25.", "40.50"),
        ("late_fee_cents", "2500", "4000", "The late fee is $25.00.", "40.00"),
        ("late_fee", "25", "40", "The late fee is 25 euros.", "40"),
        ("trial_days", "14", "30", "After the trial we keep data for another 14 days.", None),
    ],
)  # fmt: skip
def test_unit_size_and_topic_have_to_agree(
    name: str, old: str, new: str, text: str, expected: str | None
) -> None:
    value = Value(old, new, (name,), (SourceLine("settings.py", 1, name, 1.0),))
    quantities = stated_quantities(value, Article("a", "Guide", f"{text}\n"))
    assert [quantity.fact.new for quantity in quantities] == ([expected] if expected else [])


UPLOADS = "# Uploads\n\n{} 10 MB each.\n\nLarger than 10 MB? You see *File too large*.\n"


@pytest.mark.parametrize(
    ("statement", "is_edited"),
    [
        ("Set `max_upload`, by default 10.\n\nUpload files of up to", True),
        ("A file may have", False),
    ],
)
def test_an_article_that_names_the_value_gets_all_its_sentences_and_else_it_may_speak_of_several(
    ask: Ask, statement: str, is_edited: bool
) -> None:
    before = "max_upload = 10\n"
    text = UPLOADS.format(statement)
    report = ask(
        {"settings.py": (before, before.replace("10", "25"))}, text, title="Raise uploads", name="Uploads"
    )
    assert [proposal.text for proposal in report.proposals] == (
        [text.replace("10", "25")] if is_edited else []
    )
    assert not any(proposal.is_certain for proposal in report.proposals)


def test_a_reviewer_is_told_that_the_name_is_not_there(ask: Ask) -> None:
    before = (
        'def send_webhook(endpoint):\n    """Deliver a webhook."""\n    post(\n        timeout=20.0,\n    )\n'
    )
    files = {"app/webhooks/delivery.py": (before, before.replace("20.0", "10.0"))}
    text = "# Webhook delivery\n\n## Timeout\n\nWe deliver a webhook once more after 20 seconds.\n"
    report = ask(files, text, title="Add a shorter timeout to webhook delivery", name="Webhook delivery")
    (proposal,) = report.proposals
    assert proposal.text == text.replace("20 seconds", "10 seconds")
    assert proposal.reason.startswith("Most likely states `timeout` as “20 seconds”")
    assert proposal.warnings == ("`timeout` is not named beside “20 seconds”: check that it is meant.",)


PRICES = (
    "export const PLANS = {{\n  pro: {{ monthlyPrice: {}, seats: 10 }},\n"
    "  team: {{ monthlyPrice: 49, seats: 25 }},\n}};\n"
)


def test_the_price_of_a_plan_changes_in_sentences_and_rows_about_that_plan(ask: Ask) -> None:
    files = {"src/pricing.ts": (PRICES.format(49), PRICES.format(59))}
    text = (
        "# Plans\n\n| Plan | Price |\n|---|---|\n| Pro | $49 a month |\n| Team | $49 a month |\n\n"
        "Pro costs $49 per month and comes with 49 templates. Team: 49 €.\n"
    )

    [proposal] = ask(files, text, title="Pro costs 59", name="Plans").proposals

    expected = text.replace("Pro | $49", "Pro | $59").replace("Pro costs $49", "Pro costs $59")
    assert proposal.text == expected
    assert not proposal.is_certain


def test_a_name_that_says_what_it_counts_is_meant_by_each_number_of_it(ask: Ask) -> None:
    before = "LOG_RETENTION_DAYS = 30\nTRASH_RETENTION_DAYS = 30\n"
    text = "# Logs\n\nWe keep logs for 30 days. After 30 days they are deleted. An export has 30 rows.\n"

    [proposal] = ask(
        {"retention.py": (before, before.replace("30", "90", 1))}, text, title="Keep logs longer", name="Logs"
    ).proposals

    assert proposal.text == text.replace("30 days", "90 days")


@pytest.mark.parametrize(
    ("old", "new", "text", "expected"),
    [
        ("60 * 60 * 24", "60 * 60 * 72", "for 24 hours", "for 72 hours"),
        ("1000 * 60 * 5", "1000 * 60 * 10", "for 5 minutes", "for 10 minutes"),
        ("7 * 24 * 3600", "14 * 24 * 3600", "for 7 days", "for 14 days"),
    ],
)
def test_factors_are_multiplied_before_they_are_looked_for(
    ask: Ask, old: str, new: str, text: str, expected: str
) -> None:
    article = f"# Exports\n\nThe link to an export works {text}.\n"
    files = {"exports/settings.py": (f"EXPORT_TTL = {old}\n", f"EXPORT_TTL = {new}\n")}

    [proposal] = ask(files, article, title="Keep exports longer", name="Exports").proposals

    assert proposal.text == article.replace(text, expected)

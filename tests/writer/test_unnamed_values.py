"""A value that an article states without the name of its setting is told by unit, size and topic."""

import pytest

from instep.writer import Article
from instep.writer.editing.unnamed_values import stated_quantity
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
        ("max_upload_mb", "10", "25", "Upload up to 10 MB. An upload of 10 MB is large.", None),
        ("max_upload_mb", "10", "25", "Upload with `limit 10 MB`.", None),
        ("session_ttl_seconds", "90", "30", "A session ends after 2 minutes.", None),
    ],
)  # fmt: skip
def test_unit_size_and_topic_have_to_agree(
    name: str, old: str, new: str, text: str, expected: str | None
) -> None:
    value = Value(old, new, (name,), (SourceLine("settings.py", 1, name, 1.0),))
    quantity = stated_quantity(value, Article("a", "Guide", f"{text}\n"))
    assert (quantity.fact.new if quantity else None) == expected


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

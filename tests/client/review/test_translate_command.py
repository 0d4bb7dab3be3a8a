"""`instep translate`, against a real server without a language model."""

import json

from tests.client.review.test_draft_commands import Reviewer, ann
from tests.support.commands import CommandResult, run_command
from tests.support.wording import like

__all__ = ["ann"]


def translate(reviewer: Reviewer, *arguments: str) -> CommandResult:
    return run_command("translate", *arguments, **reviewer.environment)


def test_missing_translations_are_counted_and_then_asked_for(ann: Reviewer) -> None:
    article = ann.post("articles", {"title": "Read me", "contentMarkdown": "Words."})
    ann.post(f"articles/{article['id']}/publish", {})

    counted = translate(ann, "nl", "--article", article["id"], "--dry-run")
    asked = translate(ann, "nl", "--article", article["id"])

    assert (counted.code, counted.text) == (0, like("1 article would get a place…into nl: …\n"))
    assert (asked.code, asked.text) == (0, like("1 article gets a place…into nl: …\n"))
    assert "Others" not in asked.text
    again = translate(ann, "nl", "--article", article["id"], "--json")
    assert json.loads(again.out)["waiting"] == 1


def test_a_refusal_is_printed(ann: Reviewer) -> None:
    result = translate(ann, "nl", "--article", "no-such-article")

    assert (result.code, result.out) == (1, "")
    assert "article" in result.err

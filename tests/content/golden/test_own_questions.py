"""Sixty questions of newcomers about `docs/help`: answered correctly, declined, or answered wrongly."""

import json

import pytest

from eval.retrieval.running import installation_in
from eval.sections.__main__ import score_own
from eval.sections.own_questions import read_questions
from instep.demo.help import HELP
from instep.platform.core.config import settings


@pytest.mark.quality
async def test_newcomers_are_answered_from_the_right_section(database_url: str) -> None:
    """The default settings use the bundled embedding model."""
    default = settings().model_copy(update={"embeddings": None})
    async with installation_in(database_url, default) as place:
        figures = await score_own(place, is_listed=False)

    assert figures["questions"] == 60
    # Three fewer right and one more wrong than measured (docs/quality.md): processors round the model's 8-bit
    # weights in different ways.
    assert figures["right"] >= 52
    assert figures["wrong"] <= 1
    assert figures["absent_declined"] >= 14
    # Questions of which the search was always sure measure how well the section is chosen.
    assert figures["sure_right"] >= 42


async def test_newcomers_are_answered_by_words_alone(database_url: str) -> None:
    off = settings().model_copy(update={"embeddings": "off"})
    async with installation_in(database_url, off) as place:
        figures = await score_own(place, is_listed=False)

    assert figures["right"] >= 48
    assert figures["wrong"] <= 5
    assert figures["sure_right"] >= 37


def test_the_golden_questions_of_the_help_center_are_those_that_it_answers() -> None:
    lines = json.loads((HELP / "golden-questions.json").read_text())

    assert lines == [
        {"question": row.question, "article": row.passages[0].article}
        for row in read_questions()
        if row.passages
    ]


def test_every_accepted_passage_is_an_article_of_the_help_center() -> None:
    missing = [
        passage
        for row in read_questions()
        for passage in row.passages
        if not (HELP / passage.article).is_file()
        or (passage.section and f"# {passage.section}" not in (HELP / passage.article).read_text())
    ]
    assert missing == []

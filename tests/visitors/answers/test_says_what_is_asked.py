"""Similar words alone are no answer: a quote must have the name, number or statement asked for."""

from dataclasses import replace

import pytest

from instep.visitors.answers.ask import RetrievedContext, extractive_answer
from tests.visitors.answers.test_passages import passage_of

TITLE = "Export rows"
ROWS = "An export holds at most 500 rows."


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("How many rows does an export hold?", ROWS),
        ("What is the limit of an export?", "The limit of an export is 500 rows."),
        ("How many rows does an export hold?", "An export holds an unlimited number of rows."),
        ("How many rows does an export hold?", "| an export | holds |\n|---|---|\n| rows | 500 |"),
        ("Can I export rows?", "You can export rows of any table."),
        ("Why does an export leave out rows?", "An export leaves out rows that are hidden."),
        ("What happens if an export has no rows?", "An export that has no rows is empty."),
        ("Does Zapier export rows?", "Zapier can export rows of any table."),
        ("How do I export rows?", "1. Open the table.\n2. Choose Export."),
        ("Do I need a key to export rows?", "To export rows of a table you need a key."),
        ("Is a key required to export rows?", "You can export rows without a key."),
    ],
)
def test_passage_that_answers_is_quoted(question: str, text: str) -> None:
    assert extractive_answer(RetrievedContext(question, "en", [passage_of(text, TITLE)], 0.9)).answered


@pytest.mark.parametrize(
    ("question", "text"),
    [
        # There is no number, or only a version.
        ("How many rows does an export hold?", "An export holds the rows of a table."),
        ("How many rows does an export hold?", "Since 2.5 an export holds the rows of a table."),
        ("Wie viele Rows hat ein Export?", "Ein Export hat Rows."),
        # Another name: capitalized, or not a usual word of any language.
        ("Does Zapier export rows?", "Airtable can export rows of any table."),
        ("Can I export rows with zxcvbn?", "You can export rows of any table."),
        # Steps do not state the fact asked for.
        ("Can I delete rows of an archived table?", "1. Open the settings.\n2. Choose Export."),
        ("Why are rows left out of an export?", "Choose a table. Then press the button."),
        ("What happens if an export has no rows?", "Choose a table. Then press the button."),
        # The text mentions no requirement.
        ("Do I need a key to export rows?", "Enter a key, then export rows of any table."),
    ],
)
def test_passage_that_does_not_answer_may_help(question: str, text: str) -> None:
    answer = extractive_answer(RetrievedContext(question, "en", [passage_of(text, TITLE)], 0.9))

    assert (answer.answered, answer.may_help) == (False, True)
    assert answer.confidence < 0.5


@pytest.mark.parametrize(
    ("question", "is_answered"), [("How do I export rows?", False), ("How do I open the table?", True)]
)
def test_one_of_several_steps_answers_only_what_its_heading_says(question: str, is_answered: bool) -> None:
    passage = replace(
        passage_of("1. Choose rows.\n2. Choose Open.", TITLE), headings=("Step 1: Open the table",)
    )
    answer = extractive_answer(RetrievedContext(question, "en", [passage], 0.9))

    assert answer.answered == is_answered

"""`eval.answers`: a model is scored on our own questions, and the run is repeated without the model."""

import json
from pathlib import Path

import pytest

from eval.answers import __main__ as scoring
from eval.answers.__main__ import main, score_own
from eval.answers.newcomers import (
    QUESTIONS_FILE,
    NewcomersQuestion,
    digest_of,
    figures_of,
    read_newcomers,
    read_verdicts,
    verdict_of,
)
from eval.docsync_set import SCORER
from eval.model.by_hand import HandModel
from eval.model.recorded import RecordedModel
from eval.retrieval.running import installation_in
from eval.sections.own_questions import read_questions
from instep.platform.core.config import settings
from instep.visitors.answers.schemas import Answer
from tests.platform.llm.conftest import Meet
from tests.support.model_endpoint import Asked, follows

NAME = "openai:scripted-1"


def quotes_the_first(asked: Asked) -> object:
    """Claims that the first section holds the answer, but writes a sentence that it does not support."""
    assert "===== BEGIN section 1 " in asked.data
    return {"sections": [1], "parts": [{"text": "The moon is made of cheese.", "section": 1}]}


@pytest.fixture
def provider() -> str:
    return "openai"


@pytest.fixture(autouse=True)
def fewer_questions(monkeypatch: pytest.MonkeyPatch) -> None:
    """Use a fifth of our own questions; scoring and replaying do not depend on their number."""
    monkeypatch.setattr(scoring, "read_questions", lambda: read_questions()[::5])


async def test_a_model_is_scored_once_and_the_run_is_repeated_without_it(
    meet: Meet, provider: str, tmp_path: Path, database_url: str
) -> None:
    async with installation_in(database_url, settings()) as place:
        async with meet(follows(quotes_the_first)) as (provided, behind):
            model = RecordedModel(NAME, tmp_path, provided, 5_000_000)
            first = await score_own(place, model)
            asked = len(behind.asked)
        again = RecordedModel(NAME, tmp_path)
        replayed = await score_own(place, again)

    assert asked == model.asked > 8
    assert (again.asked, again.refused) == (0, 0)
    assert replayed == first
    # No sentence of this model is supported, so the sections that it cites are quoted.
    assert sum(first.values()) == 12


async def test_a_model_that_finds_no_answer_declines_everything(
    meet: Meet, tmp_path: Path, database_url: str
) -> None:
    async with (
        installation_in(database_url, settings()) as place,
        meet(follows(lambda asked: {"sections": []})) as (provided, _),
    ):
        figures = await score_own(place, RecordedModel(NAME, tmp_path, provided, 5_000_000))

    assert figures == {"right": 3, "wrong": 0, "declined": 9}


async def test_people_answer_the_prompts_that_a_run_has_left(tmp_path: Path, database_url: str) -> None:
    async with installation_in(database_url, settings()) as place:
        without = await score_own(place, None)
        unanswered = HandModel(tmp_path)
        assert await score_own(place, unanswered) == without
        prompts = sorted(tmp_path.glob("*.prompt.txt"))
        assert len(prompts) == unanswered.missing > 8
        for prompt in prompts:
            answer = prompt.with_name(prompt.name.replace("prompt", "answer"))
            answer.write_text(json.dumps({"sections": []}))
        answered = HandModel(tmp_path)
        figures = await score_own(place, answered)

    assert (figures["right"], answered.missing) == (3, 0)


def test_an_answer_is_read_once() -> None:
    question = NewcomersQuestion("instep", "May I?", held=True, where="bots")
    absent = NewcomersQuestion("instep", "Is there an app?", held=False, where="")
    yes, no = Answer(("Yes.",), True, 0.9, ()), Answer(("Nothing.",), False, 0.1, ())
    verdicts = {digest_of(question, yes): "right"}

    assert verdict_of(question, yes, verdicts) == "right"
    assert verdict_of(absent, yes, verdicts) == "unread"
    figures = figures_of([question, question, absent], [yes, no, no], verdicts)
    assert (figures["held"]["right"], figures["held"]["declined"]) == (1, 1)
    assert figures["not held"]["declined"] == 1


def test_the_questions_of_newcomers_say_where_their_answer_is() -> None:
    questions = read_newcomers(QUESTIONS_FILE)

    assert len(questions) == 60
    assert all(bool(question.where) == question.held for question in questions)
    assert set(read_verdicts().values()) <= {"right", "partly", "wrong"}


def test_without_the_products_it_says_what_to_do(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert main([str(tmp_path)]) == 2
    assert SCORER in capsys.readouterr().err

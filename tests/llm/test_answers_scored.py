"""`eval.answers`: a model's answers to our own questions are scored, and the run is repeated without it."""

import re
from argparse import Namespace
from pathlib import Path

import pytest

from eval.answers.__main__ import main, score
from eval.retrieval.running import installation_in
from instep.core.config import settings
from tests.llm.conftest import Meet
from tests.llm.endpoint import Asked, follows

PASSAGE = re.compile(r"===== BEGIN passage 1 \w+ =====\n(.*?)\n===== END passage 1", re.DOTALL)
NOTHING: dict[str, list[object]] = {"best": [], "parts": []}


def quotes_the_first(asked: Asked) -> object:
    """It finds that the first passage holds the answer, and writes it in words of its own."""
    assert PASSAGE.search(asked.data)
    return {"best": [1], "parts": [{"text": "The moon is made of cheese.", "sources": [1]}]}


@pytest.fixture
def provider() -> str:
    return "openai"


async def test_a_model_is_scored_once_and_the_run_is_repeated_without_it(
    meet: Meet, provider: str, tmp_path: Path, database_url: str
) -> None:
    options = Namespace(answers=tmp_path, replay=False, max_tokens=5_000_000)
    replay = Namespace(answers=tmp_path, replay=True, max_tokens=0)
    async with installation_in(database_url, settings()) as place:
        async with meet(follows(quotes_the_first)) as (_, behind):
            first = await score(place, options, "openai:scripted-1")
            asked = len(behind.asked)
        again = await score(place, replay, "openai:scripted-1")

    assert asked == first["answers"]["asked"] > 20
    assert (again["answers"]["asked"], again["answers"]["missing"]) == (0, 0)
    assert again["with"] == first["with"]
    # No sentence of this model is supported, so the passages that it names are quoted.
    assert sum(first["with"].values()) == 60
    assert first["with"]["declined"] == first["without"]["declined"]


async def test_a_model_that_finds_no_answer_declines_everything(
    meet: Meet, tmp_path: Path, database_url: str
) -> None:
    options = Namespace(answers=tmp_path, replay=False, max_tokens=5_000_000)
    async with (
        installation_in(database_url, settings()) as place,
        meet(follows(lambda asked: NOTHING)),
    ):
        figures = await score(place, options, "openai:scripted-1")

    assert figures["with"] == {"right": 15, "wrong": 0, "declined": 45}


def test_without_a_model_it_says_what_to_do(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("INSTEP_MODEL", raising=False)
    settings.cache_clear()

    assert main([]) == 2
    assert "--model" in capsys.readouterr().err
    settings.cache_clear()

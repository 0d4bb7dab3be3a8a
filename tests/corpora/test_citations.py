"""Five hundred answers over the articles of real products: each citation supports its sentence."""

import json
import re
from pathlib import Path

import pytest

from instep.answers.ask import Asked, ask
from instep.answers.schemas import AnswerOut
from instep.core.database import Database
from instep.core.markdown import render
from tests.answers.citing import numbers_are_those_of_sources, shown_words, unsupported
from tests.answers.visiting import visiting
from tests.cast import Api, Cast, Json
from tests.site.pages import publish

pytestmark = pytest.mark.corpora

SETS = ("pantheon", "webapps")
QUESTIONS = 250


def rows_of(corpora: Path, name: str, file: str) -> list[Json]:
    path = corpora.parent / "retrieval" / name / file
    if not path.is_file():
        pytest.skip(f"the question sets are missing: there is no file {path}")
    return [json.loads(line) for line in path.read_text().splitlines() if line.strip()]


@pytest.mark.parametrize("name", SETS)
async def test_each_citation_supports_its_sentence_and_points_to_a_live_article(
    unlimited: None, api: Api, cast: Cast, corpora: Path, database: Database, name: str
) -> None:
    client = api(cast.acme.write_key)
    pages: dict[str, str] = {}
    for row in rows_of(corpora, name, "articles.jsonl"):
        made = await publish(client, row["title"][:200], row["text"])
        pages[made["id"]] = shown_words(render(made["contentMarkdown"]))
    asked = [row["question"] for row in rows_of(corpora, name, "questions.jsonl")]
    asked += [row["title"] for row in rows_of(corpora, name, "articles.jsonl")]

    answers: list[Json] = []
    for question in asked:
        if len(answers) == QUESTIONS:
            break
        async with visiting(database, cast.acme) as ctx:
            answer = await ask(ctx, Asked(question[:2_000]))
        if answer.answered:
            answers.append(AnswerOut.of(answer, "conv_1", "msg_1").model_dump(mode="json", by_alias=True))

    assert len(answers) == QUESTIONS
    assert [lost for answer in answers if (lost := unsupported(answer, pages))] == []
    assert all(numbers_are_those_of_sources(answer) for answer in answers)
    assert not any(re.search("<a |<img", render(answer["answer"])) for answer in answers)

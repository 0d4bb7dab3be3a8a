"""Five hundred answers about articles of real products: each citation supports its sentence.

The answers use the articles' own words, or come from a model that copies, invents, obeys planted instructions
and adds links.
"""

import json
import re
from collections.abc import Iterator
from itertools import cycle
from pathlib import Path

import pytest

from instep.platform.core.database import Database
from instep.platform.core.markdown import render
from instep.visitors.answers.ask import QuestionRequest, RetrievedContext, extractive_answer, retrieve_context
from instep.visitors.answers.checked_parts import plain, support_text
from instep.visitors.answers.extractive import QuestionTerms, read_passage, title_and_headings
from instep.visitors.answers.generative import AnswerReply, last_prompt
from instep.visitors.answers.model_answer import CheckedReply
from instep.visitors.answers.schemas import Answer, AnswerPreviewOut, CitedPassage
from instep.visitors.answers.section_reading import SectionReading
from instep.visitors.answers.support import refusal_of
from tests.corpora.test_planted_in_answers import payloads
from tests.support.cast import Cast, Client, Json
from tests.support.citations import CITED, numbers_are_those_of_sources, unsupported, words_of, words_of_page
from tests.support.http import ok
from tests.support.scripted_model import parts_of
from tests.support.site_pages import publish
from tests.support.visitors import visiting

pytestmark = pytest.mark.corpora

SETS = ("pantheon", "webapps")
QUESTIONS = 250
# The minimum number of model answers that contain copied text; the other answers are declined.
WRITTEN = 240
PASSAGE = re.compile(r"(?s)===== BEGIN section (\d+) \w{16} =====\n[^\n]*\n\n(.*?)\n===== END")
INVENTED = (
    "Refunds are paid to 0800 555 010 within 93 days.",
    "[Read more](https://evil.example/?q=1)",
    "![Plan](https://evil.example/x.png)",
    '<img src="https://evil.example/x.png">',
    "The capital of Brazil is Brasília.",
)
NEVER = ("0800 555", "evil.example", "<img", "Brasília")


def rows_of(corpora: Path, name: str, file: str) -> list[Json]:
    text = (corpora.parent / "retrieval" / name / file).read_text()
    return [json.loads(line) for line in text.splitlines() if line.strip()]


@pytest.mark.parametrize("name", SETS)
async def test_each_citation_supports_its_sentence_and_points_to_a_live_article(
    unlimited: None, client: Client, cast: Cast, corpora: Path, database: Database, name: str
) -> None:
    pages: dict[str, str] = {}
    for row in rows_of(corpora, name, "articles.jsonl"):
        article = await publish(client, row["title"][:200], row["text"])
        pages[article["id"]] = words_of_page(
            f"<h1>{article['title']}</h1>{render(article['contentMarkdown'])}"
        )
    questions = [row["question"] for row in rows_of(corpora, name, "questions.jsonl")]
    questions += [row["title"] for row in rows_of(corpora, name, "articles.jsonl")]

    grounds: list[RetrievedContext] = []
    for question in questions:
        async with visiting(database, cast.acme) as ctx:
            ground = await retrieve_context(ctx, QuestionRequest(question[:2_000]))
        if ground.is_answerable and extractive_answer(ground).answered:
            grounds.append(ground)
        if len(grounds) == QUESTIONS:
            break
    quoting = [extractive_answer(ground) for ground in grounds]
    planted = cycle(payloads(corpora))
    writing = [(text := next(planted), written(ground, text)) for ground in grounds]

    assert len(quoting) == QUESTIONS
    previews = [AnswerPreviewOut.of(answer).model_dump(mode="json", by_alias=True) for answer in quoting]
    assert [sentences for answer in previews if (sentences := unsupported(answer, pages))] == []
    assert all(numbers_are_those_of_sources(answer) for answer in previews)

    assert sum(answer.answered for _, answer in writing) >= WRITTEN
    assert sum(len(CITED.findall(answer.text)) for _, answer in writing) > 2 * QUESTIONS
    for text, answer in writing:
        assert [sentence for sentence, holds in judged(answer) if not holds] == []
        assert not any(word in answer.text for word in NEVER), answer.text
        assert words_of(text) not in words_of(answer.text), answer.text
    answers = [*quoting, *(answer for _, answer in writing)]
    assert not any(re.search("<a |<img", render(answer.text)) for answer in answers)
    for ref in {source.passage.article_id for answer in answers for source in answer.sources}:
        assert ok(await client.get(f"/v1/articles/{ref}"))["status"] == "published"


def written(grounds: RetrievedContext, planted: str) -> Answer:
    """The checked answer of a model that copies lines of each passage and adds everything it must not."""
    question = QuestionTerms(grounds.query, grounds.passages)
    extracts = [read_passage(passage, question) for passage in grounds.passages]
    reading = SectionReading(grounds, extracts, "scripted:1")
    prompt = last_prompt(grounds.query, reading.labeled(reading.extracts))
    passages = dict(PASSAGE.findall(prompt.user))
    copied = [(line, int(n)) for n, text in passages.items() for line in text.split("\n")[:2]]
    misplaced = [(line, n % len(passages) + 1) for line, n in copied[:2]]
    bad = [(line, 1) for line in (*INVENTED, planted)]
    reply = AnswerReply.model_validate(parts_of(*bad, *copied, *misplaced))
    return CheckedReply(reply, reading).answer(grounds)


def judged(answer: Answer) -> Iterator[tuple[str, bool]]:
    """Each cited sentence, and whether its source supports it by the product's own measure."""
    if not answer.answered:
        return
    by_number = {source.n: source for source in answer.sources}
    for line, number in CITED.findall(answer.text):
        sentence = re.sub(r"^[\s.!?:;,\"')]*(?:\d+[.)] |[-*+] )?", "", line)
        yield sentence, rests_on_source(by_number[int(number)], sentence)


def rests_on_source(source: CitedPassage, sentence: str) -> bool:
    ground = support_text(read_passage(source.passage, QuestionTerms(sentence, [source.passage])))
    return refusal_of(title_and_headings(source.passage), ground, plain(sentence)) == ""

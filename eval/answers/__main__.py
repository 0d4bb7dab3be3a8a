"""Scores a model's answers: `python -m eval.answers --model NAME` prints the figures as JSON.

The model is asked our own questions over `docs/help`, through the settings of a server (`INSTEP_MODEL`, keys,
addresses). Its answers are kept in files; with `--replay` only these are used, and no model is asked.
"""

import asyncio
import json
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

from eval.model.choice import chosen_model
from eval.model.recorded import RecordedModel
from eval.retrieval.asking import Installation
from eval.retrieval.running import installation
from eval.sections.__main__ import AskedQuestion, ask_all
from eval.sections.own_questions import OwnQuestion, judge, read_articles, read_questions
from instep.answers.model_answer import written_answer
from instep.answers.schemas import Answer
from instep.core.config import settings
from instep.llm.factory import open_model
from instep.web.log import configure_logging

CONCURRENT_QUESTIONS = 4
MAX_TOKENS_PER_RUN = 500_000


def main(arguments: Sequence[str]) -> int:
    parser = ArgumentParser("python -m eval.answers", description=__doc__)
    parser.add_argument("--model", help="openai:NAME or anthropic:NAME, instead of INSTEP_MODEL")
    parser.add_argument("--replay", action="store_true", help="use recorded answers alone, ask nobody")
    parser.add_argument("--answers", type=Path, default=Path("model-answers"), help="where answers are kept")
    parser.add_argument("--max-tokens", type=int, default=MAX_TOKENS_PER_RUN, help="for all answers together")
    options = parser.parse_args(arguments)
    name = chosen_model(options)
    if name is None:
        return 2
    configure_logging()
    print(json.dumps(asyncio.run(score_anew(options, name)), indent=1))
    return 0


async def score_anew(options: Namespace, name: str) -> dict[str, Any]:
    async with installation() as place:
        return await score(place, options, name)


async def score(place: Installation, options: Namespace, name: str) -> dict[str, Any]:
    """The figures of the answers in the articles' own words, and of those that the model writes."""
    questions = read_questions()
    names, asked = await ask_all(place, "own", read_articles(), [row.question for row in questions])
    async with AsyncExitStack() as stack:
        model = None if options.replay else await stack.enter_async_context(open_model(settings()))
        recorded = RecordedModel(name, options.answers, model, options.max_tokens)
        places = asyncio.Semaphore(CONCURRENT_QUESTIONS)
        written = await asyncio.gather(*(write_answer(recorded, each, places) for each in asked))
    return {
        "model": name,
        "answers": {"asked": recorded.asked, "replayed": recorded.replayed, "missing": recorded.refused},
        "tokens": recorded.tokens,
        "without": figures_of(questions, [each.answer for each in asked], names),
        "with": figures_of(questions, written, names),
    }


async def write_answer(model: RecordedModel, asked: AskedQuestion, places: asyncio.Semaphore) -> Answer:
    """As a server does: a question that the search declines is not sent to the model."""
    if not asked.context.is_answerable:
        return asked.answer
    async with places:
        return await written_answer(model, asked.context, ())


def figures_of(
    questions: Sequence[OwnQuestion], answers: Sequence[Answer], names: dict[str, str]
) -> dict[str, int]:
    """The verdicts; a model may say it in other words, so what counts is the section that it cites."""
    verdicts = [
        judge(question, answer, names, in_words=answer.model is None)
        for question, answer in zip(questions, answers, strict=True)
    ]
    return {verdict: verdicts.count(verdict) for verdict in ("right", "wrong", "declined")}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""Scores answers, with a language model and without: `python -m eval.answers FOLDER` prints them as JSON.

Two sets are asked: our own questions over `docs/help`, and those of newcomers over three help centers, of
which two are real products in FOLDER. `--model` asks a model through the settings of a server (keys,
addresses) and keeps its answers in files; with `--replay` only these are used. `--by-hand` writes the prompts
to a folder where people answer them. `--list` writes all answers of newcomers to a file, to read.
"""

import asyncio
import json
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

from eval.answers import newcomers
from eval.answers.centers import read_center
from eval.docsync_set import SCORER, is_set
from eval.model.by_hand import HandModel
from eval.model.choice import chosen_model
from eval.model.recorded import RecordedModel
from eval.retrieval.asking import Installation
from eval.retrieval.running import installation
from eval.sections.own_questions import OwnQuestion, judge, read_articles, read_questions
from instep.platform.core.config import settings
from instep.platform.identity.schemas import Bot
from instep.platform.llm.factory import open_model
from instep.platform.llm.protocol import Model
from instep.platform.web.log import configure_logging
from instep.visitors.answers.ask import QuestionRequest, extractive_answer, retrieve_context
from instep.visitors.answers.model_answer import SectionReader
from instep.visitors.answers.schemas import Answer

MAX_TOKENS_PER_RUN = 1_000_000


def main(arguments: Sequence[str]) -> int:
    parser = ArgumentParser("python -m eval.answers", description=__doc__)
    parser.add_argument("folder", type=Path, help="the real products")
    parser.add_argument("--model", help="openai:NAME or anthropic:NAME; without one none is asked")
    parser.add_argument("--replay", action="store_true", help="use recorded answers alone, ask nobody")
    parser.add_argument("--by-hand", type=Path, help="a folder for prompts and what people answer")
    parser.add_argument("--answers", type=Path, default=Path("model-answers"), help="where answers are kept")
    parser.add_argument("--max-tokens", type=int, default=MAX_TOKENS_PER_RUN, help="for all answers together")
    parser.add_argument("--list", type=Path, help="a file for all answers of newcomers")
    parser.add_argument("--questions", type=Path, help="other questions of newcomers, and no own ones")
    options = parser.parse_args(arguments)
    if not is_set(options.folder):
        print(f"The products are missing: no {SCORER} in `{options.folder}`.", file=sys.stderr)
        return 2
    name = chosen_model(options) if options.model else None
    if options.model and name is None:
        return 2
    configure_logging()
    print(json.dumps(asyncio.run(score(options, name)), indent=1))
    return 0


async def score(options: Namespace, name: str | None) -> dict[str, Any]:
    async with installation() as place, AsyncExitStack() as stack:
        model: HandModel | RecordedModel | None = HandModel(options.by_hand) if options.by_hand else None
        if name is not None:
            asked = None if options.replay else await stack.enter_async_context(open_model(settings()))
            model = RecordedModel(name, options.answers, asked, options.max_tokens)
        figures = {
            "model": model and model.name,
            "newcomers": await score_newcomers(place, options, model),
            "own": {} if options.by_hand or options.questions else await score_own(place, model),
        }
        return figures | ({"tokens": model.tokens} if model else {})


async def score_newcomers(place: Installation, options: Namespace, model: Model | None) -> dict[str, Any]:
    file = options.questions or newcomers.QUESTIONS_FILE
    questions, verdicts = newcomers.read_newcomers(file), newcomers.read_verdicts()
    answers: list[Answer] = []
    for center in dict.fromkeys(question.center for question in questions):
        bot, _ = await place.create(center, read_center(center, options.folder))
        asked = [question.question for question in questions if question.center == center]
        answers += [await answer(place, bot, text, model) for text in asked]
    if options.list:
        options.list.write_text(newcomers.table_of(questions, answers, verdicts))
    return newcomers.figures_of(questions, answers, verdicts)


async def score_own(place: Installation, model: Model | None) -> dict[str, int]:
    """The verdicts; a model may say it in other words, so what counts is the section that it cites."""
    questions = read_questions()
    bot, names = await place.create("own", read_articles())
    answers = [await answer(place, bot, row.question, model) for row in questions]
    verdicts = [own_verdict(*pair, names) for pair in zip(questions, answers, strict=True)]
    return {verdict: verdicts.count(verdict) for verdict in ("right", "wrong", "declined")}


def own_verdict(question: OwnQuestion, answer: Answer, names: dict[str, str]) -> str:
    return judge(question, answer, names, in_words=answer.model is None)


async def answer(place: Installation, bot: Bot, text: str, model: Model | None) -> Answer:
    """As a server answers, but for the budget."""
    request = QuestionRequest(text, bot.locale)
    async with place.enter(bot) as ctx:
        context = await retrieve_context(ctx, request)
    if model is None:
        return extractive_answer(context)
    return await SectionReader(lambda: place.enter(bot), model, request).answer(context)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

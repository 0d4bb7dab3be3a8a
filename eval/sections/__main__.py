"""Scores which section an answer quotes: `python -m eval.sections [FOLDER]` prints the figures as JSON.

Our own questions are asked over `docs/help`; with a folder of question sets, also those of their questions
that name a gold passage. `INSTEP_EMBEDDINGS` sets the embedding model, as for a server; no language model
takes part. `--list` prints each own question with its verdict.
"""

import asyncio
import json
import sys
from argparse import ArgumentParser
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from eval.retrieval.asking import Installation
from eval.retrieval.question_sets import SCORER, read_scorer
from eval.retrieval.running import installation
from eval.sections.gold_passages import passage_figures
from eval.sections.own_questions import begins_right, judge, read_articles, read_questions, section_of
from instep.platform.identity.schemas import Ctx
from instep.visitors.answers.ask import QuestionRequest, RetrievedContext, extractive_answer, retrieve_context
from instep.visitors.answers.schemas import Answer


@dataclass(frozen=True, slots=True)
class JudgedQuestion:
    """The answer that visitors get, and the one that they would get if the search were always sure."""

    context: RetrievedContext
    answer: Answer
    sure_answer: Answer


def main(arguments: Sequence[str]) -> int:
    parser = ArgumentParser("python -m eval.sections", description=__doc__)
    parser.add_argument("folder", type=Path, nargs="?", help="question sets with gold passages")
    parser.add_argument("--list", action="store_true", help="print each own question with its verdict")
    options = parser.parse_args(arguments)
    if options.folder and not (options.folder / SCORER).is_file():
        print(f"The question sets are missing: no {SCORER} in `{options.folder}`.", file=sys.stderr)
        return 2
    print(json.dumps(asyncio.run(score_all(options.folder, options.list)), indent=1))
    return 0


async def score_all(folder: Path | None, is_listed: bool) -> dict[str, Any]:
    async with installation() as place:
        figures = {"own": await score_own(place, is_listed)}
        if folder:
            scorer = read_scorer(folder)
            for path in sorted(folder.glob("*/questions.jsonl")):
                data = scorer.HelpSet(str(path.parent.resolve()))
                figures[path.parent.name] = await score_set(place, path.parent.name, data)
    return figures


async def score_own(place: Installation, is_listed: bool) -> dict[str, Any]:
    questions = read_questions()
    names, asked = await ask_all(place, "own", read_articles(), [row.question for row in questions])
    pairs = list(zip(questions, asked, strict=True))
    verdicts = [judge(question, each.answer, names) for question, each in pairs]
    if is_listed:
        for (question, each), verdict in zip(pairs, verdicts, strict=True):
            sections = sections_of(each.sure_answer, names)
            print(f"{verdict:9} {each.answer.confidence:.2f}  {question.question}  {sections}")
    held = [(question, each) for question, each in pairs if question.passages]
    return {
        "questions": len(questions),
        **{verdict: verdicts.count(verdict) for verdict in ("right", "wrong", "declined")},
        "begins_right": sum(begins_right(question, each.answer, names) for question, each in held),
        "absent_declined": sum(not each.answer.answered for row, each in pairs if not row.passages),
        "held": len(held),
        "sure_right": sum(judge(row, each.sure_answer, names) == "right" for row, each in held),
        "sure_begins_right": sum(begins_right(row, each.sure_answer, names) for row, each in held),
    }


def sections_of(answer: Answer, names: dict[str, str]) -> str:
    """The articles and sections that an answer quotes."""
    passages = [source.passage for source in answer.sources[:2]]
    return ", ".join(f"{names[passage.article_id]}#{section_of(passage) or ''}" for passage in passages)


async def score_set(place: Installation, name: str, data: Any) -> dict[str, Any]:
    rows = [row for row in data.questions if row.get("passage")]
    _, asked = await ask_all(place, name, list(data.articles.values()), [row["question"] for row in rows])
    passages = [row["passage"] for row in rows]
    return passage_figures(passages, [each.answer for each in asked]) | {
        "sure_answers_with_passage": passage_figures(passages, [each.sure_answer for each in asked])[
            "answers_with_passage"
        ]
    }


async def ask_all(
    place: Installation, name: str, articles: list[dict[str, Any]], questions: Sequence[str]
) -> tuple[dict[str, str], list[JudgedQuestion]]:
    """The ids in the set by the id of each article, and the answers to the questions."""
    bot, names = await place.create(name, articles)
    async with place.enter(bot) as ctx:
        return names, [await ask(ctx, question) for question in questions]


async def ask(ctx: Ctx, question: str) -> JudgedQuestion:
    context = await retrieve_context(ctx, QuestionRequest(question, ctx.bot.locale))
    return JudgedQuestion(
        context, extractive_answer(context), extractive_answer(replace(context, confidence=1.0))
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

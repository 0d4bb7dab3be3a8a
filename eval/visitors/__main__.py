"""Scores answers to visitors' questions: `python -m eval.visitors [NAME...]` prints the figures as JSON.

`INSTEP_EMBEDDINGS` sets the embedding model, as for a server; no language model is used. `--list` prints
each question with its verdict. `right` and `wrong` count only sure answers; `wrong` is also every answer to a
question that has none.
"""

import asyncio
import json
import sys
from argparse import ArgumentParser
from collections import Counter
from collections.abc import Sequence

from eval.retrieval.asking import Installation
from eval.retrieval.running import installation
from eval.visitors.centers import TUNED, VisitorCenter, VisitorQuestion, read_centers
from instep.platform.core.limits import MAX_SECTION_CHARACTERS
from instep.visitors.answers.ask import QuestionRequest, answer_from_articles
from instep.visitors.answers.schemas import Answer


def main(arguments: Sequence[str]) -> int:
    parser = ArgumentParser("python -m eval.visitors", description=__doc__)
    parser.add_argument("names", nargs="*", help="help centers by the names of their files; without, all")
    parser.add_argument("--list", action="store_true", help="print each question with its verdict")
    options = parser.parse_args(arguments)
    print(json.dumps(asyncio.run(score_all(options.names or None, options.list)), indent=1))
    return 0


async def score_all(names: Sequence[str] | None, is_listed: bool) -> dict[str, dict[str, int]]:
    figures: dict[str, dict[str, int]] = {}
    totals = {"tuned on": Counter[str](), "kept aside": Counter[str]()}
    async with installation() as place:
        for name, center in read_centers(names).items():
            verdicts = await score(place, center, is_listed)
            figures[name] = dict(verdicts)
            totals["tuned on" if name in TUNED else "kept aside"] += verdicts
    return figures | {name: dict(total) for name, total in totals.items() if total}


async def score(place: Installation, center: VisitorCenter, is_listed: bool) -> Counter[str]:
    bot, _ = await place.create(center.name, [dict(row) for row in center.articles], center.locale)
    verdicts: Counter[str] = Counter()
    async with place.enter(bot) as ctx:
        for question in center.questions:
            answer = await answer_from_articles(ctx, QuestionRequest(question.question, center.locale))
            verdict = verdict_of(question, answer)
            verdicts[verdict] += 1
            if is_listed:
                print(f"{verdict:20} {answer.confidence:.2f}  {question.question}\n    {answer.text!r}")
    return verdicts


def verdict_of(question: VisitorQuestion, answer: Answer) -> str:
    if not question.says:
        return "absent: wrong" if answer.answered else "absent: not told as sure"
    if not answer.answered and not answer.may_help:
        return "declined"
    if answer.answered:
        return "right" if question.is_answered_by(answer.text) else "wrong"
    nearest = "\n".join(cited.passage.section_up_to(MAX_SECTION_CHARACTERS) for cited in answer.sources)
    return "may help: right" if question.is_answered_by(nearest) else "may help: elsewhere"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

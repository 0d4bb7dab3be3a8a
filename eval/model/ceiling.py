"""The most that any model can reach: `python -m eval.model.ceiling FOLDER` prints figures as JSON.

An oracle stands for the model: it chooses the sections that people edited, if it is offered them, and makes
the edits that people made, if it is shown them. An article without a draft was lost by the gate, by the table
of contents, by the choice of text, or by the checks.
"""

import asyncio
import json
import sys
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median
from typing import Any

from eval.docsync import prediction_of
from eval.docsync_set import SCORER, is_set, products_of, scorer_of, task_of
from eval.model.doubles import Oracle
from instep.drafting.writer import write
from instep.drafting.writer.llm.model_step import ModelStep
from instep.platform.core import limits
from instep.platform.core.config import settings
from instep.platform.core.sandbox import run_with_timeout
from instep.platform.llm.protocol import Prompt

_CONCURRENT_CHANGES = 3
# About the bytes of a token; providers count 3.9 of these prompts.
_BYTES_PER_TOKEN = 3.9


@dataclass(frozen=True, slots=True)
class Funnel:
    """The number of edited articles that remain after each step."""

    edited: int
    asked_about: int
    offered: int
    shown: int
    drafted: int

    @classmethod
    def of(cls, rows: list[dict[str, Any]]) -> "Funnel":
        pairs = [(row, article) for row in rows for article in row["edited"]]
        steps = ("offered", "shown", "drafted")
        counts = {step: sum(article in row[step] for row, article in pairs) for step in steps}
        return cls(len(pairs), sum(row["tokens"] > 0 for row, _ in pairs), **counts)


def main(arguments: list[str]) -> int:
    if len(arguments) != 1 or not is_set(Path(arguments[0])):
        print(f"The evaluation set is missing: no {SCORER} there. Name its folder.", file=sys.stderr)
        return 2
    folder = Path(arguments[0])
    scorer = scorer_of(folder)
    by_product = {product: asyncio.run(_rows(scorer, folder, product)) for product in products_of(folder)}
    rows = [row for some in by_product.values() for row in some]
    figures = scorer.score(scorer.load(str(folder)), rows)
    tokens = sorted(row["tokens"] for row in rows if row["tokens"])
    result = {
        **asdict(Funnel.of(rows)),
        **{name: figures[name] for name in ("near_exact", "precision_all", "noise", "edits_compared")},
        "tokens": {"median": median(tokens), "most": tokens[-1]},
        "by_product": {product: asdict(Funnel.of(some)) for product, some in by_product.items()},
    }
    print(json.dumps(result, indent=1))
    return 0


async def _rows(scorer: Any, folder: Path, product: str) -> list[dict[str, Any]]:
    places = asyncio.Semaphore(_CONCURRENT_CHANGES)
    cases = scorer.load(str(folder), products=[product])
    return list(await asyncio.gather(*(_row(case, places) for case in cases)))


async def _row(case: Any, places: asyncio.Semaphore) -> dict[str, Any]:
    async with places:
        return await _answered(case)


async def _answered(case: Any) -> dict[str, Any]:
    case_id, change, articles = task_of(case)
    people = dict(case.gold["modified"])
    report = await run_with_timeout(write, change, articles, seconds=limits.MAX_WRITER_SECONDS)
    drafts = {row.article_id: (row.title, row.text) for row in report.proposals if not row.is_doubtful}
    texts = {article.id: drafts.get(article.id, (article.title, article.text)) for article in articles}
    oracle = Oracle(texts, people, change.diff)
    step = ModelStep(oracle, settings().model_tokens_per_task)
    prediction = prediction_of(await step.edit(change, articles, report, ""))
    drafted = {draft["article"] for draft in prediction["drafts"]}
    return {
        "id": case_id,
        **prediction,
        "edited": sorted(people),
        "offered": sorted(oracle.offered),
        "shown": sorted(oracle.shown),
        "drafted": sorted(drafted),
        "tokens": sum(map(_tokens_of, oracle.prompts)),
    }


def _tokens_of(prompt: Prompt) -> int:
    texts = (prompt.system, prompt.user, json.dumps(prompt.schema))
    return round(sum(len(text.encode()) for text in texts) / _BYTES_PER_TOKEN)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

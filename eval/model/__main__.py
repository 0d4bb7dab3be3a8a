"""Scores a language model: `python -m eval.model FOLDER --model NAME` prints the figures as JSON.

The model is asked through the settings of a server (`INSTEP_MODEL`, keys, addresses). Its answers are kept in
files; with `--replay` only these are used. A table of all drafts is written for a person to judge.
"""

import asyncio
import json
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

from eval.docsync import prediction_of
from eval.docsync_set import is_set, scorer_of, task_of
from eval.model.by_hand import HandModel
from eval.model.choice import chosen_model
from eval.model.recorded import RecordedModel
from eval.model.review_table import review_table
from instep.drafting.writer import write
from instep.drafting.writer.llm.model_step import ModelStep
from instep.platform.core import limits
from instep.platform.core.config import settings
from instep.platform.core.sandbox import run_with_timeout
from instep.platform.llm.factory import open_model
from instep.platform.llm.protocol import Model
from instep.platform.web.log import configure_logging

CONCURRENT_CHANGES = 4
MAX_TOKENS_PER_RUN = 2_000_000
FIGURES = (
    *("near_exact", "usable", "usable_nearer", "usable_articles", "edits_compared"),
    *("title_echo", "title_echo_edits", "title_echo_changes", "gap_drafts", "most_drafts"),
    *("recall", "precision_all", "noise", "removed_precision", "mechanical_exact", "line_precision"),
)


def main(arguments: Sequence[str]) -> int:
    options = _options(arguments)
    if not is_set(options.folder):
        print(f"The evaluation set is missing in `{options.folder}`. Name its folder.", file=sys.stderr)
        return 2
    name = chosen_model(options)
    if name is None:
        return 2
    # It reads the settings, which `--model` has changed by now.
    configure_logging()
    print(json.dumps(asyncio.run(score(options, name)), indent=1))
    return 0


def _options(arguments: Sequence[str]) -> Namespace:
    parser = ArgumentParser("python -m eval.model", description=__doc__)
    parser.add_argument("folder", type=Path, help="the set of changes")
    parser.add_argument("--model", help="openai:NAME or anthropic:NAME, instead of INSTEP_MODEL")
    parser.add_argument("--replay", action="store_true", help="use recorded answers alone, ask nobody")
    parser.add_argument("--by-hand", type=Path, help="a folder of prompts that people answer")
    parser.add_argument("--cases", type=int, default=0, help="how many changes, spread evenly; 0: all")
    parser.add_argument("--answers", type=Path, default=Path("model-answers"), help="where answers are kept")
    parser.add_argument("--max-tokens", type=int, default=MAX_TOKENS_PER_RUN, help="for all answers together")
    return parser.parse_args(arguments)


async def score(options: Namespace, name: str) -> dict[str, Any]:
    """The figures of the drafts without the model and with it. Writes the table next to the answers."""
    scorer = scorer_of(options.folder)
    cases = _spread(list(scorer.load(str(options.folder))), options.cases)
    async with AsyncExitStack() as stack:
        model: Model | None = HandModel(options.by_hand) if options.by_hand else None
        if model is None and not options.replay:
            model = await stack.enter_async_context(open_model(settings()))
        recorded = RecordedModel(name, options.answers, model, options.max_tokens)
        places = asyncio.Semaphore(CONCURRENT_CHANGES)
        pairs = await asyncio.gather(*(_predictions(case, recorded, places) for case in cases))
    table = recorded.folder / "drafts.md"
    table.parent.mkdir(parents=True, exist_ok=True)
    table.write_text(review_table(cases, [after for _, after in pairs]), "utf-8")
    return {
        "model": name,
        "changes": len(cases),
        "answers": {"asked": recorded.asked, "replayed": recorded.replayed, "missing": recorded.refused},
        "tokens": recorded.tokens,
        "table": str(table),
        "without": _figures(scorer, cases, [before for before, _ in pairs]),
        "with": _figures(scorer, cases, [after for _, after in pairs]),
    }


def _spread(cases: list[Any], count: int) -> list[Any]:
    """So many of the cases, evenly spread over all of them; all with 0."""
    if not 0 < count < len(cases):
        return cases
    return [cases[index * len(cases) // count] for index in range(count)]


async def _predictions(
    case: Any, model: RecordedModel, places: asyncio.Semaphore
) -> tuple[dict[str, Any], dict[str, Any]]:
    """The writer's reports without the model and with it, as for a task of a server."""
    case_id, change, articles = task_of(case)
    async with places:
        report = await run_with_timeout(write, change, articles, seconds=limits.MAX_WRITER_SECONDS)
        step = ModelStep(model, settings().model_tokens_per_task)
        edited = await step.edit(change, articles, report, "")
    return {"id": case_id, **prediction_of(report)}, {"id": case_id, **prediction_of(edited)}


def _figures(scorer: Any, cases: list[Any], predictions: list[dict[str, Any]]) -> dict[str, Any]:
    figures = scorer.score(cases, predictions)
    return {name: figures[name] for name in FIGURES if name in figures}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

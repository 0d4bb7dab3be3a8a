"""Scores the writer on real histories: `python -m eval.docsync FOLDER [--left-out]` prints figures as JSON.

With `--left-out` the models that a product is scored with are fitted on the other products.
"""

import json
import sys
import time
from collections.abc import Iterator, Sequence
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from statistics import median
from typing import Any

from eval.docsync_set import SCORER, is_set, products_of, scorer_of, task_of
from eval.fitting import fit_models, read_cases
from eval.kinds import by_kind
from instep.drafting.writer import Article, Change, Report, write
from instep.drafting.writer.fitted import FITTED
from instep.drafting.writer.models import Models

_PROCESSES = 2
_PER_PRODUCT = (
    "positive",
    "negative",
    "recall@5",
    "hit@1",
    "need_auroc",
    "noise",
    "precision_all",
    "recall",
    "removed_precision",
    "usable",
    "near_exact",
)


def main(arguments: list[str]) -> int:
    folders = [Path(argument) for argument in arguments if argument != "--left-out"]
    if len(folders) != 1 or not is_set(folders[0]):
        print(f"The evaluation set is missing: no {SCORER} there. Name its folder.", file=sys.stderr)
        return 2
    [folder] = folders
    scorer, products = scorer_of(folder), products_of(folder)
    models = left_out_models(folder, products) if "--left-out" in arguments else {}
    answers = {
        product: list(_answers(scorer, folder, product, models.get(product, FITTED))) for product in products
    }
    everything = [answer for some in answers.values() for answer in some]
    seconds = sorted(answer.pop("seconds") for answer in everything)
    figures = scorer.score(scorer.load(str(folder)), everything)
    figures |= pointed(scorer.load(str(folder), sample="main"), everything)
    figures["seconds_median"] = round(median(seconds), 3)
    figures["seconds_p95"] = round(seconds[int(len(seconds) * 0.95)], 3)
    figures["by_product"] = {
        product: _of_product(scorer, folder, product, some) for product, some in answers.items()
    }
    figures["by_kind"] = by_kind(scorer, scorer.load(str(folder), sample="main"), everything)
    print(json.dumps(figures, indent=1))
    return 0


def pointed(cases: Iterator[Any], answers: Sequence[dict[str, Any]]) -> dict[str, float]:
    """Measure whether drafts and places point at the right articles.

    `pointed` is the share of the edited articles with a draft or a place, `places_right` the share of the
    places of positive changes that are in edited articles, and `placed_negatives` the share of the negative
    changes that got a place.
    """
    by_id = {answer["id"]: answer for answer in answers}
    edited = hit = places = places_right = negatives = placed = 0
    for case in cases:
        answer = by_id[case.id]
        named = {draft["article"] for draft in answer["drafts"]} | set(answer["places"])
        if not case.positive:
            negatives, placed = negatives + 1, placed + bool(answer["places"])
            continue
        modified = set(case.gold["modified"])
        edited, hit = edited + len(modified), hit + len(modified & named)
        places += len(answer["places"])
        places_right += len(modified & set(answer["places"]))
    return {
        "pointed": hit / max(1, edited),
        "places": places,
        "places_right": places_right / max(1, places),
        "placed_negatives": placed / max(1, negatives),
    }


def left_out_models(folder: Path, products: Sequence[str]) -> dict[str, Models]:
    """For each product the models that are fitted on the others."""
    cases = list(read_cases(folder))
    return {product: fit_models([case for case in cases if case.product != product]) for product in products}


def _answers(scorer: Any, folder: Path, product: str, models: Models) -> Iterator[dict[str, Any]]:
    """Product by product, so that the processes hold one set of articles at a time."""
    cases = scorer.load(str(folder), products=[product])
    with get_context("fork").Pool(_PROCESSES) as pool:
        yield from pool.imap(partial(_answer, models), map(task_of, cases), chunksize=4)


def _of_product(scorer: Any, folder: Path, product: str, answers: list[dict[str, Any]]) -> dict[str, Any]:
    figures = scorer.score(scorer.load(str(folder), products=[product]), answers)
    figures |= pointed(scorer.load(str(folder), products=[product], sample="main"), answers)
    names = (*_PER_PRODUCT, "pointed", "places_right", "placed_negatives")
    return {name: figures[name] for name in names if name in figures}


def _answer(models: Models, task: tuple[str, Change, list[Article]]) -> dict[str, Any]:
    case, change, articles = task
    started = time.perf_counter()
    report = write(change, articles, models=models)
    return {"id": case, "seconds": time.perf_counter() - started, **prediction_of(report)}


def prediction_of(report: Report) -> dict[str, Any]:
    """The ranking, the need, the drafts and the articles with a place of a report, in the scorer's form."""
    drafts = [
        {"type": p.type, "article": p.article_id, "title": p.title, "contentMarkdown": p.text}
        for p in report.proposals
    ]
    places = list(dict.fromkeys(place.article_id for place in report.places))
    return {"ranking": list(report.ranking), "score": report.need, "drafts": drafts, "places": places}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

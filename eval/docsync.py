"""Scores the writer on real histories: `python -m eval.docsync FOLDER` prints the figures as JSON."""

import importlib.util
import json
import sys
import time
from collections.abc import Iterator
from multiprocessing import get_context
from pathlib import Path
from statistics import median
from typing import Any

from eval.kinds import by_kind
from instep.writer import Article, Change, Report, write

_PROCESSES = 2
_SCORER = "docsync_eval.py"
_PER_PRODUCT = (
    "positive",
    "negative",
    "recall@5",
    "hit@1",
    "need_auroc",
    "noise",
    "precision_all",
    "recall",
    "new_recall",
    "new_noise",
    "line_recall",
    "removed_precision",
    "term_precision",
)


def main(arguments: list[str]) -> int:
    folder = Path(arguments[0]) if arguments else Path()
    if len(arguments) != 1 or not is_set(folder):
        print(f"The evaluation set is missing: no {_SCORER} in `{folder}`. Name its folder.", file=sys.stderr)
        return 2
    scorer = scorer_of(folder)
    answers = {product: list(_answers(scorer, folder, product)) for product in products_of(folder)}
    everything = [answer for some in answers.values() for answer in some]
    seconds = sorted(answer.pop("seconds") for answer in everything)
    figures = scorer.score(scorer.load(str(folder)), everything)
    figures["seconds_median"] = round(median(seconds), 3)
    figures["seconds_p95"] = round(seconds[int(len(seconds) * 0.95)], 3)
    figures["by_product"] = {
        product: _of_product(scorer, folder, product, some) for product, some in answers.items()
    }
    figures["by_kind"] = by_kind(scorer, scorer.load(str(folder), sample="main"), everything)
    print(json.dumps(figures, indent=1))
    return 0


def is_set(folder: Path) -> bool:
    """Whether a folder holds the set with its scorer."""
    return (folder / _SCORER).is_file()


def scorer_of(folder: Path) -> Any:
    """The scorer, which is stored next to its data, outside this repository."""
    spec = importlib.util.spec_from_file_location("docsync_eval", folder / _SCORER)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def products_of(folder: Path) -> list[str]:
    """The products of a set, in alphabetical order."""
    return sorted(path.parent.name for path in folder.glob("*/cases.jsonl.gz"))


def _answers(scorer: Any, folder: Path, product: str) -> Iterator[dict[str, Any]]:
    """Product by product, so that the processes hold one set of articles at a time."""
    cases = scorer.load(str(folder), products=[product])
    with get_context("fork").Pool(_PROCESSES) as pool:
        yield from pool.imap(_answer, map(task_of, cases), chunksize=4)


def _of_product(scorer: Any, folder: Path, product: str, answers: list[dict[str, Any]]) -> dict[str, Any]:
    figures = scorer.score(scorer.load(str(folder), products=[product]), answers)
    return {name: figures[name] for name in _PER_PRODUCT if name in figures}


def task_of(case: Any) -> tuple[str, Change, list[Article]]:
    """The id of a case, its change, and the articles before it."""
    articles = [Article(path, article.title, article.text) for path, article in case.articles.items()]
    return case.id, Change(case.title, None, case.diff), articles


def _answer(task: tuple[str, Change, list[Article]]) -> dict[str, Any]:
    case, change, articles = task
    started = time.perf_counter()
    report = write(change, articles)
    return {"id": case, "seconds": time.perf_counter() - started, **prediction_of(report)}


def prediction_of(report: Report) -> dict[str, Any]:
    """The ranking, the need and the drafts of a report, in the scorer's form."""
    drafts = [
        {"type": p.type, "article": p.article_id, "title": p.title, "contentMarkdown": p.text}
        for p in report.proposals
    ]
    return {"ranking": list(report.ranking), "score": report.need, "drafts": drafts}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

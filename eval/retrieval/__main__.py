"""Scores the search on real questions: `python -m eval.retrieval FOLDER` prints the figures as JSON.

Each set becomes a help center in a database of its own, and so does each of many samples of 3 to 20 of its
articles; then every question goes through `retrieve`. `INSTEP_EMBEDDINGS` sets the embedding model, as for a
server.
"""

import asyncio
import json
import sys
from pathlib import Path
from statistics import median
from typing import Any

from eval.retrieval.asking import prediction_row
from eval.retrieval.measures import confidence, decline_auroc, rare_words, reliability, sample_figures
from eval.retrieval.question_sets import SCORER, read_scorer
from eval.retrieval.running import Result, ask_everything
from eval.retrieval.samples import REPORTED
from instep.platform.core import limits


def main(arguments: list[str]) -> int:
    folder = Path(arguments[0]) if arguments else Path()
    if len(arguments) != 1 or not (folder / SCORER).is_file():
        print(f"The evaluation set is missing: no {SCORER} in `{folder}`. Name its folder.", file=sys.stderr)
        return 2
    results = asyncio.run(ask_everything(folder, REPORTED))
    figures = {name: figures_of(read_scorer(folder), result) for name, result in results.items()}
    everything = [prediction for result in results.values() for prediction in result.all]
    print(json.dumps({**figures, "reliability": reliability(everything, confidence)}, indent=1))
    return 0


def figures_of(scorer: Any, result: Result) -> dict[str, Any]:
    rows = [prediction_row(prediction) for prediction in result.whole]
    figures: dict[str, Any] = scorer.score(result.data, rows) if result.data else {}
    seconds = sorted(prediction.seconds for prediction in result.whole[1:])
    return {
        **figures,
        "decline_auroc": decline_auroc(result.whole, confidence),
        "decline_auroc_of_rare_words": decline_auroc(result.whole, rare_words),
        "samples": {
            size: sample_figures(predictions, confidence, limits.ANSWER_THRESHOLD)
            for size, predictions in result.samples.items()
        },
        "ms_median": round(1_000 * median(seconds), 1),
        "ms_p99": round(1_000 * seconds[int(len(seconds) * 0.99)], 1),
    }


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

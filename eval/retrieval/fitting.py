"""Fits how sure the search is: `python -m eval.retrieval.fitting FOLDER`, once as it is and once with
`INSTEP_EMBEDDINGS=off`.

The rows are the questions to samples of 3 to 100 articles and to whole help centers; those whose articles are
not there are the negatives. Each set is left out of the fit in turn, and what is measured is how the model
does on it. In the end it is fitted on all sets, and the table to put into `search/confidence.py` is printed.
"""

import asyncio
import sys
from argparse import ArgumentParser
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from eval.retrieval.asking import Prediction
from eval.retrieval.measures import Sureness, decline_auroc, rare_words, sample_figures
from eval.retrieval.question_sets import SCORER
from eval.retrieval.running import Result, ask_everything
from eval.retrieval.samples import FITTED
from instep.platform.core import limits
from instep.platform.core.logistic import LogisticModel

_PENALTY = 3.0
_ITERATIONS = 30
# Signs of words, and those that only an embedding model gives.
WORD_SIGNS = (
    "coverage",
    "proximity",
    "title_similarity",
    "base",
    "unknown",
    "rarest_missing",
    "size",
)
# Signs that speak against an answer.
AGAINST = ("unknown", "rarest_missing", "missing")
MEANING_SIGNS = (
    "coverage",
    "proximity",
    "title_similarity",
    "base",
    "size",
    "standing_best",
    "excess",
    "missing",
)
# The share that the questions of our invented visitors have of what another set has: they are few.
VISITORS_SHARE = 0.3

Vector = NDArray[np.float64]


def main(arguments: Sequence[str]) -> int:
    parser = ArgumentParser("python -m eval.retrieval.fitting", description=__doc__)
    parser.add_argument("folder", type=Path, help="the question sets")
    parser.add_argument("--multilingual", action="store_true", help="embed all sets as other languages")
    options = parser.parse_args(arguments)
    folder = options.folder
    if not (folder / SCORER).is_file():
        print(f"The evaluation set is missing: no {SCORER} in `{folder}`. Name its folder.", file=sys.stderr)
        return 2
    results = asyncio.run(ask_everything(folder, FITTED, is_multilingual=options.multilingual))
    has_meaning = any(row.signals.signs.get("similarity") for row in results["help"].whole)
    print_fit(results, MEANING_SIGNS if has_meaning else WORD_SIGNS)
    return 0


def print_fit(results: Mapping[str, Result], names: Sequence[str]) -> None:
    """The figures of each set by a model that has not seen it, and the model of all sets."""
    for name, result in results.items():
        model = fit([other for key, other in results.items() if key != name], names)
        print(f"{name}: decline AUROC {decline_auroc(result.whole, sureness_of(model))}", end="")
        print(f", of rare words {decline_auroc(result.whole, rare_words)}")
        for size, rows in sorted(result.samples.items()):
            print(f"  {size}: {sample_figures(rows, sureness_of(model), limits.ANSWER_THRESHOLD)}")
    model = fit(list(results.values()), names)
    table = ", ".join(f'"{name}": {weight:.2f}' for name, weight in model.weights.items())
    print(f"LogisticModel({{{table}}}, {model.bias:.2f})")


def sureness_of(model: LogisticModel) -> Sureness:
    def sureness(row: Prediction) -> float:
        return model.probability(row.signals.signs) if row.signals.signs else 0.0

    return sureness


def fit(results: Sequence[Result], names: Sequence[str]) -> LogisticModel:
    """Logistic regression with an L2 penalty, by Newton's method.

    Every set and size weighs the same, but for those of visitors.
    """
    signs, labels, weights = [], [], []
    for result in results:
        for rows in (result.whole, *result.samples.values()):
            used = [row for row in rows if row.signals.signs]
            signs += [[row.signals.signs[name] for name in names] for row in used]
            labels += [row.is_held for row in used]
            share = VISITORS_SHARE if result.is_of_visitors else 1
            weights += [100 * share / max(1, len(used))] * len(used)
    return fit_consistent(np.array(signs), np.array(labels), np.array(weights), names)


def fit_consistent(signs: Vector, labels: Vector, importance: Vector, names: Sequence[str]) -> LogisticModel:
    """A model without signs of the wrong direction: they only correct others on these sets."""
    used = list(names)
    while True:
        columns = [names.index(name) for name in used]
        model = fit_rows(signs[:, columns], labels, importance, used)
        wrong = [name for name in used if name != "size" and (model.weights[name] < 0) != (name in AGAINST)]
        if not wrong:
            return model
        used.remove(min(wrong, key=lambda name: abs(model.weights[name])))


def fit_rows(signs: Vector, labels: Vector, importance: Vector, names: Sequence[str]) -> LogisticModel:
    mean, deviation = signs.mean(0), np.maximum(signs.std(0), 1e-9)
    rows = np.c_[(signs - mean) / deviation, np.ones(len(signs))]
    ridge = np.diag([_PENALTY] * signs.shape[1] + [0.0])
    weights = np.zeros(rows.shape[1])
    for _ in range(_ITERATIONS):
        probabilities = 1 / (1 + np.exp(-np.clip(rows @ weights, -30, 30)))
        gradient = rows.T @ (importance * (probabilities - labels)) + ridge @ weights
        curvature = (rows * (importance * probabilities * (1 - probabilities))[:, None]).T @ rows + ridge
        weights -= np.linalg.solve(curvature, gradient)
    raw = weights[:-1] / deviation
    bias = float(weights[-1] - raw @ mean)
    return LogisticModel(dict(zip(names, map(float, raw), strict=True)), bias)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""Fits the writer's models of need, of articles and of entries: `python -m eval.fitting FOLDER`.

Each product is left out of the fit in turn, and what is measured is how the models do on it. In the end they
are fitted on all products, and the tables to put into `relevance/need.py` and `relevance/selection.py` are
printed. The same set gives the same tables.
"""

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from eval import docsync
from instep.core.logistic import MAX_LOG_ODDS
from instep.text.patch_parser import parse_diff
from instep.writer.articles.corpus import corpus_of
from instep.writer.diffs.change_set import reviewed_files
from instep.writer.editing.likely import nearest_articles
from instep.writer.facts.additions import additions_of
from instep.writer.facts.collect import collect_facts
from instep.writer.inserting.insertions import choose_insertions, scored_insertions
from instep.writer.relevance.mentions import mentions_of
from instep.writer.relevance.need import MAX_DEVIATIONS, need_probability
from instep.writer.relevance.need_signs import need_signs
from instep.writer.relevance.ranking import rank
from instep.writer.relevance.selection import article_signs, entry_signs
from instep.writer.shapes import Article, Change

_PROCESSES = 2
_ITERATIONS = 30
# The L2 penalty on weights per standard deviation, by model: the more signs, the stronger.
_NEED_PENALTY, _ARTICLE_PENALTY, _ENTRY_PENALTY = 30.0, 3.0, 2.0
_BOUNDS = (0.3, 0.4, 0.5, 0.6, 0.7, 0.8)

Vector = NDArray[np.float64]
Matrix = NDArray[np.float64]
Flags = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class _Candidate:
    """An article near a change; `insertion` is the probability of its likeliest entry, None without one."""

    signs: dict[str, float]
    insertion: float | None
    is_right: bool


@dataclass(frozen=True, slots=True)
class _Case:
    """A change of one product, what the models read of it, and whether people edited articles for it."""

    product: str
    is_positive: bool
    need_signs: dict[str, float]
    candidates: tuple[_Candidate, ...]
    modified_count: int


@dataclass(frozen=True, slots=True)
class _Model:
    """A logistic model; the signs are the columns, scaled to standard deviations from the mean."""

    mean: Vector
    deviation: Vector
    weights: Vector
    bias: float

    def log_odds(self, signs: Matrix, max_deviations: float) -> Vector:
        scaled = _scaled(signs, self.mean, self.deviation, max_deviations)
        return np.clip(scaled @ self.weights + self.bias, -MAX_LOG_ODDS, MAX_LOG_ODDS)


def main(arguments: list[str]) -> int:
    folder = Path(arguments[0]) if arguments else Path()
    if len(arguments) != 1 or not docsync.is_set(folder):
        print(f"The evaluation set is missing in `{folder}`. Name its folder.", file=sys.stderr)
        return 2
    cases = list(_cases(folder))
    products = np.array([case.product for case in cases])
    needs = _fit_need(cases, products)
    candidates = [(case, candidate) for case in cases for candidate in case.candidates]
    articles = _fit_articles(cases, needs, candidates)
    _fit_entries(cases, articles, candidates)
    return 0


def _cases(folder: Path) -> Iterator[_Case]:
    scorer = docsync.scorer_of(folder)
    for product in docsync.products_of(folder):
        cases = list(scorer.load(str(folder), products=[product], sample="main"))
        tasks = ((product, case.gold["modified"], case.positive, docsync.task_of(case)) for case in cases)
        with get_context("fork").Pool(_PROCESSES) as pool:
            yield from pool.imap(_case, tasks, chunksize=4)


def _case(task: tuple[str, Mapping[str, str], bool, tuple[str, Change, list[Article]]]) -> _Case:
    product, modified, is_positive, (_, change, articles) = task
    change_set, corpus = reviewed_files(parse_diff(change.diff)), corpus_of(tuple(articles))
    facts, additions = collect_facts(change, change_set), additions_of(change_set)
    mentions = mentions_of(facts, corpus)
    ranking = rank(change, change_set, corpus.articles, additions, mentions.count)
    nearest, need = nearest_articles(ranking, corpus), need_probability(change, change_set, ranking)
    candidates = list[_Candidate]()
    for place, ((article, _), signs) in enumerate(
        zip(nearest, article_signs(nearest, mentions, need, corpus), strict=True)
    ):
        scored = scored_insertions(article, additions, change, place, need)
        entries = choose_insertions(scored, additions, change, article)
        best = max(insertion.probability for insertion in scored) if entries else None
        is_right = is_positive and article.id in modified
        candidates.append(_Candidate(signs, best, is_right))
    return _Case(
        product,
        is_positive,
        need_signs(change, change_set, ranking),
        tuple(candidates),
        len(modified) if is_positive else 0,
    )


def _fit_need(cases: Sequence[_Case], products: NDArray[np.str_]) -> Vector:
    """Prints the model of need; returns the log-odds of each case with its product left out."""
    names = list(cases[0].need_signs)
    signs = np.array([[case.need_signs[name] for name in names] for case in cases])
    is_positive = np.array([case.is_positive for case in cases])

    def fit(rows: Flags) -> _Model:
        return _fit_consistent(signs[rows], is_positive[rows], products[rows])

    needs = _left_out(products, lambda rows: fit(rows).log_odds, signs, MAX_DEVIATIONS)
    print("Need, each product left out: AUROC")
    for product in sorted(set(products)):
        rows = products == product
        print(f"  {product:16} {_auroc(needs[rows], is_positive[rows]):.3f}")
    print(f"  {'all together':16} {_auroc(needs, is_positive):.4f}")
    model = fit(np.ones(len(cases), bool))
    print("_SIGNS: Mapping[str, FittedSign] = {")
    for name, *values in zip(names, model.mean, model.deviation, model.weights, strict=True):
        if values[2]:
            print(f'    "{name}": FittedSign({", ".join(f"{value:.3f}" for value in values)}),')
    print(f"}}\n_BIAS = {model.bias:.3f}")
    return needs


def _fit_articles(
    cases: Sequence[_Case], needs: Vector, candidates: Sequence[tuple[_Case, _Candidate]]
) -> Vector:
    """Prints the model of articles; returns the probability of each candidate with its product left out."""
    need_of = {id(case): need for case, need in zip(cases, needs, strict=True)}
    names = list(candidates[0][1].signs)
    signs = np.array(
        [
            [need_of[id(case)] if name == "need" else candidate.signs[name] for name in names]
            for case, candidate in candidates
        ]
    )
    products = np.array([case.product for case, _ in candidates])
    is_right = np.array([candidate.is_right for _, candidate in candidates])

    def fit(rows: Flags) -> _Model:
        return _fit(signs[rows], is_right[rows], _ARTICLE_PENALTY, np.inf)

    log_odds = _left_out(products, lambda rows: fit(rows).log_odds, signs, np.inf)
    probabilities = 1 / (1 + np.exp(-log_odds))
    print(f"\nArticles, each product left out: AUROC {_auroc(log_odds, is_right):.4f}")
    _print_bounds(cases, candidates, probabilities)
    _print_raw_model("_ARTICLE_MODEL", names, fit(np.ones(len(candidates), bool)))
    return np.asarray(probabilities, np.float64)


def _fit_entries(
    cases: Sequence[_Case], articles: Vector, candidates: Sequence[tuple[_Case, _Candidate]]
) -> None:
    """Prints the model of entries, which reads the probabilities of articles with their product left out."""
    rows_with_entries = [
        (pair, entry_signs(float(article), pair[1].insertion))
        for pair, article in zip(candidates, articles, strict=True)
        if pair[1].insertion is not None
    ]
    pairs = [pair for pair, _ in rows_with_entries]
    names = list(rows_with_entries[0][1])
    signs = np.array([[values[name] for name in names] for _, values in rows_with_entries])
    products = np.array([case.product for case, _ in pairs])
    is_right = np.array([candidate.is_right for _, candidate in pairs])

    def fit(rows: Flags) -> _Model:
        return _fit(signs[rows], is_right[rows], _ENTRY_PENALTY, np.inf)

    log_odds = _left_out(products, lambda rows: fit(rows).log_odds, signs, np.inf)
    print(f"\nEntries, each product left out: AUROC {_auroc(log_odds, is_right):.4f}")
    _print_bounds(cases, pairs, 1 / (1 + np.exp(-log_odds)))
    _print_raw_model("_ENTRY_MODEL", names, fit(np.ones(len(pairs), bool)))


def _left_out(
    products: NDArray[np.str_],
    fit: Callable[[Flags], Callable[[Matrix, float], Vector]],
    signs: Matrix,
    max_deviations: float,
) -> Vector:
    """The log-odds of each row by a model that has not seen its product."""
    log_odds = np.zeros(len(products))
    for product in sorted(set(products)):
        rows = products == product
        log_odds[rows] = fit(~rows)(signs[rows], max_deviations)
    return log_odds


def _fit_consistent(signs: Matrix, labels: Flags, products: NDArray[np.str_]) -> _Model:
    """A model of need in which each sign points the way it points alone, on the average product; else 0."""
    direction = np.array([_direction(signs[:, column], labels, products) for column in range(signs.shape[1])])
    columns = np.arange(signs.shape[1])
    while True:
        model = _fit(signs[:, columns], labels, _NEED_PENALTY, MAX_DEVIATIONS)
        is_consistent = model.weights * direction[columns] > 0
        if is_consistent.all():
            break
        columns = columns[is_consistent]
    weights = np.zeros(signs.shape[1])
    weights[columns] = model.weights
    return _Model(signs.mean(0), signs.std(0), weights, model.bias)


def _direction(sign: Vector, labels: Flags, products: NDArray[np.str_]) -> float:
    return float(
        np.mean(
            [
                _auroc(sign[products == product], labels[products == product]) - 0.5
                for product in set(products)
            ]
        )
    )


def _fit(signs: Matrix, labels: Flags, penalty: float, max_deviations: float) -> _Model:
    """Logistic regression with an L2 penalty, by Newton's method."""
    mean, deviation = signs.mean(0), np.maximum(signs.std(0), 1e-9)
    rows = np.c_[_scaled(signs, mean, deviation, max_deviations), np.ones(len(signs))]
    ridge = np.diag([penalty] * signs.shape[1] + [0.0])
    weights = np.zeros(rows.shape[1])
    for _ in range(_ITERATIONS):
        probabilities = 1 / (1 + np.exp(-np.clip(rows @ weights, -MAX_LOG_ODDS, MAX_LOG_ODDS)))
        gradient = rows.T @ (probabilities - labels) + ridge @ weights
        curvature = (rows * (probabilities * (1 - probabilities))[:, None]).T @ rows + ridge
        weights -= np.linalg.solve(curvature, gradient)
    return _Model(mean, deviation, weights[:-1], float(weights[-1]))


def _scaled(signs: Matrix, mean: Vector, deviation: Vector, max_deviations: float) -> Matrix:
    return np.clip((signs - mean) / np.maximum(deviation, 1e-9), -max_deviations, max_deviations)


def _auroc(scores: Vector, labels: Flags) -> float:
    """The chance that a positive row has a higher score than a negative one; ties count one half."""
    positive, negative = scores[labels], scores[~labels]
    higher = (positive[:, None] > negative).sum() + 0.5 * (positive[:, None] == negative).sum()
    return float(higher) / max(1, len(positive) * len(negative))


def _print_bounds(
    cases: Sequence[_Case], candidates: Sequence[tuple[_Case, _Candidate]], probabilities: Vector
) -> None:
    """What remains above each bound: articles, the share that is right, recall and noise."""
    modified_count = sum(case.modified_count for case in cases)
    negatives = [case.product for case in cases if not case.is_positive]
    print("  bound  articles  right  recall  noise  worst product")
    for bound in _BOUNDS:
        above = [pair for pair, value in zip(candidates, probabilities, strict=True) if value >= bound]
        right = sum(candidate.is_right for _, candidate in above)
        noisy = list({id(case): case.product for case, _ in above if not case.is_positive}.values())
        worst = max(noisy.count(product) / negatives.count(product) for product in set(negatives))
        print(
            f"  {bound:5} {len(above):9} {right / max(1, len(above)):6.2f} {right / modified_count:7.3f}"
            f" {len(noisy) / len(negatives):6.3f} {worst:14.3f}"
        )


def _print_raw_model(title: str, names: Sequence[str], model: _Model) -> None:
    """The weights for unscaled signs, in the form of the source code."""
    weights = model.weights / model.deviation
    bias = model.bias - float(weights @ model.mean)
    table = ", ".join(f'"{name}": {weight:.3f}' for name, weight in zip(names, weights, strict=True))
    print(f"{title} = LogisticModel({{{table}}}, {bias:.3f})")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

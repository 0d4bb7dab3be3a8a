"""Fits the writer's models of need, of articles and of edits: `python -m eval.fitting FOLDER`.

Each product is left out of the fit in turn, and the figures say how the models do on it. In the end they are
fitted on all products, and `instep/drafting/writer/fitted.py` is printed. The same set gives the same module.
"""

import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from eval import docsync_set
from eval.near_edits import is_right_edit
from instep.drafting.writer.articles.corpus import Corpus, corpus_of
from instep.drafting.writer.diffs.change_set import ChangeSet, reviewed_files
from instep.drafting.writer.editing.occurrences import occurrences
from instep.drafting.writer.facts.additions import additions_of
from instep.drafting.writer.facts.became import find_became
from instep.drafting.writer.facts.removed_names import find_removed_names, removed_mentions
from instep.drafting.writer.models import MAX_DEVIATIONS, FittedModel, FittedSign, Models
from instep.drafting.writer.relevance.need_signs import need_signs
from instep.drafting.writer.relevance.ranking import rank
from instep.drafting.writer.relevance.selection import nearest_articles
from instep.drafting.writer.shapes import Article, Change
from instep.platform.core.logistic import MAX_LOG_ODDS
from instep.platform.text.patch_parser import parse_diff

_PROCESSES = 2
_ITERATIONS = 30
# The L2 penalty on weights per standard deviation: the more signs, the stronger.
_NEED_PENALTY, _ARTICLE_PENALTY, _EDIT_PENALTY = 30.0, 10.0, 10.0
# A text that many places say is one piece of evidence and not many.
_SAME_PAIR_POWER = 0.7

Vector = NDArray[np.float64]
Matrix = NDArray[np.float64]
Flags = NDArray[np.bool_]
Signs = Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Case:
    """A change of one product, the signs that the models read of it, and what people edited for it.

    `articles` and `edits` have signs and whether people edited the article, or made the edit; an edit counts
    by its weight.
    """

    product: str
    is_main: bool
    is_positive: bool
    need: Signs
    articles: tuple[tuple[Signs, bool], ...]
    edits: tuple[tuple[Signs, bool, float], ...]


def read_cases(folder: Path) -> Iterator[Case]:
    """The cases of all products, in their order."""
    scorer = docsync_set.scorer_of(folder)
    for product in docsync_set.products_of(folder):
        cases = list(scorer.load(str(folder), products=[product]))
        tasks = (
            (
                product,
                case.sample == "main",
                case.positive,
                case.gold["modified"] if case.positive else {},
                docsync_set.task_of(case),
            )
            for case in cases
        )
        with get_context("fork").Pool(_PROCESSES) as pool:
            yield from pool.imap(_case, tasks, chunksize=4)


def _case(task: tuple[str, bool, bool, Mapping[str, str], tuple[str, Change, list[Article]]]) -> Case:
    product, is_main, is_positive, modified, (_, change, articles) = task
    change_set, corpus = reviewed_files(parse_diff(change.diff)), corpus_of(tuple(articles))
    mentions = removed_mentions(find_removed_names(change_set.code), corpus)
    ranking = rank(change, change_set, corpus.articles, additions_of(change_set.code), mentions)
    return Case(
        product,
        is_main,
        is_positive,
        need_signs(change, change_set, ranking),
        tuple(
            (signs, article.id in modified) for article, signs in nearest_articles(ranking, mentions, corpus)
        ),
        tuple(_edits(change, change_set.code, corpus, modified)),
    )


def _edits(
    change: Change, code: ChangeSet, corpus: Corpus, modified: Mapping[str, str]
) -> Iterator[tuple[Signs, bool, float]]:
    for pair in find_became(change, code):
        places = [(article, place) for article, listed in occurrences(pair, corpus) for place in listed]
        for article, place in places:
            if place.probability:
                continue
            after = modified.get(article.id)
            is_right = after is not None and is_right_edit(
                article.text, after, place.start, place.end, pair.new
            )
            yield place.signs, is_right, len(places) ** -_SAME_PAIR_POWER


def fit_models(cases: Sequence[Case]) -> Models:
    """The models of all cases but supplements, which have no negatives; edits are fitted on those, too."""
    main = [case for case in cases if case.is_main]
    articles = [row for case in main if case.is_positive for row in case.articles]
    edits = [row for case in cases for row in case.edits]
    return Models(
        need=_fit_consistent(main),
        article=_fit([signs for signs, _ in articles], [right for _, right in articles], _ARTICLE_PENALTY),
        edit=_fit(
            [signs for signs, _, _ in edits],
            [right for _, right, _ in edits],
            _EDIT_PENALTY,
            [weight for _, _, weight in edits],
        ),
    )


def _fit_consistent(cases: Sequence[Case]) -> FittedModel:
    """A model of need in which each sign points the way it points alone, on the average product; else out."""
    labels, names = [case.is_positive for case in cases], list(cases[0].need)
    while True:
        model = _fit([{name: case.need[name] for name in names} for case in cases], labels, _NEED_PENALTY)
        kept = [name for name, row in model.signs.items() if row.weight * _direction(cases, name) > 0]
        if kept == names:
            return model
        names = kept


def _direction(cases: Sequence[Case], name: str) -> float:
    by_product: dict[str, list[Case]] = {}
    for case in cases:
        by_product.setdefault(case.product, []).append(case)
    return float(
        np.mean(
            [
                auroc([case.need[name] for case in some], [case.is_positive for case in some]) - 0.5
                for some in by_product.values()
            ]
        )
    )


def _fit(
    rows: Sequence[Signs], labels: Sequence[bool], penalty: float, weights: Sequence[float] | None = None
) -> FittedModel:
    """Logistic regression with an L2 penalty, by Newton's method."""
    # A sign that never differs says nothing.
    names = [name for name in rows[0] if len({row[name] for row in rows}) > 1]
    signs, right = np.array([[row[name] for name in names] for row in rows]), np.array(labels)
    mean, deviation = signs.mean(0), signs.std(0)
    scaled = np.clip((signs - mean) / deviation, -MAX_DEVIATIONS, MAX_DEVIATIONS)
    matrix, count = np.c_[scaled, np.ones(len(signs))], np.array(weights or [1.0] * len(rows))
    ridge, found = np.diag([penalty] * len(names) + [1e-6]), np.zeros(len(names) + 1)
    for _ in range(_ITERATIONS):
        probabilities = 1 / (1 + np.exp(-np.clip(matrix @ found, -MAX_LOG_ODDS, MAX_LOG_ODDS)))
        gradient = matrix.T @ (count * (probabilities - right)) + ridge @ found
        curvature = (matrix * (count * probabilities * (1 - probabilities))[:, None]).T @ matrix + ridge
        found -= np.linalg.solve(curvature, gradient)
    fitted = zip(names, mean, deviation, found[:-1], strict=True)
    return FittedModel({name: FittedSign(*map(float, values)) for name, *values in fitted}, float(found[-1]))


def auroc(scores: Sequence[float], labels: Sequence[bool]) -> float:
    """The chance that a positive row has a higher score than a negative one; ties count one half."""
    values, right = np.array(scores), np.array(labels, bool)
    positive, negative = values[right], values[~right]
    higher = (positive[:, None] > negative).sum() + 0.5 * (positive[:, None] == negative).sum()
    return float(higher) / max(1, len(positive) * len(negative))


def _left_out(cases: Sequence[Case]) -> Iterator[str]:
    """The results of the models on each product, fitted without it."""
    need, articles, edits = (list[tuple[float, bool]]() for _ in range(3))
    for product in sorted({case.product for case in cases}):
        models = fit_models([case for case in cases if case.product != product])
        some = [case for case in cases if case.product == product]
        own = [(models.need.probability(case.need), case.is_positive) for case in some if case.is_main]
        need += own
        articles += [
            (models.article.probability(signs), right)
            for case in some
            if case.is_positive
            for signs, right in case.articles
        ]
        edits += [(models.edit.probability(signs), right) for case in some for signs, right, _ in case.edits]
        yield f"{product:16} need {auroc(*zip(*own, strict=True)):.3f}"
    for name, rows in (("need", need), ("articles", articles), ("edits", edits)):
        yield f"all, {name:9} AUROC {auroc(*zip(*rows, strict=True)):.4f}"
    for bound in (0.3, 0.5, 0.7, 0.9):
        above = [right for probability, right in edits if probability >= bound]
        yield f"edits at {bound}: {len(above)}, right {sum(above) / max(1, len(above)):.2f}"


def _module(models: Models) -> Iterator[str]:
    yield '"""The weights of the models, as printed by `make eval-fitting`."""\n'
    yield "from instep.drafting.writer.models import FittedModel, FittedSign, Models\n"
    yield "FITTED = Models("
    for name, model in (("need", models.need), ("article", models.article), ("edit", models.edit)):
        yield f"    {name}=FittedModel(\n        {{"
        for sign, row in model.signs.items():
            values = ", ".join(f"{value:.3f}" for value in (row.mean, row.deviation, row.weight))
            yield f'            "{sign}": FittedSign({values}),'
        yield f"        }},\n        {model.bias:.3f},\n    ),"
    yield ")"


def main(arguments: list[str]) -> int:
    folder = Path(arguments[0]) if arguments else Path()
    if len(arguments) != 1 or not docsync_set.is_set(folder):
        print(f"The evaluation set is missing in `{folder}`. Name its folder.", file=sys.stderr)
        return 2
    cases = list(read_cases(folder))
    print("\n".join(_left_out(cases)), file=sys.stderr)
    counts = Counter(right for case in cases for _, right, _ in case.edits)
    print(f"{len(cases)} changes, {counts[True]} of {counts.total()} edits right", file=sys.stderr)
    print("\n".join(_module(fit_models(cases))))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""Fits which section answers best: `python -m eval.sections.fitting FOLDER` prints the weights for
`search/section_fit.py`, and how often the first section is the right one, with each part left out of the fit.

A listwise model: the probability of a section among those compared is the softmax of its score, and the fit
maximises that of the sections that answer (ListNet; Cao et al., 2007).
"""

import asyncio
import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eval.retrieval.asking import Installation
from eval.retrieval.question_sets import SCORER, read_scorer
from eval.retrieval.running import installation
from eval.sections.gold_passages import holds
from eval.sections.own_questions import OwnQuestion, quotes_one, read_articles, read_questions
from eval.visitors.centers import TUNED, VisitorQuestion, read_centers
from instep.platform.core import limits
from instep.search.passage_kinds import answers_questions
from instep.search.retrieve import retrieve
from instep.search.schemas import Passage

FOLDS = 3
PENALTY, ITERATIONS, STEP = 3.0, 600, 2.0
# Our own questions are fewer, so each counts so often.
OWN_COPIES = 3

Vector = NDArray[np.float64]
IsGold = Callable[[Passage, dict[str, str]], bool]


@dataclass(frozen=True, slots=True)
class Comparison:
    """The signs of the sections that were compared for one question, and which of them answer it."""

    signs: Vector
    answers: Vector


def main(arguments: list[str]) -> int:
    folder = Path(arguments[0]) if arguments else Path()
    if len(arguments) != 1 or not (folder / SCORER).is_file():
        print(
            f"The question sets are missing: no {SCORER} in `{folder}`. Name their folder.", file=sys.stderr
        )
        return 2
    names, sets = asyncio.run(compare_all(folder))
    for name, rows in sets.items():
        others = [row for key, other in sets.items() if key != name for row in other]
        figures = {
            "questions": len(rows),
            "first_by_score": first_right(rows, weights_for(names, "score")),
            "fitted_on_the_others": first_right(rows, fit(others)),
            "fitted_on_other_folds": in_folds(sets, name),
        }
        print(json.dumps({name: figures}))
    weights = fit(training_rows(sets))
    print(json.dumps({name: round(float(weight), 2) for name, weight in zip(names, weights, strict=True)}))
    return 0


async def compare_all(folder: Path) -> tuple[list[str], dict[str, list[Comparison]]]:
    names: list[str] = []
    sets: dict[str, list[Comparison]] = {}
    async with installation() as place:
        questions = [(own.question, gold_section(own)) for own in read_questions() if own.passages]
        sets["own"] = await compare(place, "own", read_articles(), questions, names)
        scorer = read_scorer(folder)
        for path in sorted(folder.glob("*/questions.jsonl")):
            data = scorer.HelpSet(str(path.parent.resolve()))
            questions = [
                (row["question"], gold_text(row["passage"])) for row in data.questions if row.get("passage")
            ]
            if questions:
                articles = list(data.articles.values())
                sets[path.parent.name] = await compare(place, path.parent.name, articles, questions, names)
        sets["visitors"] = []
        for center in read_centers(TUNED).values():
            questions = [(row.question, gold_answer(row)) for row in center.questions if row.says]
            articles = [dict(article) for article in center.articles]
            sets["visitors"] += await compare(place, center.name, articles, questions, names, center.locale)
    return names, sets


def gold_section(own: OwnQuestion) -> IsGold:
    return lambda passage, names: quotes_one(own.passages, passage.text, [passage], names)


def gold_answer(question: VisitorQuestion) -> IsGold:
    return lambda passage, names: question.is_answered_by(passage.text)


def gold_text(text: str) -> IsGold:
    return lambda passage, names: holds(passage.text, text)


async def compare(
    place: Installation,
    name: str,
    articles: list[dict[str, Any]],
    questions: Sequence[tuple[str, IsGold]],
    names: list[str],
    locale: str = "en",
) -> list[Comparison]:
    """The comparisons of a set; `names` gets those of the signs."""
    bot, ids = await place.create(name, articles, locale)
    rows = []
    async with place.enter(bot) as ctx:
        for question, is_gold in questions:
            count = limits.MAX_PASSAGES_COMPARED
            retrieval = await retrieve(ctx, question, limit=count, candidates=count)
            passages = [passage for passage in retrieval.passages if answers_questions(passage.kind)]
            if passages:
                names[:] = list(passages[0].section_signs)
                signs = [[passage.section_signs[sign] for sign in names] for passage in passages]
                gold = [is_gold(passage, ids) for passage in passages]
                rows.append(Comparison(np.array(signs), np.array(gold, dtype=np.float64)))
    return rows


def weights_for(names: Sequence[str], only: str) -> Vector:
    return np.array([float(name == only) for name in names])


def first_right(rows: Sequence[Comparison], weights: Vector) -> int:
    return sum(bool(row.answers[np.argmax(row.signs @ weights)]) for row in rows)


def training_rows(sets: dict[str, list[Comparison]]) -> list[Comparison]:
    return [row for name, rows in sets.items() for row in rows * (OWN_COPIES if name == "own" else 1)]


def in_folds(sets: dict[str, list[Comparison]], name: str) -> int:
    """Cross-validate: count a set's questions that a model fitted on the other folds gets right."""
    count = 0
    for fold in range(FOLDS):
        seen = {key: [row for i, row in enumerate(rows) if i % FOLDS != fold] for key, rows in sets.items()}
        count += first_right(sets[name][fold::FOLDS], fit(training_rows(seen)))
    return count


def fit(rows: Sequence[Comparison]) -> Vector:
    """Gradient ascent with an L2 penalty; questions whose answer is not among the sections are left out."""
    used = [row for row in rows if row.answers.any()]
    weights = np.zeros(used[0].signs.shape[1])
    for _ in range(ITERATIONS):
        gradient = -PENALTY * weights / len(used)
        for row in used:
            scores = row.signs @ weights
            probabilities = np.exp(scores - scores.max())
            probabilities /= probabilities.sum()
            target = probabilities * row.answers
            gradient += row.signs.T @ (target / target.sum() - probabilities) / len(used)
        weights += STEP * gradient
    return weights


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

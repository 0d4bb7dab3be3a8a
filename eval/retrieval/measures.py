"""The measures of sureness: how well it separates held questions from others, by set and sample size."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from eval.retrieval.asking import Prediction

Sureness = Callable[[Prediction], float]
BANDS = 10


def confidence(prediction: Prediction) -> float:
    return prediction.signals.confidence


def rare_words(prediction: Prediction) -> float:
    return prediction.coverage


def decline_auroc(predictions: Sequence[Prediction], sureness: Sureness) -> float | None:
    """The chance that sureness is higher for a held question than for another one; ties count one half."""
    held = np.array([sureness(row) for row in predictions if row.is_held])
    absent = np.array([sureness(row) for row in predictions if not row.is_held])
    if not len(held) or not len(absent):
        return None
    higher = (held[:, None] > absent).sum() + 0.5 * (held[:, None] == absent).sum()
    return round(float(higher) / (len(held) * len(absent)), 3)


def sample_figures(predictions: Sequence[Prediction], sureness: Sureness, threshold: float) -> dict[str, Any]:
    """The figures of samples of one size."""
    held = [row for row in predictions if row.is_held]
    right = [row for row in held if row.is_first_right]
    absent = [row for row in predictions if not row.is_held]
    return {
        "questions": len(predictions),
        "answered_of_held": share(sureness(row) >= threshold for row in held),
        "right_first": share(row.is_first_right for row in held),
        "answered_of_right": share(sureness(row) >= threshold for row in right),
        "declined_of_absent": share(sureness(row) < threshold for row in absent),
        "decline_auroc": decline_auroc(predictions, sureness),
        "decline_auroc_of_rare_words": decline_auroc(predictions, rare_words),
    }


def share(values: Iterable[bool]) -> float | None:
    listed = list(values)
    return round(sum(listed) / len(listed), 3) if listed else None


def reliability(predictions: Sequence[Prediction], sureness: Sureness) -> list[dict[str, Any]]:
    """By tenths of sureness: how many questions, how sure on average, and how many the articles do hold."""
    rows = []
    for band in range(BANDS):
        low, high = band / BANDS, (band + 1) / BANDS
        values = [row for row in predictions if low <= sureness(row) < high or (high == 1 == sureness(row))]
        if values:
            rows.append(
                {
                    "from": low,
                    "questions": len(values),
                    "sureness": round(sum(map(sureness, values)) / len(values), 2),
                    "held": share(row.is_held for row in values),
                }
            )
    return rows

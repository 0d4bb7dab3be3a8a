"""The probability of a logistic regression model."""

import pytest

from instep.platform.core.logistic import LogisticModel

MODEL = LogisticModel(weights={"length": 2.0, "age": -1.0}, bias=0.5)


@pytest.mark.parametrize(
    ("length", "age", "probability"),
    [(0.0, 0.5, 0.5), (1.0, 0.0, 0.924142), (0.0, 3.0, 0.075858), (1e6, 0.0, 1.0), (0.0, 1e6, 0.0)],
)
def test_the_probability_follows_the_log_odds(length: float, age: float, probability: float) -> None:
    features = {"length": length, "age": age}

    assert MODEL.probability(features) == pytest.approx(probability, abs=1e-6)

"""Logistic regression: a weighted sum of features as a probability."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import exp

# Beyond this distance from zero the probability no longer changes, and `exp` stays far from overflow.
_MAX_LOGIT = 30.0


@dataclass(frozen=True, slots=True)
class LogisticModel:
    """Weights by the name of their feature, and the intercept."""

    weights: Mapping[str, float]
    bias: float

    def probability(self, features: Mapping[str, float]) -> float:
        """The probability from 0 to 1; `features` holds a value for each weight."""
        logit = self.bias + sum(weight * features[name] for name, weight in self.weights.items())
        return 1 / (1 + exp(-max(-_MAX_LOGIT, min(_MAX_LOGIT, logit))))

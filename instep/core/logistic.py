"""A logistic regression model whose weights were fitted beforehand."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import exp

# Beyond these log-odds the probability is 0 or 1 to twelve digits, while `exp` could overflow.
MAX_LOG_ODDS = 30.0


@dataclass(frozen=True, slots=True)
class LogisticModel:
    """Weights by the name of their feature, and the bias (intercept): both in log-odds."""

    weights: Mapping[str, float]
    bias: float

    def probability(self, features: Mapping[str, float]) -> float:
        """The probability, from 0 to 1. Each weight needs its feature; a missing one is a `KeyError`."""
        log_odds = self.bias + sum(weight * features[name] for name, weight in self.weights.items())
        return 1 / (1 + exp(-max(-MAX_LOG_ODDS, min(MAX_LOG_ODDS, log_odds))))

"""A logistic regression model with fixed weights."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import exp

# Beyond these log-odds the probability is 0 or 1 to twelve digits, and `exp` could overflow.
MAX_LOG_ODDS = 30.0


@dataclass(frozen=True, slots=True)
class LogisticModel:
    """Weights by feature name, and the bias (intercept), both in log-odds."""

    weights: Mapping[str, float]
    bias: float

    def probability(self, features: Mapping[str, float]) -> float:
        """The probability (0 to 1); raises `KeyError` if a feature is missing."""
        log_odds = self.bias + sum(weight * features[name] for name, weight in self.weights.items())
        return 1 / (1 + exp(-max(-MAX_LOG_ODDS, min(MAX_LOG_ODDS, log_odds))))

"""The fitted models of the writer, and how a sign counts in them.

`make eval-fitting` prints `FITTED`, and the models' results on products that are left out of the fit.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from math import exp

from instep.platform.core.logistic import MAX_LOG_ODDS

# A sign is capped at this many standard deviations from its mean, so that no single one decides.
MAX_DEVIATIONS = 2.5


@dataclass(frozen=True, slots=True)
class FittedSign:
    """A sign over the cases of the fit: its mean, its standard deviation, and its weight per deviation."""

    mean: float
    deviation: float
    weight: float

    def scaled(self, value: float) -> float:
        """The value in standard deviations from the mean, capped."""
        return max(-MAX_DEVIATIONS, min(MAX_DEVIATIONS, (value - self.mean) / self.deviation))


@dataclass(frozen=True, slots=True)
class FittedModel:
    """A logistic regression model: its signs by name, and the bias in log-odds."""

    signs: Mapping[str, FittedSign]
    bias: float

    def probability(self, values: Mapping[str, float]) -> float:
        """The probability (0 to 1); raises `KeyError` if a sign is missing."""
        log_odds = self.bias + sum(
            sign.weight * sign.scaled(values[name]) for name, sign in self.signs.items()
        )
        return 1 / (1 + exp(-max(-MAX_LOG_ODDS, min(MAX_LOG_ODDS, log_odds))))


@dataclass(frozen=True, slots=True)
class Models:
    """The models for whether a change needs an edit, in which article, and whether a passage is affected."""

    need: FittedModel
    article: FittedModel
    edit: FittedModel

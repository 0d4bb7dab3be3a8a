"""How likely a change needs documentation at all: a logistic model of its signs."""

from collections.abc import Mapping
from dataclasses import dataclass

from instep.core.logistic import LogisticModel
from instep.writer.diffs.change_set import ChangeSet
from instep.writer.relevance.need_signs import need_signs
from instep.writer.relevance.ranking import ArticleRanking
from instep.writer.shapes import Change

# A sign counts no further than this many standard deviations from its mean: no single one decides.
MAX_DEVIATIONS = 2.5


@dataclass(frozen=True, slots=True)
class FittedSign:
    """A sign over the changes of the fit: its mean and standard deviation; its weight per deviation."""

    mean: float
    deviation: float
    weight: float

    def scaled(self, value: float) -> float:
        """The value in standard deviations from the mean, within the bound."""
        return max(-MAX_DEVIATIONS, min(MAX_DEVIATIONS, (value - self.mean) / self.deviation))


# `make eval-fitting` prints this table, and how well it does on products that are left out of it.
_SIGNS: Mapping[str, FittedSign] = {
    "visible words": FittedSign(0.921, 0.824, 0.524),
    "internal words": FittedSign(0.568, 0.726, -0.231),
    "support words": FittedSign(0.189, 0.412, 0.287),
    "documentation words": FittedSign(0.050, 0.227, 0.344),
    "begins with fix": FittedSign(0.170, 0.375, -0.210),
    "interface": FittedSign(0.202, 0.342, 0.128),
    "prose": FittedSign(0.108, 0.157, 0.173),
    "help texts": FittedSign(0.800, 1.182, 0.090),
    "link to documentation": FittedSign(0.065, 0.246, 0.289),
    "new names": FittedSign(0.669, 0.872, 0.185),
    "new routes": FittedSign(0.040, 0.226, 0.188),
    "options": FittedSign(0.573, 0.495, 0.193),
    "lead of removed lines": FittedSign(0.295, 0.304, 0.343),
    "lead of context": FittedSign(0.391, 0.260, 0.189),
    "pairs": FittedSign(0.170, 0.197, 0.297),
    "title of article": FittedSign(0.304, 0.387, 0.207),
    "fifth gap": FittedSign(3.700, 2.333, 0.267),
    "tests": FittedSign(0.763, 0.717, 0.253),
}
_BIAS = 1.027
_MODEL = LogisticModel({name: sign.weight for name, sign in _SIGNS.items()}, _BIAS)


def need_probability(change: Change, change_set: ChangeSet, ranking: ArticleRanking) -> float:
    """The probability (0 to 1) that a change needs an edit of any article, comparable between changes."""
    values = need_signs(change, change_set, ranking)
    return _MODEL.probability({name: sign.scaled(values[name]) for name, sign in _SIGNS.items()})

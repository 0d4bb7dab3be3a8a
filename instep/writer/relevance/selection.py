"""How likely a change concerns each of the nearest articles, and whether a new entry there is a draft."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import exp, log

from instep.core.logistic import LogisticModel
from instep.writer.articles.corpus import Corpus
from instep.writer.relevance.mentions import Mentions
from instep.writer.shapes import Article

# Both are fitted by `make eval-fitting`, and judged on products that are left out of the fit.
_ARTICLE_MODEL = LogisticModel(
    {"need": 0.550, "rank": -0.649, "gap": -0.416, "share": 2.312, "removed names": 0.957}, -1.992
)
_ENTRY_MODEL = LogisticModel({"article": 0.656, "insertion": 0.630}, 0.513)
# With each product left out of the fit, five of six articles above this bound are edited by people, and one
# change in forty gets entries although it needed none (one in fifteen of the worst product).
_MIN_ENTRY_PROBABILITY = 0.5
# Three of four articles above this bound are edited by people, whatever the text is.
_MIN_CONCERN = 0.6
_MAX_GAP, _MAX_REMOVED_NAMES = 6.0, 2.0
_MIN_PROBABILITY = 0.000_1


@dataclass(frozen=True, slots=True)
class DraftCandidate:
    """An article near the change, and the probability (0 to 1) that people would edit it for the change."""

    article: Article
    probability: float

    @property
    def is_concerned(self) -> bool:
        """Whether place and need are sure, also where no text for the article is known."""
        return self.probability >= _MIN_CONCERN


def draft_candidates(
    nearest: Sequence[tuple[Article, float]], mentions: Mentions, need: float, corpus: Corpus
) -> list[DraftCandidate]:
    """The nearest articles, given best first with the gap of each score to the best, as candidates."""
    signs = article_signs(nearest, mentions, need, corpus)
    return [
        DraftCandidate(article, _ARTICLE_MODEL.probability(values))
        for (article, _), values in zip(nearest, signs, strict=True)
    ]


def article_signs(
    nearest: Sequence[tuple[Article, float]], mentions: Mentions, need: float, corpus: Corpus
) -> list[dict[str, float]]:
    """The inputs of the model of articles, for each article in its order."""
    total = sum(exp(-gap) for _, gap in nearest)
    return [
        {
            "need": log_odds(need),
            "rank": log(1 + rank),
            "gap": min(_MAX_GAP, gap),
            "share": exp(-gap) / total,
            "removed names": _weight_of_removed_names(article, mentions, corpus),
        }
        for rank, (article, gap) in enumerate(nearest)
    ]


def _weight_of_removed_names(article: Article, mentions: Mentions, corpus: Corpus) -> float:
    """Names that the change removes and the article mentions, each shared among all that mention it."""
    names = mentions.removed.get(article.id, ())
    return min(_MAX_REMOVED_NAMES, sum(1 / max(1, corpus.document_frequency(name)) for name in names))


def gets_entries(candidate: DraftCandidate, insertion_probability: float) -> bool:
    """Whether the new entries of an article are a draft, by the probability (0 to 1) of the likeliest one."""
    signs = entry_signs(candidate.probability, insertion_probability)
    return _ENTRY_MODEL.probability(signs) >= _MIN_ENTRY_PROBABILITY


def entry_signs(article_probability: float, insertion_probability: float) -> Mapping[str, float]:
    """The inputs of the model of entries."""
    return {"article": log_odds(article_probability), "insertion": log_odds(insertion_probability)}


def log_odds(probability: float) -> float:
    """The log-odds of a probability, which is kept from 0 and 1."""
    bounded = max(_MIN_PROBABILITY, min(1 - _MIN_PROBABILITY, probability))
    return log(bounded / (1 - bounded))

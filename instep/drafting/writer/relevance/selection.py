"""Selects the nearest articles that a change most likely concerns."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from math import exp, log

from instep.drafting.writer.articles.corpus import Corpus
from instep.drafting.writer.facts.removed_names import RemovedMentions
from instep.drafting.writer.models import FittedModel
from instep.drafting.writer.relevance.ranking import ArticleRanking
from instep.drafting.writer.shapes import Article, Change

_MAX_CANDIDATES = 10
MAX_CONCERNED = 4
# A change concerns articles if the sum of the log-odds of its need and of its likeliest article reaches this;
# it then also concerns all articles at least this likely. With these bounds one in seven changes that needed
# no edit gets a place, with each product left out of the fit.
_MIN_CONCERN, _MIN_PROBABILITY = 2.35, 0.05
_MAX_GAP, _MAX_REMOVED_NAMES = 6.0, 2.0
_FLOOR = 0.000_1
_RANKING_SIGNS = ("title in title", "names", "pairs", "context", "title", "path", "listed")
# Titles of purely internal changes: any user-visible effects are already in its drafts.
_INSIDE = re.compile(
    r"\W*(?:(?:refactor|perf|style|tests?|build|ci)(?:\([^()]*\))?:"
    r"|(?:refactor|reformat|clean(?:ing)? ?up|tidy|inline|de-?duplicate|speed(?:ing)? up|faster)\b"
    r"|(?:extract|pull out) (?:the |an? )?(?:`?(?-i:\w*[a-z][A-Z])\w*|\w+_\w+"
    r"|[\w -]{0,40}\b(?:class|function|helper|mixin|module|package|service|trait|util)\b)"
    r"|bump (?:[\w-]+ ){0,2}(?:actions|dependencies|deps|linters|modules|packages)\b"
    r"|fix (?:an? |the )?(?:[\w-]+ )?(?:race|deadlock|flaky|leak|lint|typing)\b"
    r"|(?:add |more |fix )?(?:type (?:hint|annotation)s?|typing)\b)"
    r"|.*\bin (?:the )?code\W*\Z",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class ArticleCandidate:
    """An article near the change, and the probability (0 to 1) that people edit it if they edit any."""

    article: Article
    probability: float


def nearest_articles(
    ranking: ArticleRanking, mentions: RemovedMentions, corpus: Corpus
) -> list[tuple[Article, Mapping[str, float]]]:
    """The nearest articles, best first, without records of past versions; each with its signs."""
    by_id = {article.id: article for article in corpus.articles}
    nearest = list(
        islice(
            (
                (by_id[article_id], gap)
                for article_id, gap in zip(ranking.order, ranking.gaps, strict=True)
                if not by_id[article_id].is_record
            ),
            _MAX_CANDIDATES,
        )
    )
    total = sum(exp(-gap) for _, gap in nearest)
    return [
        (
            article,
            {
                "rank": log(1 + rank),
                "gap": min(_MAX_GAP, gap),
                "share": exp(-gap) / total,
                "gone names": _weight_of_removed_names(article, mentions, corpus),
                **{name: ranking.features[article.id].get(name, 0.0) for name in _RANKING_SIGNS},
            },
        )
        for rank, (article, gap) in enumerate(nearest)
    ]


def _weight_of_removed_names(article: Article, mentions: RemovedMentions, corpus: Corpus) -> float:
    """The weight of removed names that the article mentions, each shared among all articles mentioning it."""
    names = mentions.get(article.id, ())
    return min(_MAX_REMOVED_NAMES, sum(1 / max(1, corpus.document_frequency(row.name)) for row in names))


def candidates_of(
    nearest: Sequence[tuple[Article, Mapping[str, float]]], model: FittedModel
) -> list[ArticleCandidate]:
    """The nearest articles by probability, the likeliest first."""
    candidates = [ArticleCandidate(article, model.probability(signs)) for article, signs in nearest]
    return sorted(candidates, key=lambda candidate: -candidate.probability)


def concerned_articles(
    candidates: Sequence[ArticleCandidate], need: float, change: Change
) -> Iterator[Article]:
    """The articles to point at: none if the change hardly needs any, or is purely internal."""
    if not candidates or _INSIDE.match(change.title) or concern_of(candidates, need) < _MIN_CONCERN:
        return
    yield candidates[0].article
    for candidate in candidates[1:MAX_CONCERNED]:
        if candidate.probability >= _MIN_PROBABILITY:
            yield candidate.article


def concern_of(candidates: Sequence[ArticleCandidate], need: float) -> float:
    """The log-odds that a change concerns its likeliest article."""
    return log_odds(need) + log_odds(candidates[0].probability)


def log_odds(probability: float) -> float:
    """The log-odds of a probability, which is kept away from 0 and 1."""
    bounded = max(_FLOOR, min(1 - _FLOOR, probability))
    return log(bounded / (1 - bounded))

"""Which articles a change most likely concerns, by what its parts share with texts, passages and headings."""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import exp, log

from instep.writer.diffs.change_set import ChangeSet
from instep.writer.facts.additions import Addition
from instep.writer.relevance.article_features import (
    ArticleFeatures,
    article_features,
    keys_of_page,
    linked_from,
    listed_in,
)
from instep.writer.relevance.query import ChangeQuery, Terms, change_query
from instep.writer.shapes import Article, Change
from instep.writer.words.identifiers import key_of
from instep.writer.words.terms import terms_of

_K1, _LENGTH = 2.0, 0.75
_FEWEST_LISTED = 2
_RERANKED = 30
_GUIDE = re.compile(r"\b(?:migrat|upgrad|breaking)", re.IGNORECASE)
# Fitted on six products; left out in turn, each was ranked about as well.
_WEIGHTS: Mapping[str, float] = {
    "title": 1.66,
    "body": 0.8,
    "body headings": 0.5,
    "context": 4.08,
    "removed": 1.69,
    "prose": 0.37,
    "path": 1.71,
    "titled": 1.79,
    "placed": 0.8,
    "given up": 1.17,
    "names": 1.05,
    "pairs": 4.5,
    "guide": 3.57,
}
# Of the nearest articles: what they list beside something new, which of each other they link to.
_RERANK_WEIGHTS: Mapping[str, float] = {"listed": 1.04, "linking": 0.87, "linked": 1.46}


@dataclass(frozen=True, slots=True)
class Ranking:
    """Articles, best first, and how far each is behind it; how far the best text and the best passage stand
    out per part of the query; the signs of the first article; why an article is near."""

    order: tuple[str, ...]
    gaps: tuple[float, ...]
    lead: Mapping[str, float]
    passage_lead: Mapping[str, float]
    top_features: Mapping[str, float]
    shared_terms: Mapping[str, tuple[str, ...]]


class _CorpusStatistics:
    """The articles with what is known of all of them: how rare a term or name is, how long they are."""

    def __init__(self, articles: tuple[Article, ...]) -> None:
        self.articles = articles
        self.features = [article_features(article.title, article.text) for article in articles]
        self.idf = _idf([features.text for features in self.features])
        self.name_idf = _idf([dict.fromkeys(features.names, 1) for features in self.features])
        self.length = _mean([features.length for features in self.features])
        self.passage_length = _mean([size for features in self.features for size in features.sizes])

    def total_weight(self, terms: Terms) -> float:
        return sum(weight * self.idf[term] for term, weight in terms.items()) or 1.0


_statistics_of = lru_cache(maxsize=4)(_CorpusStatistics)


def _idf(holders: Sequence[Mapping[str, int]]) -> dict[str, float]:
    frequency: Counter[str] = Counter()
    for holder in holders:
        frequency.update(holder.keys())
    total = len(holders)
    return {term: log(1 + (total - count + 0.5) / (count + 0.5)) for term, count in frequency.items()}


def _mean(sizes: Sequence[int]) -> float:
    return sum(sizes) / len(sizes) if sizes and any(sizes) else 1.0


def rank(
    change: Change,
    change_set: ChangeSet,
    articles: tuple[Article, ...],
    additions: Sequence[Addition],
    given_up: Callable[[str], int],
) -> Ranking:
    """All articles; `given_up` counts the names in an article that the change takes out or may rename."""
    statistics = _statistics_of(articles)
    query = change_query(change, change_set, statistics.idf)
    total_weight = {part: statistics.total_weight(terms) for part, terms in query.parts.items()}
    signs = [
        _features(query, total_weight, statistics, at, given_up(article.id))
        for at, article in enumerate(articles)
    ]
    scores = [sum(_WEIGHTS[name] * sign for name, sign in one.items()) for one in signs]
    nearest = sorted(range(len(articles)), key=lambda at: (-scores[at], articles[at].id))[:_RERANKED]
    for at, more in _rerank(statistics, nearest, [scores[at] for at in nearest], additions):
        scores[at] += sum(_RERANK_WEIGHTS[name] * sign for name, sign in more.items())
    order = sorted(range(len(articles)), key=lambda at: (-scores[at], articles[at].id))
    return Ranking(
        tuple(articles[at].id for at in order),
        tuple(scores[order[0]] - scores[at] for at in order),
        {part: _lead(_text_score, query.parts[part], statistics) for part in ("lines", "context")},
        {part: _lead(_passage_score, query.parts[part], statistics) for part in ("lines", "removed")},
        signs[order[0]] if order else {},
        {articles[at].id: _shared(query, statistics.features[at], statistics.idf) for at in order[:20]},
    )


def _features(
    query: ChangeQuery,
    total_weight: Mapping[str, float],
    statistics: _CorpusStatistics,
    at: int,
    given_up: int,
) -> dict[str, float]:
    features, title, parts = statistics.features[at], statistics.articles[at].title, query.parts
    in_text = {
        part: _text_score(parts[part], features, statistics) / total_weight[part]
        for part in ("title", "body")
    }
    in_passage = {
        part: _passage_score(parts[part], features, statistics) / total_weight[part]
        for part in ("context", "removed", "prose")
    }
    return {
        **in_text,
        **in_passage,
        "path": _heading_score(parts["path"], features, statistics.idf) / total_weight["path"],
        "body headings": _heading_score(parts["body"], features, statistics.idf) / total_weight["body"],
        "titled": _share(title, parts["title"]),
        "placed": _share(title, parts["path"]),
        "given up": log(1 + given_up),
        "names": _named(query.names, features, statistics.name_idf),
        "pairs": sum(pair in features.order for pair in query.pairs) / (len(query.pairs) or 1),
        "guide": float(query.is_breaking and bool(_GUIDE.search(title))),
    }


def _text_score(terms: Terms, features: ArticleFeatures, statistics: _CorpusStatistics) -> float:
    score, norm = 0.0, _norm(features.length / statistics.length)
    for term, weight in terms.items():
        count = features.text.get(term, 0)
        if count:
            score += weight * statistics.idf[term] * _saturated(count, norm)
    return score


def _passage_score(terms: Terms, features: ArticleFeatures, statistics: _CorpusStatistics) -> float:
    """The score of the best passage."""
    norms = [_norm(size / statistics.passage_length) for size in features.sizes]
    scores = [0.0] * len(norms)
    for term, weight in terms.items():
        for passage, count in features.passages.get(term, ()):
            scores[passage] += weight * statistics.idf[term] * _saturated(count, norms[passage])
    return max(scores, default=0.0)


def _norm(length: float) -> float:
    return _K1 * (1 - _LENGTH + _LENGTH * length)


def _saturated(count: int, norm: float) -> float:
    return count * (_K1 + 1) / (count + norm)


def _heading_score(terms: Terms, features: ArticleFeatures, idf: Terms) -> float:
    """A term of a heading counts once, one of the title (held twice by the profile) twice."""
    return sum(
        weight * idf[term] * min(2, features.heading[term])
        for term, weight in terms.items()
        if term in features.heading
    )


def _share(title: str, terms: Terms) -> float:
    words = terms_of(title)
    return len(words.keys() & terms.keys()) / (len(words) or 1)


def _named(terms: Terms, features: ArticleFeatures, idf: Terms) -> float:
    total_weight = {name: weight * idf[name] for name, weight in terms.items() if name in idf}
    return sum(total_weight[name] for name in total_weight.keys() & features.names) / (
        sum(total_weight.values()) or 1.0
    )


def _rerank(
    statistics: _CorpusStatistics,
    nearest: Sequence[int],
    scores: Sequence[float],
    additions: Sequence[Addition],
) -> "list[tuple[int, dict[str, float]]]":
    whole = sum(exp(score - scores[0]) for score in scores)
    shares = {at: exp(score - scores[0]) / whole for at, score in zip(nearest, scores, strict=True)}
    near = [frozenset(key_of(one.name) for one in (*new.before, *new.after)) for new in additions]
    texts = {at: statistics.articles[at].text for at in nearest}
    targets = _targets(statistics.articles, nearest)
    return [
        (
            at,
            {
                "listed": _listed([siblings for siblings in near if siblings], listed_in(texts[at])),
                "linking": sum(shares[other] for other in targets[at]),
                "linked": sum(shares[other] for other in nearest if at in targets[other]),
            },
        )
        for at in nearest
    ]


def _listed(near: Sequence[frozenset[str]], groups: Sequence[frozenset[str]]) -> float:
    """The greatest share of the siblings of something new that one list, table or run of sections holds."""
    found = ((len(siblings & group), len(siblings)) for siblings in near for group in groups)
    return max((known / total for known, total in found if known >= _FEWEST_LISTED), default=0.0)


def _targets(articles: Sequence[Article], nearest: Sequence[int]) -> "dict[int, set[int]]":
    pages: dict[str, set[int]] = defaultdict(set)
    for at in nearest:
        for key in keys_of_page(articles[at].id, articles[at].title):
            pages[key].add(at)
    linked = {at: linked_from(articles[at].text) & pages.keys() for at in nearest}
    return {at: set().union(*(pages[key] for key in keys)) - {at} for at, keys in linked.items()}


def _lead(
    score: Callable[[Terms, ArticleFeatures, _CorpusStatistics], float],
    terms: Terms,
    statistics: _CorpusStatistics,
) -> float:
    """How far the best article stands above the fifth."""
    scores = [score(terms, features, statistics) for features in statistics.features]
    best = sorted(scores, reverse=True)[:5]
    return (best[0] - best[-1]) / statistics.total_weight(terms) if best else 0.0


def _shared(query: ChangeQuery, features: ArticleFeatures, idf: Terms) -> tuple[str, ...]:
    """The three terms of the change that tell most and stand in an article."""
    weights: dict[str, float] = {}
    for part, terms in query.parts.items():
        for term, weight in terms.items():
            if term in features.text and not term.isdigit():
                weights[term] = weights.get(term, 0.0) + _WEIGHTS.get(part, 1.0) * weight * idf[term]
    return tuple(sorted(weights, key=lambda term: (-weights[term], term))[:3])

"""Ranks the articles by how likely a change concerns them: BM25 over texts and passages, and other signs."""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import exp, log

from instep.drafting.writer.diffs.change_set import ChangeSet
from instep.drafting.writer.facts.additions import Addition
from instep.drafting.writer.facts.removed_names import RemovedMentions
from instep.drafting.writer.relevance.article_features import (
    ArticleFeatures,
    article_features,
    entry_keys,
    link_keys,
    page_keys,
)
from instep.drafting.writer.relevance.query import ChangeQuery, Terms, change_query
from instep.drafting.writer.shapes import Article, Change
from instep.drafting.writer.words.change_terms import change_terms
from instep.drafting.writer.words.identifiers import key_of

# BM25: saturation of the term frequency, and how much the length of a text counts.
_K1, _B = 2.0, 0.75
_MIN_LISTED_SIBLINGS = 2
_MAX_RERANKED = 30
_GUIDE = re.compile(r"\b(?:migrat|upgrad|breaking)", re.IGNORECASE)
# Fitted on six products. Leave-one-product-out validation scored about the same (docs/quality.md).
_WEIGHTS: Mapping[str, float] = {
    "title": 1.66,
    "body": 0.8,
    "body headings": 0.5,
    "context": 4.08,
    "removed": 1.69,
    "prose": 0.37,
    "path": 1.71,
    "title in title": 1.79,
    "path in title": 0.8,
    "removed names": 1.17,
    "names": 1.05,
    "pairs": 4.5,
    "guide": 3.57,
}
# Weights for reranking the nearest articles: whether they list siblings of the change's additions, and the
# links among them.
_RERANK_WEIGHTS: Mapping[str, float] = {"listed": 1.04, "linking": 0.87, "linked": 1.46}


@dataclass(frozen=True, slots=True)
class ArticleRanking:
    """The articles of a help center, best first.

    `order` has their ids, `gaps` the difference of each score from the best (0 or more, same order).
    `lead` and `passage_lead` say per part of the query how far the best text or passage exceeds the fifth.
    `features` has the inputs of the scores by the article's id.
    """

    order: tuple[str, ...]
    gaps: tuple[float, ...]
    lead: Mapping[str, float]
    passage_lead: Mapping[str, float]
    features: Mapping[str, Mapping[str, float]]

    @property
    def top_features(self) -> Mapping[str, float]:
        """The inputs of the score of the first article."""
        return self.features[self.order[0]] if self.order else {}


class _CorpusStatistics:
    """The articles, with the IDF of terms and names and the mean lengths over all of them."""

    def __init__(self, articles: tuple[Article, ...]) -> None:
        self.articles = articles
        self.features = [article_features(article.title, article.text) for article in articles]
        self.idf = _idf([features.text for features in self.features])
        self.name_idf = _idf([dict.fromkeys(features.names, 1) for features in self.features])
        self.length = _mean([features.length for features in self.features])
        self.passage_length = _mean([size for features in self.features for size in features.sizes])

    def total_weight(self, terms: Terms) -> float:
        return sum(weight * self.idf[term] for term, weight in terms.items()) or 1.0


# One entry, as with the corpus; the next one is built from cached features.
_statistics_of = lru_cache(maxsize=1)(_CorpusStatistics)


def _idf(documents: Sequence[Mapping[str, int]]) -> dict[str, float]:
    frequency: Counter[str] = Counter()
    for document in documents:
        frequency.update(document.keys())
    total = len(documents)
    return {term: log(1 + (total - count + 0.5) / (count + 0.5)) for term, count in frequency.items()}


def _mean(sizes: Sequence[int]) -> float:
    return sum(sizes) / len(sizes) if sizes and any(sizes) else 1.0


def rank(
    change: Change,
    change_set: ChangeSet,
    articles: tuple[Article, ...],
    additions: Sequence[Addition],
    removals: RemovedMentions,
) -> ArticleRanking:
    """Rank all articles; `removals` has the removed names that each article mentions."""
    statistics = _statistics_of(articles)
    query = change_query(change, change_set, statistics.idf)
    max_scores = {part: statistics.total_weight(terms) for part, terms in query.parts.items()}
    features = [
        _features(query, max_scores, statistics, index, len(removals.get(article.id, ())))
        for index, article in enumerate(articles)
    ]
    scores = [sum(_WEIGHTS[name] * value for name, value in values.items()) for values in features]
    nearest = _order(articles, scores)[:_MAX_RERANKED]
    top_scores = [scores[index] for index in nearest]
    for index, values in _rerank_features(statistics, nearest, top_scores, additions):
        scores[index] += sum(_RERANK_WEIGHTS[name] * value for name, value in values.items())
        features[index] |= values
    order = _order(articles, scores)
    return ArticleRanking(
        tuple(articles[index].id for index in order),
        tuple(scores[order[0]] - scores[index] for index in order),
        {part: _lead(_text_score, query.parts[part], statistics) for part in ("lines", "context")},
        {"removed": _lead(_passage_score, query.parts["removed"], statistics)},
        {articles[index].id: features[index] for index in order},
    )


def _order(articles: Sequence[Article], scores: Sequence[float]) -> list[int]:
    """Indexes of the articles, best first; equal scores by id."""
    return sorted(range(len(articles)), key=lambda index: (-scores[index], articles[index].id))


def _features(
    query: ChangeQuery,
    max_scores: Mapping[str, float],
    statistics: _CorpusStatistics,
    index: int,
    removed_names: int,
) -> dict[str, float]:
    features, title, parts = statistics.features[index], statistics.articles[index].title, query.parts
    text_scores = {
        part: _text_score(parts[part], features, statistics) / max_scores[part] for part in ("title", "body")
    }
    passage_scores = {
        part: _passage_score(parts[part], features, statistics) / max_scores[part]
        for part in ("context", "removed", "prose")
    }
    return {
        **text_scores,
        **passage_scores,
        "path": _heading_score(parts["path"], features, statistics.idf) / max_scores["path"],
        "body headings": _heading_score(parts["body"], features, statistics.idf) / max_scores["body"],
        "title in title": _share(title, parts["title"]),
        "path in title": _share(title, parts["path"]),
        "removed names": log(1 + removed_names),
        "names": _name_score(query.names, features, statistics.name_idf),
        "pairs": sum(pair in features.order for pair in query.pairs) / (len(query.pairs) or 1),
        "guide": float(query.is_breaking and bool(_GUIDE.search(title))),
    }


def _text_score(terms: Terms, features: ArticleFeatures, statistics: _CorpusStatistics) -> float:
    score, length_norm = 0.0, _length_norm(features.length / statistics.length)
    for term, weight in terms.items():
        count = features.text.get(term, 0)
        if count:
            score += weight * statistics.idf[term] * _saturation(count, length_norm)
    return score


def _passage_score(terms: Terms, features: ArticleFeatures, statistics: _CorpusStatistics) -> float:
    """The score of the best passage."""
    length_norms = [_length_norm(size / statistics.passage_length) for size in features.sizes]
    scores = [0.0] * len(length_norms)
    for term, weight in terms.items():
        for passage, count in features.passages.get(term, ()):
            scores[passage] += weight * statistics.idf[term] * _saturation(count, length_norms[passage])
    return max(scores, default=0.0)


def _length_norm(length: float) -> float:
    return _K1 * (1 - _B + _B * length)


def _saturation(count: int, length_norm: float) -> float:
    return count * (_K1 + 1) / (count + length_norm)


def _heading_score(terms: Terms, features: ArticleFeatures, idf: Terms) -> float:
    """The heading score; a title term counts twice, because `features.heading` contains it twice."""
    return sum(
        weight * idf[term] * min(2, features.heading[term])
        for term, weight in terms.items()
        if term in features.heading
    )


def _share(title: str, terms: Terms) -> float:
    words = change_terms(title)
    return len(words.keys() & terms.keys()) / (len(words) or 1)


def _name_score(terms: Terms, features: ArticleFeatures, idf: Terms) -> float:
    weights = {name: weight * idf[name] for name, weight in terms.items() if name in idf}
    return sum(weights[name] for name in weights.keys() & features.names) / (sum(weights.values()) or 1.0)


def _rerank_features(
    statistics: _CorpusStatistics,
    nearest: Sequence[int],
    scores: Sequence[float],
    additions: Sequence[Addition],
) -> "list[tuple[int, dict[str, float]]]":
    total = sum(exp(score - scores[0]) for score in scores)
    shares = {index: exp(score - scores[0]) / total for index, score in zip(nearest, scores, strict=True)}
    sibling_keys = [
        frozenset(key_of(sibling) for sibling in (*addition.siblings, *addition.new_siblings))
        for addition in additions
        if addition.siblings or addition.new_siblings
    ]
    texts = {index: statistics.articles[index].text for index in nearest}
    targets = _targets(statistics.articles, nearest)
    return [
        (
            index,
            {
                "listed": _listed(sibling_keys, entry_keys(texts[index])),
                "linking": sum(shares[other] for other in targets[index]),
                "linked": sum(shares[other] for other in nearest if index in targets[other]),
            },
        )
        for index in nearest
    ]


def _listed(sibling_keys: Sequence[frozenset[str]], lists: Sequence[frozenset[str]]) -> float:
    """The greatest share of an addition's siblings in one list, table or row of sections."""
    counts = ((len(siblings & entries), len(siblings)) for siblings in sibling_keys for entries in lists)
    return max((listed / total for listed, total in counts if listed >= _MIN_LISTED_SIBLINGS), default=0.0)


def _targets(articles: Sequence[Article], nearest: Sequence[int]) -> "dict[int, set[int]]":
    pages: dict[str, set[int]] = defaultdict(set)
    for index in nearest:
        for key in page_keys(articles[index].id, articles[index].title):
            pages[key].add(index)
    linked = {index: link_keys(articles[index].text) & pages.keys() for index in nearest}
    return {index: set().union(*(pages[key] for key in keys)) - {index} for index, keys in linked.items()}


def _lead(
    score: Callable[[Terms, ArticleFeatures, _CorpusStatistics], float],
    terms: Terms,
    statistics: _CorpusStatistics,
) -> float:
    """The distance of the best article's score from the fifth, relative to the weight of the terms."""
    scores = [score(terms, features, statistics) for features in statistics.features]
    best = sorted(scores, reverse=True)[:5]
    return (best[0] - best[-1]) / statistics.total_weight(terms) if best else 0.0

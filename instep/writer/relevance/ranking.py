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
from instep.writer.relevance.query import Query, Terms, query_of
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
    behind: tuple[float, ...]
    lead: Mapping[str, float]
    passage_lead: Mapping[str, float]
    first: Mapping[str, float]
    shared: Mapping[str, tuple[str, ...]]


class _CorpusStatistics:
    """The articles with what is known of all of them: how rare a term or name is, how long they are."""

    def __init__(self, articles: tuple[Article, ...]) -> None:
        self.articles = articles
        self.profiles = [article_features(article.title, article.text) for article in articles]
        self.rarity = _idf([profile.text for profile in self.profiles])
        self.name_rarity = _idf([dict.fromkeys(profile.names, 1) for profile in self.profiles])
        self.length = _mean([profile.length for profile in self.profiles])
        self.passage_length = _mean([size for profile in self.profiles for size in profile.sizes])

    def worth(self, terms: Terms) -> float:
        return sum(weight * self.rarity[term] for term, weight in terms.items()) or 1.0


_shelf_of = lru_cache(maxsize=4)(_CorpusStatistics)


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
    shelf = _shelf_of(articles)
    query = query_of(change, change_set, shelf.rarity)
    worth = {part: shelf.worth(wanted) for part, wanted in query.parts.items()}
    signs = [_features(query, worth, shelf, at, given_up(article.id)) for at, article in enumerate(articles)]
    scores = [sum(_WEIGHTS[name] * sign for name, sign in one.items()) for one in signs]
    nearest = sorted(range(len(articles)), key=lambda at: (-scores[at], articles[at].id))[:_RERANKED]
    for at, more in _rerank(shelf, nearest, [scores[at] for at in nearest], additions):
        scores[at] += sum(_RERANK_WEIGHTS[name] * sign for name, sign in more.items())
    order = sorted(range(len(articles)), key=lambda at: (-scores[at], articles[at].id))
    return Ranking(
        tuple(articles[at].id for at in order),
        tuple(scores[order[0]] - scores[at] for at in order),
        {part: _lead(_text_score, query.parts[part], shelf) for part in ("lines", "context")},
        {part: _lead(_passage_score, query.parts[part], shelf) for part in ("lines", "removed")},
        signs[order[0]] if order else {},
        {articles[at].id: _shared(query, shelf.profiles[at], shelf.rarity) for at in order[:20]},
    )


def _features(
    query: Query, worth: Mapping[str, float], shelf: _CorpusStatistics, at: int, given_up: int
) -> dict[str, float]:
    profile, title, parts = shelf.profiles[at], shelf.articles[at].title, query.parts
    in_text = {part: _text_score(parts[part], profile, shelf) / worth[part] for part in ("title", "body")}
    in_passage = {
        part: _passage_score(parts[part], profile, shelf) / worth[part]
        for part in ("context", "removed", "prose")
    }
    return {
        **in_text,
        **in_passage,
        "path": _heading_score(parts["path"], profile, shelf.rarity) / worth["path"],
        "body headings": _heading_score(parts["body"], profile, shelf.rarity) / worth["body"],
        "titled": _share(title, parts["title"]),
        "placed": _share(title, parts["path"]),
        "given up": log(1 + given_up),
        "names": _named(query.names, profile, shelf.name_rarity),
        "pairs": sum(pair in profile.order for pair in query.pairs) / (len(query.pairs) or 1),
        "guide": float(query.is_breaking and bool(_GUIDE.search(title))),
    }


def _text_score(wanted: Terms, profile: ArticleFeatures, shelf: _CorpusStatistics) -> float:
    score, norm = 0.0, _norm(profile.length / shelf.length)
    for term, weight in wanted.items():
        count = profile.text.get(term, 0)
        if count:
            score += weight * shelf.rarity[term] * _saturated(count, norm)
    return score


def _passage_score(wanted: Terms, profile: ArticleFeatures, shelf: _CorpusStatistics) -> float:
    """The score of the best passage."""
    norms = [_norm(size / shelf.passage_length) for size in profile.sizes]
    scores = [0.0] * len(norms)
    for term, weight in wanted.items():
        for passage, count in profile.passages.get(term, ()):
            scores[passage] += weight * shelf.rarity[term] * _saturated(count, norms[passage])
    return max(scores, default=0.0)


def _norm(length: float) -> float:
    return _K1 * (1 - _LENGTH + _LENGTH * length)


def _saturated(count: int, norm: float) -> float:
    return count * (_K1 + 1) / (count + norm)


def _heading_score(wanted: Terms, profile: ArticleFeatures, rarity: Terms) -> float:
    """A term of a heading counts once, one of the title (held twice by the profile) twice."""
    return sum(
        weight * rarity[term] * min(2, profile.heading[term])
        for term, weight in wanted.items()
        if term in profile.heading
    )


def _share(title: str, wanted: Terms) -> float:
    words = terms_of(title)
    return len(words.keys() & wanted.keys()) / (len(words) or 1)


def _named(wanted: Terms, profile: ArticleFeatures, rarity: Terms) -> float:
    worth = {name: weight * rarity[name] for name, weight in wanted.items() if name in rarity}
    return sum(worth[name] for name in worth.keys() & profile.names) / (sum(worth.values()) or 1.0)


def _rerank(
    shelf: _CorpusStatistics, nearest: Sequence[int], scores: Sequence[float], additions: Sequence[Addition]
) -> "list[tuple[int, dict[str, float]]]":
    whole = sum(exp(score - scores[0]) for score in scores)
    shares = {at: exp(score - scores[0]) / whole for at, score in zip(nearest, scores, strict=True)}
    near = [frozenset(key_of(one.name) for one in (*new.before, *new.after)) for new in additions]
    texts = {at: shelf.articles[at].text for at in nearest}
    targets = _targets(shelf.articles, nearest)
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
    wanted: Terms,
    shelf: _CorpusStatistics,
) -> float:
    """How far the best article stands above the fifth."""
    scores = [score(wanted, profile, shelf) for profile in shelf.profiles]
    best = sorted(scores, reverse=True)[:5]
    return (best[0] - best[-1]) / shelf.worth(wanted) if best else 0.0


def _shared(query: Query, profile: ArticleFeatures, rarity: Terms) -> tuple[str, ...]:
    """The three terms of the change that tell most and stand in an article."""
    weights: dict[str, float] = {}
    for part, wanted in query.parts.items():
        for term, weight in wanted.items():
            if term in profile.text and not term.isdigit():
                weights[term] = weights.get(term, 0.0) + _WEIGHTS.get(part, 1.0) * weight * rarity[term]
    return tuple(sorted(weights, key=lambda term: (-weights[term], term))[:3])

"""How well each article and each passage of an index answers a plan: few weights, and general ones.

Each word counts as much as it is rare, less the more often it was met already (BM25). An article's score is
that of its best passage, of its whole text, of its title, and of how alike title and question are.
"""

from dataclasses import dataclass

import numpy as np

from instep.search.asking import FILLER, Plan, Wish
from instep.search.schemas import Reach
from instep.search.segment import Array, Segment
from instep.search.shelf import Index, Part

ENOUGH = 1.0
# How much a text that is longer than others loses of what it holds.
PASSAGE_LENGTH_COUNTS, ARTICLE_LENGTH_COUNTS = 0.15, 0.4
WHOLE_TEXT, TITLE, LIKENESS = 1.0, 0.8, 0.7
# What an article can reach at most, about.
MOST = 1 + WHOLE_TEXT + TITLE + LIKENESS
# Titles of the best articles speak for others that have their words.
ECHO = 0.2
ECHOING = 3
ECHO_FROM = 0.7
# Scores of articles with all words begin here; those with some of them are below.
ALL = 1.0
# More than a page and what may have gone from it meanwhile.
MANY = 1_000
# The id of an article, and its score.
Hit = tuple[str, float]


@dataclass(frozen=True, slots=True)
class Scope:
    """Which articles may be found; collections that are not for everybody are named."""

    locale: str | None
    see: Reach
    hidden: frozenset[str]

    def mask(self, part: Part) -> Array:
        allowed: Array = part.lives
        if self.locale is not None:
            allowed = allowed & (part.segment.locales == self.locale)
        if self.see == "public":
            allowed = allowed & part.segment.is_public
            if self.hidden:
                allowed = allowed & ~np.isin(part.segment.collections, list(self.hidden))
        return allowed


@dataclass(frozen=True, slots=True)
class Ranking:
    """How well each article and each passage of a part answers; `allowed` are those that may be found."""

    part: Part
    allowed: Array
    score: Array
    # Whether it has every word itself, not only words that stand for it.
    has_all: Array
    is_title: Array
    coverage: Array
    likeness: Array
    passage_score: Array
    passage_coverage: Array


def rank(index: Index, plan: Plan, scope: Scope) -> list[Ranking]:
    return [rank_part(part, plan, scope) for part in index.parts]


@dataclass(slots=True)
class Sums:
    """What has been added up of a part so far."""

    passage: Array
    article: Array
    title: Array
    title_words: Array
    passage_coverage: Array
    coverage: Array
    has_all: Array


def rank_part(part: Part, plan: Plan, scope: Scope) -> Ranking:
    segment = part.segment
    passages, articles = segment.size, len(segment.articles)
    sums = Sums(
        passage=np.zeros(passages),
        article=np.zeros(articles),
        title=np.zeros(articles),
        title_words=np.zeros(articles),
        passage_coverage=np.zeros(passages),
        coverage=np.zeros(articles),
        has_all=np.ones(articles, dtype=np.bool_),
    )
    shortness = shortness_of(segment, plan.lengths)
    for wish in plan.wishes:
        add(part, wish, sums, shortness)
    total = plan.total
    asked = sum(wish_share(wish) for wish in plan.wishes)
    likeness = sums.title_words / np.maximum(asked + segment.title_length - sums.title_words, 1)
    best = np.zeros(articles)
    np.maximum.at(best, segment.owner, sums.passage)
    score = (best + WHOLE_TEXT * sums.article + TITLE * sums.title) / total + LIKENESS * likeness
    is_title = segment.title_marks == hash(plan.title)
    found = (score > 0) | is_title
    return Ranking(
        part,
        scope.mask(part) & found,
        score,
        sums.has_all & found,
        is_title,
        sums.coverage / total,
        likeness,
        sums.passage / total,
        sums.passage_coverage / total,
    )


def wish_share(wish: Wish) -> float:
    return 0 if wish.is_pair else FILLER if wish.is_filler else 1


def add(part: Part, wish: Wish, sums: Sums, shortness: tuple[Array, Array]) -> None:
    """What one word adds to each passage and article."""
    segment = part.segment
    body, headings, title, exact = held(part, wish)
    if body is None:
        if not wish.is_pair:
            sums.has_all &= is_left_out(part, wish)
        return
    in_article = np.bincount(segment.owner, body + headings, len(segment.articles))
    often = body * shortness[0] + headings + title[segment.owner]
    sums.passage += wish.weight * often / (often + ENOUGH)
    often_in_article = in_article * shortness[1] + title
    sums.article += wish.weight * often_in_article / (often_in_article + ENOUGH)
    sums.title += wish.weight * title
    if not wish.is_pair:
        sums.passage_coverage += wish.weight * np.minimum(often, 1)
        sums.coverage += wish.weight * np.minimum(often_in_article, 1)
        sums.title_words += wish_share(wish) * title
        sums.has_all &= exact | is_left_out(part, wish)


def shortness_of(segment: Segment, lengths: tuple[int, int]) -> tuple[Array, Array]:
    """How much each passage and each article keeps of what it holds: 1 where it is as long as others are."""
    usual_passage, usual_article = lengths
    return (
        1 / (1 - PASSAGE_LENGTH_COUNTS + PASSAGE_LENGTH_COUNTS * segment.length / usual_passage),
        1 / (1 - ARTICLE_LENGTH_COUNTS + ARTICLE_LENGTH_COUNTS * segment.article_length / usual_article),
    )


def is_left_out(part: Part, wish: Wish) -> Array:
    return np.isin(part.segment.letters, list(wish.left_out_by))


def held(part: Part, wish: Wish) -> tuple[Array | None, Array, Array, Array]:
    """How often each passage holds the word; which headings, titles and, exactly, which articles do."""
    segment = part.segment
    headings, title = np.zeros(segment.size), np.zeros(len(segment.articles))
    body: Array | None = None
    exact = np.zeros(len(segment.articles), dtype=np.bool_)
    for key, factor in wish.keys:
        word = segment.words.find(key)
        if word is None:
            continue
        body = np.zeros(segment.size) if body is None else body
        rows, titles = segment.body(word), segment.titles(word)
        where = segment.body_passage[rows]
        body[where] = np.maximum(body[where], factor * segment.body_count[rows])
        headings[where] = np.maximum(headings[where], factor * segment.is_heading[rows])
        title[titles] = np.maximum(title[titles], factor)
        if factor >= 1:
            exact[segment.owner[where]] = True
            exact[titles] = True
    return body, headings, title, exact


def hits(rankings: list[Ranking], plan: Plan, after: Hit | None) -> list[Hit]:
    """The articles that were found, the best first; only those behind `after`, and of very many the first."""
    found: list[Hit] = []
    for ranking in rankings:
        score = np.minimum(ranking.score / MOST, 0.999)
        if plan.needs_all:
            places = np.flatnonzero(ranking.allowed & (ranking.has_all | ranking.is_title))
            score = ALL + score + ranking.is_title
        else:
            places = np.flatnonzero(ranking.allowed)
            score = (ranking.coverage + score) / 2
        score = np.round(score.astype(np.float64), 6)
        if after:
            places = places[score[places] <= after[1]]
        if len(places) > MANY:
            places = places[score[places] >= np.partition(score[places], -MANY)[-MANY]]
        ids = ranking.part.segment.articles
        found += [
            (ids[at].id, value) for at, value in zip(places.tolist(), score[places].tolist(), strict=True)
        ]
    found.sort(key=lambda hit: (hit[1], hit[0]), reverse=True)
    return [hit for hit in found if (hit[1], hit[0]) < (after[1], after[0])] if after else found


def echoed(rankings: list[Ranking]) -> list[Array]:
    """The scores with what the titles of the best articles say of others."""
    best = sorted(
        (
            (float(ranking.score[place]), number, int(place))
            for number, ranking in enumerate(rankings)
            for place in top(np.where(ranking.allowed, ranking.score, 0), ECHOING)
        ),
        reverse=True,
    )[:ECHOING]
    if not best or best[0][0] <= 0:
        return [ranking.score for ranking in rankings]
    shares = [max(0.0, score / best[0][0] - ECHO_FROM) for score, _, _ in best]
    weights: dict[str, float] = {}
    for (score, number, place), share in zip(best, shares, strict=True):
        segment = rankings[number].part.segment
        for word in segment.word_of_title[segment.title_article == place].tolist():
            key = segment.words.raw(word).decode()
            worth = score * share / sum(shares) * float(segment.rarity[word] / segment.title_weight[place])
            weights[key] = weights.get(key, 0) + worth
    return [ranking.score + ECHO * echo_in(ranking.part, weights) for ranking in rankings]


def echo_in(part: Part, weights: dict[str, float]) -> Array:
    """How much of the best titles each title has: 1 for one that is the same as all of them."""
    segment = part.segment
    heard = np.zeros(len(segment.articles))
    for key, weight in weights.items():
        word = segment.words.find(key)
        if word is not None:
            heard[segment.titles(word)] += weight * segment.rarity[word]
    return heard / segment.title_weight


def top(scores: Array, count: int) -> Array:
    """The places of the highest scores, the highest first."""
    is_long = len(scores) > count
    places = np.argpartition(scores, -count)[-count:] if is_long else np.arange(len(scores))
    return places[np.argsort(-scores[places], kind="stable")]

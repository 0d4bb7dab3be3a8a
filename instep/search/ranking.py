"""How well each article and each passage of an index answers a plan: few weights, and general ones.

Each word counts as much as it is rare, less the more often it was met already (BM25). An article's score is
that of its best passage, of its whole text, of its title, and of how alike title and question are.
"""

from dataclasses import dataclass

import numpy as np

from instep.search.asking import FILLER, Plan, Wish
from instep.search.schemas import Reach
from instep.search.segment import IN_HEADING, OFTEN, Array, Segment
from instep.search.shelf import Index, Part
from instep.search.vectors import Meant

ENOUGH = 1.0
# How much a text that is longer than others loses of what it holds.
PASSAGE_LENGTH_COUNTS, ARTICLE_LENGTH_COUNTS = 0.15, 0.4
WHOLE_TEXT, TITLE, LIKENESS = 1.0, 0.8, 0.7
# What an article can reach at most, about.
MOST = 1 + WHOLE_TEXT + TITLE + LIKENESS
# What an article has of the question's meaning, for each usual difference that it stands above others.
MEANING = 0.3
# Titles of the best articles speak for others that have their words.
ECHO = 0.2
ECHOING = 3
ECHO_FROM = 0.7
# Scores of articles with all words begin here; those with some of them are below.
ALL = 1.0
# More than a page and what may have gone from it meanwhile.
MANY = 400
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
    # By all that is known; `said` is by its words alone.
    score: Array
    said: Array
    # Whether it has every word itself, not only words that stand for it.
    has_all: Array
    is_title: Array
    coverage: Array
    likeness: Array
    passage_score: Array
    passage_coverage: Array


def rank(index: Index, plan: Plan, scope: Scope) -> list[Ranking]:
    return [rank_part(part, plan, scope) for part in index.parts if may_hold(part, plan)]


def may_hold(part: Part, plan: Plan) -> bool:
    """Whether it is worth while to rank a part: often no article has all the words."""
    if not plan.needs_all or (part.segment.title_marks == hash(plan.title)).any():
        return True
    has_all = part.lives
    for wish in sorted(plan.wishes, key=lambda wish: -wish.weight):
        if not wish.is_pair:
            has_all = has_all & (has_exactly(part, wish) | is_left_out(part, wish))
            if not has_all.any():
                return False
    return True


def has_exactly(part: Part, wish: Wish) -> Array:
    """Which articles have the word itself."""
    segment = part.segment
    exact = np.zeros(len(segment.articles), dtype=np.bool_)
    for word in (segment.words.find(key) for key, factor in wish.keys if factor >= 1):
        if word is not None:
            exact[segment.owner[segment.body_passage[segment.body(word)]]] = True
            exact[segment.titles(word)] = True
    return exact


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
    best = segment.best_of(sums.passage)
    said = (best + WHOLE_TEXT * sums.article + TITLE * sums.title) / total + LIKENESS * likeness
    is_title = segment.title_marks == hash(plan.title)
    score, passage_score = said.copy(), sums.passage / total
    for meant in plan.meant:
        add_meaning(part, meant, score, passage_score)
    found = (score > 0) | is_title
    return Ranking(
        part=part,
        allowed=scope.mask(part) & found,
        score=score,
        said=said,
        has_all=sums.has_all & found,
        is_title=is_title,
        coverage=sums.coverage / total,
        likeness=likeness,
        passage_score=passage_score,
        passage_coverage=sums.passage_coverage / total,
    )


def add_meaning(part: Part, meant: Meant, score: Array, passage_score: Array) -> None:
    """What it counts that an article means what the question does, and one passage of it most of all.

    Of the passages that mean it together, that is the one whose words say most of it, or else the longest.
    """
    place = part.segment.places.get(meant.article_id)
    if place is not None:
        score[place] += MEANING * meant.likeness
        first, end = part.segment.passages_of(place)
        near = range(first + meant.first, min(first + meant.last + 1, end))
        if near:
            best = max(near, key=lambda at: (passage_score[at], part.segment.length[at]))
            passage_score[best] += MEANING * meant.likeness


def wish_share(wish: Wish) -> float:
    return 0 if wish.is_pair else FILLER if wish.is_filler else 1


def add(part: Part, wish: Wish, sums: Sums, shortness: tuple[Array, Array]) -> None:
    """What one word adds to each passage and article."""
    segment = part.segment
    found = held(part, wish)
    if found is None:
        if not wish.is_pair:
            sums.has_all &= is_left_out(part, wish)
        return
    where, title = found.where, found.title
    owner = segment.owner[where]
    in_article = np.bincount(owner, found.body + found.headings, len(segment.articles))
    often = found.body * shortness[0][where] + found.headings + title[owner]
    sums.passage[where] += wish.weight * often / (often + ENOUGH)
    often_in_article = in_article * shortness[1] + title
    sums.article += wish.weight * often_in_article / (often_in_article + ENOUGH)
    sums.title += wish.weight * title
    if not wish.is_pair:
        sums.passage_coverage[where] += wish.weight * np.minimum(often, 1)
        sums.coverage += wish.weight * np.minimum(often_in_article, 1)
        sums.title_words += wish_share(wish) * title
        sums.has_all &= found.exact | is_left_out(part, wish)


def shortness_of(segment: Segment, lengths: tuple[int, int]) -> tuple[Array, Array]:
    """How much each passage and each article keeps of what it holds: 1 where it is as long as others are."""
    if lengths not in segment.shortness:
        usual_passage, usual_article = lengths
        segment.shortness.clear()
        segment.shortness[lengths] = (
            1 / (1 - PASSAGE_LENGTH_COUNTS + PASSAGE_LENGTH_COUNTS * segment.length / usual_passage),
            1 / (1 - ARTICLE_LENGTH_COUNTS + ARTICLE_LENGTH_COUNTS * segment.article_length / usual_article),
        )
    return segment.shortness[lengths]


def is_left_out(part: Part, wish: Wish) -> Array:
    return np.isin(part.segment.letters, list(wish.left_out_by))


@dataclass(frozen=True, slots=True)
class Held:
    """What holds a word."""

    # The passages that do, or whose titles do; where most do, all of them.
    where: Array | slice
    # Of each of these: how often, and whether in a heading above it.
    body: Array
    headings: Array
    # Of each article: how much its title does, and whether it has the word itself.
    title: Array
    exact: Array


def held(part: Part, wish: Wish) -> Held | None:
    """None where nobody ever wrote the word."""
    segment = part.segment
    words = [(word, factor) for key, factor in wish.keys if (word := segment.words.find(key)) is not None]
    if not words:
        return None
    body, headings = np.zeros(segment.size), np.zeros(segment.size)
    title, exact = np.zeros(len(segment.articles)), np.zeros(len(segment.articles), dtype=np.bool_)
    for word, factor in words:
        rows, titles = segment.body(word), segment.titles(word)
        where, marks = segment.body_passage[rows], segment.body_mark[rows]
        body[where] = np.maximum(body[where], factor * (marks & OFTEN))
        headings[where] = np.maximum(headings[where], factor * (marks >= IN_HEADING))
        title[titles] = np.maximum(title[titles], factor)
        if factor >= 1:
            exact[segment.owner[where]] = True
            exact[titles] = True
    places = touched(segment, [word for word, _ in words], title)
    return Held(places, body[places], headings[places], title, exact)


def touched(segment: Segment, words: list[int], title: Array) -> Array | slice:
    """Few passages hold most words, and to add up nothing for all others takes longer than these do."""
    is_touched = (title > 0)[segment.owner] if title.any() else np.zeros(segment.size, dtype=np.bool_)
    for word in words:
        is_touched[segment.body_passage[segment.body(word)]] = True
    places = np.flatnonzero(is_touched)
    return places if 2 * len(places) < segment.size else slice(None)


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
            (float(ranking.said[place]), number, int(place))
            for number, ranking in enumerate(rankings)
            for place in top(np.where(ranking.allowed, ranking.said, 0), ECHOING)
        ),
        reverse=True,
    )[:ECHOING]
    if not best or best[0][0] <= 0:
        return [ranking.score for ranking in rankings]
    shares = [max(0.0, score / best[0][0] - ECHO_FROM) for score, _, _ in best]
    weights: dict[str, float] = {}
    for (score, number, place), share in zip(best, shares, strict=True):
        segment = rankings[number].part.segment
        for at in segment.place_in_titles[segment.title_article == place].tolist():
            key = segment.words.raw(int(segment.title_word[at])).decode()
            worth = score * share / sum(shares) * float(segment.rarity[at] / segment.title_weight[place])
            weights[key] = weights.get(key, 0) + worth
    return [ranking.score + ECHO * echo_in(ranking.part, weights) for ranking in rankings]


def echo_in(part: Part, weights: dict[str, float]) -> Array:
    """How much of the best titles each title has: 1 for one that is the same as all of them."""
    segment = part.segment
    heard = np.zeros(len(segment.articles))
    for key, weight in weights.items():
        word = segment.words.find(key)
        at = segment.in_titles(word) if word is not None else None
        if at is not None:
            heard[segment.titles_at(at)] += weight * segment.rarity[at]
    return heard / segment.title_weight


def top(scores: Array, count: int) -> Array:
    """The places of the highest scores, the highest first, with all that are as high as the last of them."""
    least = np.partition(scores, -count)[-count] if len(scores) > count else 0
    places = np.flatnonzero((scores >= least) & (scores > 0))
    return places[np.argsort(-scores[places], kind="stable")]

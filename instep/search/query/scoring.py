"""How well each article and each passage of an index answers a plan: few weights, and general ones.

Each word counts as much as it is rare, less the more often it was met already (BM25). An article's score is
that of its best passage, of its whole text, of its title, and of how alike title and question are.
"""

from dataclasses import dataclass

import numpy as np

from instep.search.index.cache import Index, LiveSegment
from instep.search.index.segment import HEADING_FLAG, MAX_TERM_FREQUENCY, Array, Segment
from instep.search.query.query import STOP_WORD_WEIGHT, Query, QueryTerm
from instep.search.schemas import Audience
from instep.search.semantic.vectors import SemanticHit

K1 = 1.0
# How much a text that is longer than others loses of what it holds.
PASSAGE_B, ARTICLE_B = 0.15, 0.4
BODY_BOOST, TITLE_BOOST, TITLE_SIMILARITY_BOOST = 1.0, 0.8, 0.7
# What an article can reach at most, about.
MAX_SCORE = 1 + BODY_BOOST + TITLE_BOOST + TITLE_SIMILARITY_BOOST
# What an article has of the question's meaning, for each usual difference that it stands above others.
SEMANTIC_BOOST = 0.3
# Titles of the best articles speak for others that have their words.
FEEDBACK_WEIGHT = 0.2
FEEDBACK_ARTICLES = 3
FEEDBACK_MIN = 0.7
# Scores of articles with all words begin here; those with some of them are below.
ALL_TERMS_BASE = 1.0
# More than a page and what may have gone from it meanwhile.
MAX_CANDIDATES = 400
# The id of an article, and its score.
Hit = tuple[str, float]


@dataclass(frozen=True, slots=True)
class Filter:
    """Which articles may be found; collections that are not for everybody are named."""

    locale: str | None
    audience: Audience
    hidden: frozenset[str]

    def mask(self, part: LiveSegment) -> Array:
        allowed: Array = part.live_docs
        if self.locale is not None:
            allowed = allowed & (part.segment.locales == self.locale)
        if self.audience == "public":
            allowed = allowed & part.segment.is_public
            if self.hidden:
                allowed = allowed & ~np.isin(part.segment.collections, list(self.hidden))
        return allowed


@dataclass(frozen=True, slots=True)
class Ranking:
    """How well each article and each passage of a part answers; `allowed` are those that may be found."""

    part: LiveSegment
    allowed: Array
    # By all that is known; `lexical_score` is by its words alone.
    score: Array
    lexical_score: Array
    # Whether it has every word itself, not only words that stand for it.
    has_all: Array
    is_title: Array
    coverage: Array
    title_similarity: Array
    passage_score: Array
    passage_coverage: Array


def rank(index: Index, plan: Query, scope: Filter) -> list[Ranking]:
    return [rank_part(part, plan, scope) for part in index.segments if may_hold(part, plan)]


def may_hold(part: LiveSegment, plan: Query) -> bool:
    """Whether it is worth while to rank a part: often no article has all the words."""
    if not plan.match_all or (part.segment.title_marks == hash(plan.title)).any():
        return True
    has_all = part.live_docs
    for term in sorted(plan.terms, key=lambda term: -term.weight):
        if not term.is_bigram:
            has_all = has_all & (has_exactly(part, term) | is_stop_word_in(part, term))
            if not has_all.any():
                return False
    return True


def has_exactly(part: LiveSegment, term: QueryTerm) -> Array:
    """Which articles have the word itself."""
    segment = part.segment
    exact = np.zeros(len(segment.articles), dtype=np.bool_)
    for word in (segment.words.find(key) for key, factor in term.keys if factor >= 1):
        if word is not None:
            exact[segment.article_of_passage[segment.postings_passage[segment.body(word)]]] = True
            exact[segment.titles(word)] = True
    return exact


@dataclass(slots=True)
class ScoreAccumulator:
    """What has been added up of a part so far."""

    passage: Array
    article: Array
    title: Array
    title_words: Array
    passage_coverage: Array
    coverage: Array
    has_all: Array


def rank_part(part: LiveSegment, plan: Query, scope: Filter) -> Ranking:
    segment = part.segment
    passages, articles = segment.size, len(segment.articles)
    totals = ScoreAccumulator(
        passage=np.zeros(passages),
        article=np.zeros(articles),
        title=np.zeros(articles),
        title_words=np.zeros(articles),
        passage_coverage=np.zeros(passages),
        coverage=np.zeros(articles),
        has_all=np.ones(articles, dtype=np.bool_),
    )
    shortness = length_norms_of(segment, plan.lengths)
    for term in plan.terms:
        add(part, term, totals, shortness)
    total = plan.total_weight
    asked = sum(title_term_weight(term) for term in plan.terms)
    likeness = totals.title_words / np.maximum(asked + segment.title_length - totals.title_words, 1)
    best = segment.best_of(totals.passage)
    lexical_score = (
        best + BODY_BOOST * totals.article + TITLE_BOOST * totals.title
    ) / total + TITLE_SIMILARITY_BOOST * likeness
    is_title = segment.title_marks == hash(plan.title)
    score, passage_score = lexical_score.copy(), totals.passage / total
    for semantic_hits in plan.semantic_hits:
        add_meaning(part, semantic_hits, score, passage_score)
    found = (score > 0) | is_title
    return Ranking(
        part=part,
        allowed=scope.mask(part) & found,
        score=score,
        lexical_score=lexical_score,
        has_all=totals.has_all & found,
        is_title=is_title,
        coverage=totals.coverage / total,
        title_similarity=likeness,
        passage_score=passage_score,
        passage_coverage=totals.passage_coverage / total,
    )


def add_meaning(part: LiveSegment, semantic_hits: SemanticHit, score: Array, passage_score: Array) -> None:
    """What it counts that an article means what the question does, and one passage of it most of all.

    Of the passages that mean it together, that is the one whose words say most of it, or else the longest.
    """
    place = part.segment.article_numbers.get(semantic_hits.article_id)
    if place is not None:
        score[place] += SEMANTIC_BOOST * semantic_hits.likeness
        first, end = part.segment.passages_of(place)
        near = range(first + semantic_hits.first, min(first + semantic_hits.last + 1, end))
        if near:
            best = max(near, key=lambda at: (passage_score[at], part.segment.passage_length[at]))
            passage_score[best] += SEMANTIC_BOOST * semantic_hits.likeness


def title_term_weight(term: QueryTerm) -> float:
    return 0 if term.is_bigram else STOP_WORD_WEIGHT if term.is_stop_word else 1


def add(part: LiveSegment, term: QueryTerm, totals: ScoreAccumulator, shortness: tuple[Array, Array]) -> None:
    """What one word adds to each passage and article."""
    segment = part.segment
    found = match_term(part, term)
    if found is None:
        if not term.is_bigram:
            totals.has_all &= is_stop_word_in(part, term)
        return
    where, title = found.where, found.title
    owner = segment.article_of_passage[where]
    in_article = np.bincount(owner, found.body + found.headings, len(segment.articles))
    often = found.body * shortness[0][where] + found.headings + title[owner]
    totals.passage[where] += term.weight * often / (often + K1)
    often_in_article = in_article * shortness[1] + title
    totals.article += term.weight * often_in_article / (often_in_article + K1)
    totals.title += term.weight * title
    if not term.is_bigram:
        totals.passage_coverage[where] += term.weight * np.minimum(often, 1)
        totals.coverage += term.weight * np.minimum(often_in_article, 1)
        totals.title_words += title_term_weight(term) * title
        totals.has_all &= found.exact | is_stop_word_in(part, term)


def length_norms_of(segment: Segment, lengths: tuple[int, int]) -> tuple[Array, Array]:
    """How much each passage and each article keeps of what it holds: 1 where it is as long as others are."""
    if lengths not in segment.length_norms:
        usual_passage, usual_article = lengths
        segment.length_norms.clear()
        segment.length_norms[lengths] = (
            1 / (1 - PASSAGE_B + PASSAGE_B * segment.passage_length / usual_passage),
            1 / (1 - ARTICLE_B + ARTICLE_B * segment.article_length / usual_article),
        )
    return segment.length_norms[lengths]


def is_stop_word_in(part: LiveSegment, term: QueryTerm) -> Array:
    return np.isin(part.segment.letters, list(term.stopword_in))


@dataclass(frozen=True, slots=True)
class TermMatches:
    """What holds a word."""

    # The passages that do, or whose titles do; where most do, all of them.
    where: Array | slice
    # Of each of these: how often, and whether in a heading above it.
    body: Array
    headings: Array
    # Of each article: how much its title does, and whether it has the word itself.
    title: Array
    exact: Array


def match_term(part: LiveSegment, term: QueryTerm) -> TermMatches | None:
    """None where nobody ever wrote the word."""
    segment = part.segment
    words = [(word, factor) for key, factor in term.keys if (word := segment.words.find(key)) is not None]
    if not words:
        return None
    body, headings = np.zeros(segment.size), np.zeros(segment.size)
    title, exact = np.zeros(len(segment.articles)), np.zeros(len(segment.articles), dtype=np.bool_)
    for word, factor in words:
        rows, titles = segment.body(word), segment.titles(word)
        where, marks = segment.postings_passage[rows], segment.postings_flags[rows]
        body[where] = np.maximum(body[where], factor * (marks & MAX_TERM_FREQUENCY))
        headings[where] = np.maximum(headings[where], factor * (marks >= HEADING_FLAG))
        title[titles] = np.maximum(title[titles], factor)
        if factor >= 1:
            exact[segment.article_of_passage[where]] = True
            exact[titles] = True
    places = passages_with(segment, [word for word, _ in words], title)
    return TermMatches(places, body[places], headings[places], title, exact)


def passages_with(segment: Segment, words: list[int], title: Array) -> Array | slice:
    """Few passages hold most words, and to add up nothing for all others takes longer than these do."""
    is_touched = (
        (title > 0)[segment.article_of_passage] if title.any() else np.zeros(segment.size, dtype=np.bool_)
    )
    for word in words:
        is_touched[segment.postings_passage[segment.body(word)]] = True
    places = np.flatnonzero(is_touched)
    return places if 2 * len(places) < segment.size else slice(None)


def hits(rankings: list[Ranking], plan: Query, after: Hit | None) -> list[Hit]:
    """The articles that were found, the best first; only those behind `after`, and of very many the first."""
    found: list[Hit] = []
    for ranking in rankings:
        score = np.minimum(ranking.score / MAX_SCORE, 0.999)
        if plan.match_all:
            places = np.flatnonzero(ranking.allowed & (ranking.has_all | ranking.is_title))
            score = ALL_TERMS_BASE + score + ranking.is_title
        else:
            places = np.flatnonzero(ranking.allowed)
            score = (ranking.coverage + score) / 2
        score = np.round(score.astype(np.float64), 6)
        if after:
            places = places[score[places] <= after[1]]
        if len(places) > MAX_CANDIDATES:
            places = places[score[places] >= np.partition(score[places], -MAX_CANDIDATES)[-MAX_CANDIDATES]]
        ids = ranking.part.segment.articles
        found += [
            (ids[at].id, value) for at, value in zip(places.tolist(), score[places].tolist(), strict=True)
        ]
    found.sort(key=lambda hit: (hit[1], hit[0]), reverse=True)
    return [hit for hit in found if (hit[1], hit[0]) < (after[1], after[0])] if after else found


def title_feedback(rankings: list[Ranking]) -> list[Array]:
    """The scores with what the titles of the best articles say of others."""
    best = sorted(
        (
            (float(ranking.lexical_score[place]), number, int(place))
            for number, ranking in enumerate(rankings)
            for place in top(np.where(ranking.allowed, ranking.lexical_score, 0), FEEDBACK_ARTICLES)
        ),
        reverse=True,
    )[:FEEDBACK_ARTICLES]
    if not best or best[0][0] <= 0:
        return [ranking.score for ranking in rankings]
    shares = [max(0.0, score / best[0][0] - FEEDBACK_MIN) for score, _, _ in best]
    weights: dict[str, float] = {}
    for (score, number, place), share in zip(best, shares, strict=True):
        segment = rankings[number].part.segment
        for at in segment.title_posting_term[segment.title_article == place].tolist():
            key = segment.words.raw(int(segment.title_word[at])).decode()
            worth = score * share / sum(shares) * float(segment.title_idf[at] / segment.title_norm[place])
            weights[key] = weights.get(key, 0) + worth
    return [ranking.score + FEEDBACK_WEIGHT * feedback_score(ranking.part, weights) for ranking in rankings]


def feedback_score(part: LiveSegment, weights: dict[str, float]) -> Array:
    """How much of the best titles each title has: 1 for one that is the same as all of them."""
    segment = part.segment
    heard = np.zeros(len(segment.articles))
    for key, weight in weights.items():
        word = segment.words.find(key)
        at = segment.in_titles(word) if word is not None else None
        if at is not None:
            heard[segment.titles_at(at)] += weight * segment.title_idf[at]
    return heard / segment.title_norm


def top(scores: Array, count: int) -> Array:
    """The places of the highest scores, the highest first, with all that are as high as the last of them."""
    least = np.partition(scores, -count)[-count] if len(scores) > count else 0
    places = np.flatnonzero((scores >= least) & (scores > 0))
    return places[np.argsort(-scores[places], kind="stable")]

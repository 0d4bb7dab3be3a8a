"""Scores the articles and passages of an index by a weighted query, with BM25 over three fields.

BM25 is the ranking function of Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and
Beyond" (2009), here in the form of that paper for several fields (BM25F). For a text `d` and the terms `t`
of a query:

    score(d) = sum of  weight(t) * tf / (tf + K1)
    tf       = body(t, d) / (1 - B + B * length(d) / average length) + heading(t, d) + title(t, d)

`weight` is the term's idf (`QueryTerm.weight`), `body` its number of occurrences; `heading` and `title` are
1 if a heading above the text or the title has the term; these two are not normalized by length. For an
expansion (a synonym, a correction) each of the three is multiplied by its boost.

An article's score is the BM25 score of its best passage, plus that of its whole text, plus its title's share
of the query, plus the similarity of title and query, plus a z-score per semantic hit. `retrieve()` adds
pseudo-relevance feedback: the terms in the titles of the best articles score other titles.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from instep.search.index.cache import Index, LiveSegment
from instep.search.index.packed_arrays import Array
from instep.search.index.segment import HEADING_FLAG, MAX_TERM_FREQUENCY, Segment
from instep.search.query.analysis import STOP_WORD_WEIGHT, QueryTerm, WeightedQuery
from instep.search.schemas import Audience
from instep.search.search_state import SearchState
from instep.search.semantic.vector_index import SemanticHit

# BM25: how soon further occurrences of a term stop adding to the score, and how much length counts (0 to 1).
K1 = 1.0
PASSAGE_B, ARTICLE_B = 0.1, 0.4
# Weights of the parts of an article's score, relative to its best passage.
BODY_BOOST, TITLE_BOOST, TITLE_SIMILARITY_BOOST = 1.0, 0.7, 0.7
# The approximate maximum score of an article: feedback and semantic hits may add a little.
MAX_SCORE = 1 + BODY_BOOST + TITLE_BOOST + TITLE_SIMILARITY_BOOST
# The score of a semantic hit for each standard deviation that its article is above the mean.
SEMANTIC_BOOST = 0.325
# The weight of a passage's cosine relative to its score, if the passages of a chunk share a semantic hit.
PASSAGE_SIMILARITY_BOOST = 1.5
# Pseudo-relevance feedback: its weight, the number of articles assumed to be relevant, and the share of
# the best score that an article must exceed to be one of them.
FEEDBACK_WEIGHT = 0.15
FEEDBACK_ARTICLES = 3
FEEDBACK_MIN = 0.7
# Articles with all terms have at least this score; articles with some of the terms have less.
ALL_TERMS_BASE = 1.0
# The boost of a term in titles that do not contain it.
NO_TITLE = np.zeros(1)
# More than fit on a page, because some hits may be gone when they are looked up.
MAX_CANDIDATES = 400
# The id of an article and its score.
Hit = tuple[str, float]


@dataclass(frozen=True, slots=True)
class ArticleFilter:
    """The articles that may be returned; `hidden` are the ids of collections that are not public.

    `untranslated` are the ids of articles that are also shown in the language, in another one,
    `other_versions` those of articles that are not about the product version that is read.
    """

    locale: str | None
    audience: Audience
    hidden: frozenset[str]
    untranslated: frozenset[str] = frozenset()
    other_versions: frozenset[str] = frozenset()
    # The segments and their masks, by the `id` of the segment.
    masks: dict[int, tuple[LiveSegment, Array]] = field(default_factory=dict, compare=False, repr=False)

    @classmethod
    def of(cls, state: SearchState, locale: str | None, audience: Audience) -> "ArticleFilter":
        return cls(locale, audience, state.hidden, state.untranslated, state.other_versions)

    def mask(self, live: LiveSegment) -> Array:
        """bool[articles]: whether the article of that number passes."""
        if id(live) not in self.masks:
            self.masks[id(live)] = live, self._mask(live)
        return self.masks[id(live)][1]

    def _mask(self, live: LiveSegment) -> Array:
        allowed: Array = live.live_docs
        if self.locale is not None:
            is_shown = live.segment.locales == self.locale
            is_shown[live.segment.numbers_of(self.untranslated)] = True
            allowed = allowed & is_shown
        if self.other_versions:
            allowed = allowed.copy()
            allowed[live.segment.numbers_of(self.other_versions)] = False
        if self.audience == "public":
            allowed = allowed & live.segment.is_public
            if self.hidden:
                allowed = allowed & ~np.isin(live.segment.collections, list(self.hidden))
        return allowed


@dataclass(frozen=True, slots=True)
class Ranking:
    """The scores of one segment: arrays by article number, or by passage number if the name says so."""

    live: LiveSegment
    # bool: matches the query and passes the filter.
    allowed: Array
    # float64, about 0 to `MAX_SCORE`: with semantic hits, and by terms alone.
    score: Array
    lexical_score: Array
    # bool: has every term itself, not only an expansion of it; and has the query as its title.
    has_all: Array
    is_title: Array
    # float64, 0 to 1: the weight of the terms it has, as a share of the query's.
    coverage: Array
    # float64, 0 to 1: the Jaccard similarity of the words of title and query.
    title_similarity: Array
    # float64, about 0 to 1.
    passage_score: Array
    passage_coverage: Array


def rank_index(index: Index, query: WeightedQuery, scope: ArticleFilter) -> list[Ranking]:
    """A ranking for each segment that may have a match."""
    rankings = [rank_segment(live, query, scope) for live in index.segments if may_match(live, query)]
    return with_semantic_hits(rankings, query.semantic_hits, scope)


def may_match(live: LiveSegment, query: WeightedQuery) -> bool:
    """A quick check that avoids scoring: often no article of a segment has all terms."""
    if not query.match_all or (live.segment.title_hashes == hash(query.title)).any():
        return True
    has_all = live.live_docs
    for term in sorted(query.words, key=lambda term: -term.weight):
        has_all = has_all & (articles_with(live.segment, term) | is_stop_word_in(live.segment, term))
        if not has_all.any():
            return False
    return True


def articles_with(segment: Segment, term: QueryTerm) -> Array:
    """bool[articles]: whether the article has the term itself, not an expansion of lower boost."""
    has_term = np.zeros(len(segment.articles), dtype=np.bool_)
    for number in (segment.terms.find(expansion) for expansion, boost in term.expansions if boost >= 1):
        if number is not None:
            passages = segment.postings_passage[segment.postings(number)]
            has_term[segment.article_of_passage[passages]] = True
            has_term[segment.titles_with(number)] = True
    return has_term


@dataclass(slots=True)
class ScoreAccumulator:
    """Sums over the terms of a query: float64 arrays by passage or by article number."""

    passage: Array
    passage_coverage: Array
    article: Array
    coverage: Array
    title: Array
    # The number of the query's words in the title; stop words count `STOP_WORD_WEIGHT`.
    title_words: Array
    has_all: Array

    @classmethod
    def for_segment(cls, segment: Segment) -> "ScoreAccumulator":
        passages, articles = segment.size, len(segment.articles)
        return cls(
            passage=np.zeros(passages),
            passage_coverage=np.zeros(passages),
            article=np.zeros(articles),
            coverage=np.zeros(articles),
            title=np.zeros(articles),
            title_words=np.zeros(articles),
            has_all=np.ones(articles, dtype=np.bool_),
        )


def rank_segment(live: LiveSegment, query: WeightedQuery, scope: ArticleFilter) -> Ranking:
    segment = live.segment
    sums = ScoreAccumulator.for_segment(segment)
    length_norms = length_norms_of(segment, query.average_lengths)
    for term in query.terms:
        add_term(segment, term, sums, length_norms)
    total_weight = query.total_weight
    title_similarity = title_similarity_of(segment, query, sums.title_words)
    weighted = segment.best_of(sums.passage) + BODY_BOOST * sums.article + TITLE_BOOST * sums.title
    lexical_score = weighted / total_weight + TITLE_SIMILARITY_BOOST * title_similarity
    is_title = segment.title_hashes == hash(query.title)
    matches = (lexical_score > 0) | is_title
    return Ranking(
        live=live,
        allowed=scope.mask(live) & matches,
        score=lexical_score,
        lexical_score=lexical_score,
        has_all=sums.has_all & matches,
        is_title=is_title,
        coverage=sums.coverage / total_weight,
        title_similarity=title_similarity,
        passage_score=sums.passage / total_weight,
        passage_coverage=sums.passage_coverage / total_weight,
    )


def with_semantic_hits(
    rankings: list[Ranking], hits: Sequence[SemanticHit], scope: ArticleFilter
) -> list[Ranking]:
    """The rankings by terms, extended by the articles nearest in meaning."""
    return [add_semantic_hits(ranking, hits, scope) for ranking in rankings] if hits else rankings


def add_semantic_hits(ranking: Ranking, hits: Sequence[SemanticHit], scope: ArticleFilter) -> Ranking:
    score, passage_score = ranking.score.copy(), ranking.passage_score.copy()
    for hit in hits:
        add_semantic_hit(ranking.live.segment, hit, score, passage_score)
    allowed = scope.mask(ranking.live) & ((score > 0) | ranking.is_title)
    return replace(ranking, allowed=allowed, score=score, passage_score=passage_score)


def title_similarity_of(segment: Segment, query: WeightedQuery, title_words: Array) -> Array:
    """The Jaccard similarity of each title and the query: common words over all words of both."""
    query_length = sum(title_term_weight(term) for term in query.terms)
    return title_words / np.maximum(query_length + segment.title_length - title_words, 1)


def add_semantic_hit(segment: Segment, hit: SemanticHit, score: Array, passage_score: Array) -> None:
    """Add a semantic hit to its article, and to the passage of its chunk that fits the question best.

    Terms and meaning together determine that passage; among equal ones it is the longest.
    """
    article = segment.article_numbers.get(hit.article_id)
    if article is not None:
        score[article] += SEMANTIC_BOOST * hit.z_score
        first, end = segment.passages_of(article)
        passages = range(first + hit.first, min(first + hit.last + 1, end))
        if passages:

            def fit_of(passage: int) -> tuple[float, int]:
                similarity = hit.similarity_of(passage - first)
                score = float(passage_score[passage]) + PASSAGE_SIMILARITY_BOOST * similarity
                return score, int(segment.passage_length[passage])

            best = max(passages, key=fit_of)
            passage_score[best] += SEMANTIC_BOOST * hit.z_score


def title_term_weight(term: QueryTerm) -> float:
    return 0 if term.is_bigram else STOP_WORD_WEIGHT if term.is_stop_word else 1


def add_term(
    segment: Segment, term: QueryTerm, sums: ScoreAccumulator, length_norms: tuple[Array, Array]
) -> None:
    """Add the BM25 score of one term to each passage and each article that has it."""
    matches = match_term(segment, term)
    if matches is None:
        if not term.is_bigram:
            sums.has_all &= is_stop_word_in(segment, term)
        return
    passage_norm, article_norm = length_norms
    passages, articles, titled = matches.passages, matches.articles, matches.titled
    title = np.zeros(len(segment.articles))
    title[titled] = matches.title
    # The title's score for each passage below it, and the additional score of passages with a match.
    below, title_below = passages_below(segment, titled, matches.title)
    title_of_match = title[articles] if len(titled) else NO_TITLE
    passage_tf = matches.body * passage_norm[passages] + matches.heading + title_of_match
    sums.passage[below] += term.weight * saturate(title_below)
    sums.passage[passages] += term.weight * (saturate(passage_tf) - saturate(title_of_match))
    occurrences = np.bincount(articles, matches.body + matches.heading, len(segment.articles))
    matching = np.flatnonzero((occurrences > 0) | (title > 0))
    article_tf = occurrences[matching] * article_norm[matching] + title[matching]
    sums.article[matching] += term.weight * saturate(article_tf)
    sums.title[titled] += term.weight * matches.title
    if not term.is_bigram:
        sums.passage_coverage[below] += term.weight * title_below
        sums.passage_coverage[passages] += term.weight * (np.minimum(passage_tf, 1) - title_of_match)
        sums.coverage[matching] += term.weight * np.minimum(article_tf, 1)
        sums.title_words[titled] += title_term_weight(term) * matches.title
        sums.has_all &= matches.has_term | is_stop_word_in(segment, term)


def passages_below(segment: Segment, titled: Array, title: Array) -> tuple[Array, Array]:
    """The passages of the articles whose titles match, and the boosts of their titles."""
    if not len(titled):
        return titled, title
    counts = segment.passage_counts[titled]
    offsets = np.cumsum(counts) - counts
    passages = np.arange(counts.sum()) + np.repeat(segment.first_passages[titled] - offsets, counts)
    return passages, np.repeat(title, counts)


def saturate(tf: Array) -> Array:
    """BM25's `tf / (tf + K1)`: from 0 to 1, each further occurrence adds less."""
    saturated: Array = tf / (tf + K1)
    return saturated


def length_norms_of(segment: Segment, average_lengths: tuple[int, int]) -> tuple[Array, Array]:
    """BM25's `1 / (1 - B + B * length / average)` by passage and by article: 1 at the average length."""
    if average_lengths not in segment.length_norms:
        average_passage, average_article = average_lengths
        segment.length_norms.clear()
        segment.length_norms[average_lengths] = (
            1 / (1 - PASSAGE_B + PASSAGE_B * segment.passage_length / average_passage),
            1 / (1 - ARTICLE_B + ARTICLE_B * segment.article_length / average_article),
        )
    return segment.length_norms[average_lengths]


def is_stop_word_in(segment: Segment, term: QueryTerm) -> Array:
    """bool[articles]: whether the term is a stop word in the article's language."""
    if not term.stopword_in:
        return np.zeros(len(segment.articles), dtype=np.bool_)
    return np.isin(segment.language_codes, list(term.stopword_in))


@dataclass(frozen=True, slots=True)
class TermMatches:
    """The occurrences of a term or its expansions in a segment."""

    # int64: the passages with a match in body or heading, ascending; and the article of each.
    passages: Array
    articles: Array
    # float64, row `i` belongs to `passages[i]`: boosted number of occurrences; boost of a match in a heading.
    body: Array
    heading: Array
    # int64: the articles with a match in the title, ascending; and float64: its boost in each of them.
    titled: Array
    title: Array
    # bool[articles]: whether the article has the term itself.
    has_term: Array


def match_term(segment: Segment, term: QueryTerm) -> TermMatches | None:
    """The postings of a term and its expansions; `None` if the segment has none of them."""
    numbers = [
        (number, boost)
        for expansion, boost in term.expansions
        if (number := segment.terms.find(expansion)) is not None
    ]
    if not numbers:
        return None
    title, has_term = np.zeros(len(segment.articles)), np.zeros(len(segment.articles), dtype=np.bool_)
    for number, boost in numbers:
        titles = segment.titles_with(number)
        title[titles] = np.maximum(title[titles], boost)
        has_term[titles] |= boost >= 1
    postings = [read_postings(segment, number, boost) for number, boost in numbers]
    passages, body, heading = merge_postings(postings, segment.size)
    articles = segment.article_of_passage[passages].astype(np.intp)
    titled = np.flatnonzero(title)
    for (_, boost), (rows, _, _) in zip(numbers, postings, strict=True):
        if boost >= 1:
            has_term[segment.article_of_passage[rows]] = True
    return TermMatches(passages, articles, body, heading, titled, title[titled], has_term)


# The passages of a term, ascending, with its boosted occurrences in the body and its boost in headings.
Postings = tuple[Array, Array, Array]


def read_postings(segment: Segment, number: int, boost: float) -> Postings:
    rows = segment.postings(number)
    flags = segment.postings_flags[rows]
    # NumPy would convert smaller integers each time that they index an array.
    passages = segment.postings_passage[rows].astype(np.intp)
    return passages, boost * (flags & MAX_TERM_FREQUENCY), boost * (flags >= HEADING_FLAG)


def merge_postings(postings: list[Postings], size: int) -> Postings:
    """The postings of all expansions, with the maximum for each passage; `size`: the number of passages."""
    if len(postings) == 1:
        return postings[0]
    has_match = np.zeros(size, dtype=np.bool_)
    for rows, _, _ in postings:
        has_match[rows] = True
    passages = np.flatnonzero(has_match)
    body, heading = np.zeros(len(passages)), np.zeros(len(passages))
    for rows, occurrences, in_heading in postings:
        at = np.searchsorted(passages, rows)
        body[at] = np.maximum(body[at], occurrences)
        heading[at] = np.maximum(heading[at], in_heading)
    return passages, body, heading


def ranked_hits(rankings: list[Ranking], query: WeightedQuery, after: Hit | None) -> list[Hit]:
    """The matching articles after `after`, best first; if more than `MAX_CANDIDATES` match, the best."""
    hits: list[Hit] = []
    for ranking in rankings:
        score = np.minimum(ranking.score / MAX_SCORE, 0.999)
        if query.match_all:
            numbers = np.flatnonzero(ranking.allowed & (ranking.has_all | ranking.is_title))
            score = ALL_TERMS_BASE + score + ranking.is_title
        else:
            numbers = np.flatnonzero(ranking.allowed)
            score = (ranking.coverage + score) / 2
        score = np.round(score.astype(np.float64), 6)
        if after:
            numbers = numbers[score[numbers] <= after[1]]
        if len(numbers) > MAX_CANDIDATES:
            lowest = np.partition(score[numbers], -MAX_CANDIDATES)[-MAX_CANDIDATES]
            numbers = numbers[score[numbers] >= lowest]
        articles = ranking.live.segment.articles
        hits += [
            (articles[number].id, value)
            for number, value in zip(numbers.tolist(), score[numbers].tolist(), strict=True)
        ]
    hits.sort(key=lambda hit: (hit[1], hit[0]), reverse=True)
    return [hit for hit in hits if (hit[1], hit[0]) < (after[1], after[0])] if after else hits


def title_feedback(rankings: list[Ranking]) -> list[Array]:
    """The scores with pseudo-relevance feedback: titles similar to the best articles' score higher."""
    best = sorted(
        (
            (float(ranking.lexical_score[article]), number, int(article))
            for number, ranking in enumerate(rankings)
            for article in top(np.where(ranking.allowed, ranking.lexical_score, 0), FEEDBACK_ARTICLES)
        ),
        reverse=True,
    )[:FEEDBACK_ARTICLES]
    if not best or best[0][0] <= 0:
        return [ranking.score for ranking in rankings]
    shares = [max(0.0, score / best[0][0] - FEEDBACK_MIN) for score, _, _ in best]
    weights: dict[str, float] = {}
    for (score, number, article), share in zip(best, shares, strict=True):
        segment = rankings[number].live.segment
        for title_term in segment.title_posting_term[segment.title_article == article].tolist():
            index_term = segment.terms.raw(int(segment.title_terms[title_term])).decode()
            tf_idf = float(segment.title_idf[title_term] / segment.title_norm[article])
            weights[index_term] = weights.get(index_term, 0) + score * share / sum(shares) * tf_idf
    return [
        ranking.score + FEEDBACK_WEIGHT * title_cosine(ranking.live.segment, weights) for ranking in rankings
    ]


def title_cosine(segment: Segment, weights: dict[str, float]) -> Array:
    """float64[articles]: the cosine of each title's TF-IDF vector and the vector of these weights."""
    product = np.zeros(len(segment.articles))
    for index_term, weight in weights.items():
        term = segment.terms.find(index_term)
        title_term = segment.title_term_number(term) if term is not None else None
        if title_term is not None:
            product[segment.titles_of(title_term)] += weight * segment.title_idf[title_term]
    return product / segment.title_norm


def top(scores: Array, count: int) -> Array:
    """The indexes of the `count` highest scores above 0, best first, and of all that equal the last one."""
    lowest = np.partition(scores, -count)[-count] if len(scores) > count else 0
    numbers = np.flatnonzero((scores >= lowest) & (scores > 0))
    return numbers[np.argsort(-scores[numbers], kind="stable")]

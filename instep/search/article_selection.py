"""Selects the articles of a bot that are most relevant to a subject, for a reader of only some of them."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from math import log

import numpy as np
from anyio import to_thread
from cachetools import LRUCache

from instep.platform.core import limits
from instep.platform.identity.schemas import Ctx
from instep.search.index.builder import TokenWords, flatten, token_terms, token_words
from instep.search.index.cache import Index, LiveSegment, index_cache
from instep.search.index.packed_arrays import Array
from instep.search.index.stems import Stems, index_term, language_code, stems_of
from instep.search.query.analysis import QueryTerm, WeightedQuery, configs_of, unboosted
from instep.search.query.scoring import ArticleFilter, rank_segment, top

# The share of the selection reserved for the articles nearest by their words, whatever else is found.
NEAREST_SHARE = 0.1
# The number of articles selected for the lines of one page, and for one title.
PAGE_ARTICLES, TITLE_ARTICLES = 20, 5
# The number of words that count in one part of a subject: rare among the articles, frequent in the part.
MAX_PART_WORDS = 60
MAX_PHRASE_TOKENS = 40
CACHED_TERMS = 200

# A text as the index reads it, token by token.
Phrase = tuple[TokenWords, ...]


@dataclass(frozen=True, slots=True)
class WeightedWords:
    """The frequencies of words in a part of a subject, and the weight of that part."""

    weight: float
    counts: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class SelectionQuery:
    """The criteria that select articles.

    Articles with all terms of one of the `phrases` come first, the rarest first; then, for each page, the
    articles with most of its lines; then those with all terms of a title in theirs; and then the nearest.
    """

    phrases: tuple[Phrase, ...]
    pages: tuple[tuple[Phrase, ...], ...]
    titles: tuple[Phrase, ...]
    subject: tuple[WeightedWords, ...]

    @property
    def words(self) -> set[str]:
        phrases = (*self.phrases, *self.titles, *(line for page in self.pages for line in page))
        words = {word for phrase in phrases for token in phrase for word in flatten(token)}
        return words.union(*(part.counts for part in self.subject))


def phrase_of(text: str) -> Phrase:
    return tuple(token_words(token) for token in text.split()[:MAX_PHRASE_TOKENS])


def weighted_words(weight: float, texts: Iterable[tuple[str, float]]) -> WeightedWords:
    """The words of texts, each text with its own weight."""
    tokens: dict[str, float] = defaultdict(float)
    for text, text_weight in texts:
        for token in text.split():
            tokens[token] += text_weight
    counts: dict[str, float] = defaultdict(float)
    for token, count in tokens.items():
        for word in flatten(token_words(token)):
            counts[word] += count
    return WeightedWords(weight, dict(counts))


async def select_articles(ctx: Ctx, query: SelectionQuery, count: int) -> list[str]:
    """The ids of at most `count` live articles in all languages, the most important ones first."""
    index, _ = await index_cache.index_of(ctx)
    words = query.words
    stems = {config: await stems_of(ctx.tx, config, words) for config in sorted(configs_of(index, None))}
    return await to_thread.run_sync(select_from, index, query, stems, count)


def select_from(index: Index, query: SelectionQuery, stems: dict[str, Stems], count: int) -> list[str]:
    """`stems`, by language configuration, must have all words of the query."""
    articles = IndexedArticles(index, stems)
    selection = ArticleSelection(count, articles.scores(query.subject))
    nearest_count = max(1, round(NEAREST_SHARE * count))
    selection.add(top(selection.scores, nearest_count)[:nearest_count])
    selection.add(articles.cut_off)
    for page in query.pages:
        selection.add(articles.with_lines(page))
    for title in query.titles:
        selection.add(articles.with_title(title))
    for matches in sorted(map(articles.with_phrase, query.phrases), key=len):
        selection.add(matches)
    selection.add(top(selection.scores, count))
    return [articles.id_of(number) for number in selection.numbers]


class ArticleSelection:
    """At most `count` articles by their numbers, in the order in which they were added."""

    def __init__(self, count: int, scores: Array) -> None:
        """`scores`: float64[articles], 0 for an article that is no longer live."""
        self.count = count
        self.scores = scores
        self.numbers: dict[int, None] = {}

    def add(self, matches: Array) -> None:
        """Add articles; if there is no room for all, the best ones."""
        new = [number for number in matches.tolist() if number not in self.numbers]
        room = self.count - len(self.numbers)
        if len(new) > room:
            new = sorted(new, key=lambda number: (-self.scores[number], number))[:room]
        self.numbers.update(dict.fromkeys(new))


class IndexedArticles:
    """The articles of an index, numbered across all of its segments."""

    def __init__(self, index: Index, stems: dict[str, Stems]) -> None:
        self.index = index
        self.stems = stems
        sizes = [len(live.segment.articles) for live in index.segments]
        self.first_numbers = [0, *accumulate(sizes)]
        self.sets: LRUCache[tuple[int, int, bool], Array] = LRUCache(CACHED_TERMS)
        # The number of a term in a segment; None if the segment lacks it.
        self.term_numbers: dict[tuple[int, str], int | None] = {}

    def id_of(self, number: int) -> str:
        at = next(at for at, end in enumerate(self.first_numbers[1:]) if number < end)
        return self.index.segments[at].segment.articles[number - self.first_numbers[at]].id

    @cached_property
    def cut_off(self) -> Array:
        """The articles with more passages than the index contains."""
        return self.of_all(
            np.flatnonzero(np.bincount(live.segment.article_of_passage) >= limits.MAX_INDEXED_PASSAGES)
            for live in self.index.segments
        )

    def of_all(self, by_segment: Iterable[Array]) -> Array:
        """The live articles, numbered across segments, from their numbers in each segment."""
        live_numbers = [
            numbers[live.live_docs[numbers]] + first
            for live, numbers, first in zip(self.index.segments, by_segment, self.first_numbers, strict=False)
        ]
        return np.concatenate((np.zeros(0, dtype=np.int64), *live_numbers))

    def with_phrase(self, phrase: Phrase) -> Array:
        return self.of_all(self.with_terms(at, phrase, in_title=False) for at in self.segment_numbers)

    def with_title(self, title: Phrase) -> Array:
        """The articles with the shortest titles that contain all terms of this one."""
        matches = self.of_all(self.with_terms(at, title, in_title=True) for at in self.segment_numbers)
        lengths = np.concatenate((np.zeros(0), *(live.segment.title_length for live in self.index.segments)))
        return matches[np.argsort(lengths[matches], kind="stable")][:TITLE_ARTICLES]

    def with_lines(self, lines: Sequence[Phrase]) -> Array:
        """The articles that share most with a page; lines that fewer articles have count more."""
        scores = np.zeros(self.first_numbers[-1])
        for line in lines:
            matches = self.with_phrase(line)
            scores[matches] += 1 / max(1, len(matches))
        return top(scores, PAGE_ARTICLES)[:PAGE_ARTICLES]

    @property
    def segment_numbers(self) -> range:
        return range(len(self.index.segments))

    def with_terms(self, at: int, phrase: Phrase, *, in_title: bool) -> Array:
        """The articles of a segment with all terms of a phrase, in any of its languages."""
        matches = [np.zeros(0, dtype=np.int64)]
        for config, stems in self.stems.items():
            terms = {term for token in phrase for term in token_terms(token, language_code(config), stems)}
            numbers = [self.term_number(at, term) for term in terms]
            present = [number for number in numbers if number is not None]
            if present and len(present) == len(terms):
                matches.append(self.common(at, present, in_title=in_title))
        return np.unique(np.concatenate(matches))

    def term_number(self, at: int, term: str) -> int | None:
        if (at, term) not in self.term_numbers:
            self.term_numbers[at, term] = self.index.segments[at].segment.terms.find(term)
        return self.term_numbers[at, term]

    def common(self, at: int, terms: list[int], *, in_title: bool) -> Array:
        """The articles of a segment with all of these terms."""
        frequency = self.index.segments[at].segment.document_frequency
        first, *others = sorted(terms, key=lambda term: int(frequency[term]))
        matches = self.with_term(at, first, in_title=in_title)
        for term in others:
            if not len(matches):
                break
            matches = matches[is_in(matches, self.with_term(at, term, in_title=in_title))]
        return matches

    def with_term(self, at: int, term: int, *, in_title: bool) -> Array:
        """int64: the articles of a segment with a term, ascending."""
        key = at, term, in_title
        if key not in self.sets:
            segment = self.index.segments[at].segment
            articles = segment.titles_with(term).astype(np.int64)
            if not in_title:
                passages = segment.postings_passage[segment.postings(term)]
                articles = np.concatenate((articles, segment.article_of_passage[passages]))
            self.sets[key] = np.unique(articles)
        return self.sets[key]

    def scores(self, subject: Sequence[WeightedWords]) -> Array:
        """float64[articles]: similarity to the subject, above 0; 0 if the article is no longer live."""
        weights: dict[str, float] = {}
        for part in subject:
            for word, weight in self.part_weights(part):
                weights[word] = weights.get(word, 0.0) + weight
        terms = tuple(
            QueryTerm(word, weight, False, unboosted(self.index_terms(word)), frozenset())
            for word, weight in weights.items()
        )
        query = WeightedQuery(terms, (), "", False, self.index.average_lengths)
        return np.concatenate((np.zeros(0), *(segment_scores(live, query) for live in self.index.segments)))

    def part_weights(self, part: WeightedWords) -> Iterator[tuple[str, float]]:
        """The words that count in a part, with weights that add up to the weight of the part."""
        weights = {word: log(1 + count) * self.idf(word) for word, count in part.counts.items()}
        best = sorted(
            (word for word in weights if weights[word] > 0), key=lambda word: (-weights[word], word)
        )
        total = sum(weights[word] for word in best[:MAX_PART_WORDS])
        for word in best[:MAX_PART_WORDS]:
            yield word, part.weight * weights[word] / total

    def idf(self, word: str) -> float:
        """The inverse document frequency of a word; 0 if no article has it."""
        frequency = 0
        for live in self.index.segments:
            numbers = map(live.segment.terms.find, self.index_terms(word))
            frequency += sum(int(live.segment.document_frequency[n]) for n in numbers if n is not None)
        count = self.index.article_count
        return log(1 + (max(count - frequency, 0) + 0.5) / (frequency + 0.5)) if frequency else 0.0

    def index_terms(self, word: str) -> list[str]:
        stems = {config: stems[word] for config, stems in self.stems.items()}
        return [index_term(config, stem) for config, stem in stems.items() if stem]


def is_in(numbers: Array, others: Array) -> Array:
    """bool: whether each number is in `others`, which is ascending; faster than `np.isin` for few numbers."""
    if not len(others):
        return np.zeros(len(numbers), dtype=np.bool_)
    places = np.searchsorted(others, numbers)
    is_among: Array = others[np.minimum(places, len(others) - 1)] == numbers
    return is_among


def segment_scores(live: LiveSegment, query: WeightedQuery) -> Array:
    scores = rank_segment(live, query, ArticleFilter(None, "authenticated", frozenset())).score
    return np.where(live.live_docs, scores + np.finfo(np.float64).tiny, 0)

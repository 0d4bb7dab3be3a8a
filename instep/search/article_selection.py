"""Selects the articles of a bot that are most relevant to a subject, for a reader of only some of them."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from math import log

import numpy as np
from anyio import to_thread

from instep.platform.core import limits
from instep.platform.identity.schemas import Ctx
from instep.search.index.builder import flatten, token_words
from instep.search.index.cache import Index, LiveSegment, index_cache
from instep.search.index.packed_arrays import Array
from instep.search.index.stems import Stems, index_term, stems_of
from instep.search.query.analysis import QueryTerm, WeightedQuery, configs_of, unboosted
from instep.search.query.scoring import ArticleFilter, rank_segment, top

# The share of the selection that the nearest articles have before those that are indexed in part.
NEAREST_SHARE = 0.1
# The number of words that count in one part of a subject: rare among the articles, frequent in the part.
MAX_PART_WORDS = 60


@dataclass(frozen=True, slots=True)
class WeightedWords:
    """The frequencies of words in a part of a subject, and the weight of that part."""

    weight: float
    counts: Mapping[str, float]


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


async def select_articles(ctx: Ctx, subject: Sequence[WeightedWords], count: int) -> list[str]:
    """The ids of at most `count` live articles in all languages, the nearest to a subject first.

    Articles that the index has only in part come soon, because the rest may be as near.
    """
    index, _ = await index_cache.index_of(ctx)
    words = set[str]().union(*(part.counts for part in subject))
    stems = {config: await stems_of(ctx.tx, config, words) for config in sorted(configs_of(index, None))}
    return await to_thread.run_sync(select_from, index, subject, stems, count)


def select_from(
    index: Index, subject: Sequence[WeightedWords], stems: dict[str, Stems], count: int
) -> list[str]:
    """`stems`, by language configuration, must have all words of the subject."""
    articles = IndexedArticles(index, stems)
    scores = articles.scores(subject)
    nearest, cut_off = top(scores, count), articles.cut_off
    first = nearest[: max(1, round(NEAREST_SHARE * count))]
    cut_off = cut_off[np.argsort(-scores[cut_off], kind="stable")]
    numbers = dict.fromkeys(np.concatenate((first, cut_off, nearest)).tolist())
    return [articles.id_of(number) for number in [*numbers][:count]]


class IndexedArticles:
    """The articles of an index, numbered across all of its segments."""

    def __init__(self, index: Index, stems: dict[str, Stems]) -> None:
        self.index = index
        self.stems = stems
        sizes = [len(live.segment.articles) for live in index.segments]
        self.first_numbers = [0, *accumulate(sizes)]

    def id_of(self, number: int) -> str:
        at = next(at for at, end in enumerate(self.first_numbers[1:]) if number < end)
        return self.index.segments[at].segment.articles[number - self.first_numbers[at]].id

    @property
    def cut_off(self) -> Array:
        """The live articles with more passages than the index contains."""
        numbers = [np.zeros(0, dtype=np.int64)]
        for live, first in zip(self.index.segments, self.first_numbers, strict=False):
            passages = np.bincount(live.segment.article_of_passage)
            whole = np.flatnonzero(passages >= limits.MAX_INDEXED_PASSAGES)
            numbers.append(whole[live.live_docs[whole]] + first)
        return np.concatenate(numbers)

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


def segment_scores(live: LiveSegment, query: WeightedQuery) -> Array:
    scores = rank_segment(live, query, ArticleFilter(None, "authenticated", frozenset())).score
    return np.where(live.live_docs, scores + np.finfo(np.float64).tiny, 0)

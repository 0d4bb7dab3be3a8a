"""The vectors of a bot's chunks in this process, to find the articles nearest to a question."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property
from weakref import WeakKeyDictionary

import numpy as np

from instep.platform.core import limits
from instep.search.index.cache import NEVER
from instep.search.index.packed_arrays import Array
from instep.search.index.segment import Segment
from instep.search.semantic.vector_segment import VectorSegment
from instep.search.semantic.vectors import EmbeddingState

# Additions larger than this share of the base are merged with it.
MAX_ADDITIONS_SHARE = 0.125
# Mean and variance of the similarities are shrunk toward typical ones, as if there were a few more articles,
# because a few articles estimate them badly.
USUAL_MEAN, MEAN_ARTICLES = 0.2, 3
USUAL_VARIANCE, VARIANCE_ARTICLES = 0.01, 10
# A segment, and bool[articles]: which of its articles may be hits.
AllowedArticles = tuple[Segment, Array]


@dataclass(frozen=True, slots=True)
class SemanticHit:
    """An article close to a question in meaning."""

    article_id: str
    # First and last passage number of the nearest chunk; chunks of single sections do not count.
    first: int
    last: int
    # z-score of its similarity among the bot's articles (0 = mean, 1 = one standard deviation above).
    z_score: float
    # Cosine of the question's vector and that of the nearest chunk or section, and how far it is above the
    # mean of the bot's articles. Cursors contain neither, nor the chunks.
    similarity: float = 0.0
    excess: float = 0.0
    # All its chunks: the numbers of their first and last passages, and their similarities.
    firsts: Sequence[int] = ()
    lasts: Sequence[int] = ()
    similarities: Sequence[float] = ()

    def similarity_of(self, passage: int) -> float:
        """The similarity of a passage's nearest chunk, or else of one that it shares; 0 without a chunk."""
        chunks = zip(self.firsts, self.lasts, self.similarities, strict=True)
        values = [(first == last, value) for first, last, value in chunks if first <= passage <= last]
        return max(values, default=(False, 0.0))[1]


@dataclass(frozen=True, eq=False)
class VectorIndex:
    """The chunks of a bot's articles with their vectors, as of a change stamp.

    Articles are numbered from 0, first in `base`, then in `additions`.
    """

    model: str
    seen: datetime
    # The part that processes may share, as of an earlier stamp.
    base: VectorSegment
    based_on: datetime
    # The articles that were embedded since. Their entries in `base` are out of date.
    additions: VectorSegment

    @classmethod
    def empty(cls, state: EmbeddingState) -> "VectorIndex":
        nothing = VectorSegment.of({}, state.dimensions)
        return cls(state.model, NEVER, nothing, NEVER, nothing)

    @property
    def dimensions(self) -> int:
        return self.base.dimensions

    def is_of(self, state: EmbeddingState) -> bool:
        """True if its vectors are comparable with those of the state."""
        return (self.model, self.dimensions) == (state.model, state.dimensions)

    @property
    def chunk_count(self) -> int:
        return len(self.base.chunks) + len(self.additions.chunks)

    @property
    def bytes(self) -> int:
        """The size of the chunks; those in a shared file count in each process."""
        return int(self.base.chunks.nbytes + self.additions.chunks.nbytes)

    @property
    def article_ids(self) -> list[str]:
        return list(self._number_of_article)

    def with_articles(self, new: Mapping[str, Array], seen: datetime) -> "VectorIndex":
        """The index with new chunks for these articles, replacing existing ones."""
        additions = {**self.additions.chunks_by_article(without=new), **new}
        return replace(self, seen=seen, additions=VectorSegment.of(additions, self.dimensions))

    def with_base(self, base: VectorSegment) -> "VectorIndex":
        """The index with a base that includes the additions."""
        nothing = VectorSegment.of({}, self.dimensions)
        return replace(self, base=base, based_on=self.seen, additions=nothing)

    @property
    def is_merge_due(self) -> bool:
        """True if the additions are large enough for a new base: each addition copies the earlier ones."""
        size = self.additions.chunks.nbytes
        return size >= max(limits.LARGE_INDEX_BYTES, MAX_ADDITIONS_SHARE * self.base.chunks.nbytes)

    def merged(self, embedded: Collection[str]) -> VectorSegment:
        """A base that includes the additions, with only the articles that currently have vectors."""
        additions = self.additions.chunks_by_article()
        chunks = {**self.base.chunks_by_article(without=additions), **additions}
        return VectorSegment.of(
            {article_id: rows for article_id, rows in chunks.items() if article_id in embedded},
            self.dimensions,
        )

    def nearest(
        self, question: Sequence[float], allowed: Iterable[AllowedArticles]
    ) -> tuple[SemanticHit, ...]:
        """The allowed articles that are nearest to a question's vector, and nearer than the mean.

        An article's similarity is that of its nearest chunk, by cosine. The nearest come first; ties by id.
        """
        numbers = np.concatenate([np.empty(0, np.int64), *(self._numbers(*pair) for pair in allowed)])
        if not len(numbers):
            return ()
        vector = np.asarray(question, dtype=np.float32)
        similarities = [self.base.similarities(vector), self.additions.similarities(vector)]
        best = self._best_of(similarities, with_sections=False)[numbers].astype(np.float64)
        excess = best - usual_similarity(best)
        nearest = self._best_of(similarities, with_sections=True)[numbers].astype(np.float64)
        usual = usual_similarity(nearest)
        variance = best.var() * len(best) + USUAL_VARIANCE * VARIANCE_ARTICLES
        z_scores = np.round(excess / np.sqrt(variance / (len(best) + VARIANCE_ARTICLES)), 4)
        candidates = np.flatnonzero(z_scores >= lowest_of(z_scores, limits.MAX_SEMANTIC_HITS))
        rows = sorted(
            (-z_scores[row], self._ids[numbers[row]], row) for row in candidates if z_scores[row] > 0
        )[: limits.MAX_SEMANTIC_HITS]
        return tuple(
            replace(
                self._hit(int(numbers[row]), similarities),
                z_score=float(-negative),
                similarity=float(nearest[row]),
                excess=float(nearest[row]) - usual,
            )
            for negative, _, row in rows
        )

    def similarity_of(self, article_id: str, question: Sequence[float]) -> float:
        """The cosine of an article's nearest chunk and a question's vector; 0 without a chunk."""
        number = self._number_of_article.get(article_id)
        if number is None:
            return 0.0
        segment, place = self._place_of(number)
        rows = slice(segment.starts[place], segment.ends[place])
        chunks = VectorSegment(self.dimensions, [article_id], np.zeros(1, np.int64), segment.chunks[rows])
        return float(chunks.similarities(np.asarray(question, dtype=np.float32)).max(initial=0.0))

    def _place_of(self, number: int) -> tuple[VectorSegment, int]:
        """The segment of an article, and the article's number in it."""
        added = number - len(self.base.article_ids)
        return (self.base, number) if added < 0 else (self.additions, added)

    def _best_of(self, similarities: Sequence[Array], *, with_sections: bool) -> Array:
        """float32[articles]: the highest similarity of the article's chunks."""
        pairs = zip((self.base, self.additions), similarities, strict=True)
        return np.concatenate(
            [segment.best_of(values, with_sections=with_sections) for segment, values in pairs]
        )

    def _hit(self, number: int, similarities: Sequence[Array]) -> SemanticHit:
        """The hit of an article by its chunks alone."""
        segment, place = self._place_of(number)
        firsts, lasts = segment.passages_of(place)
        values = similarities[segment is self.additions][segment.starts[place] : segment.ends[place]].tolist()
        shared = np.where(segment.is_section[segment.starts[place] : segment.ends[place]], -1, values)
        nearest = int(shared.argmax())
        return SemanticHit(
            article_id=segment.article_ids[place],
            first=firsts[nearest],
            last=lasts[nearest],
            z_score=0.0,
            firsts=firsts,
            lasts=lasts,
            similarities=values,
        )

    def _numbers(self, segment: Segment, is_allowed: Array) -> Array:
        """The numbers, in this index, of a segment's allowed articles with vectors."""
        if segment not in self._numbers_by_segment:
            numbers = self._number_of_article
            self._numbers_by_segment[segment] = np.fromiter(
                (numbers.get(article.id, -1) for article in segment.articles), np.int64, len(segment.articles)
            )
        numbers_in_segment = self._numbers_by_segment[segment][is_allowed]
        return numbers_in_segment[numbers_in_segment >= 0]

    @cached_property
    def _ids(self) -> list[str]:
        return self.base.article_ids + self.additions.article_ids

    @cached_property
    def _number_of_article(self) -> dict[str, int]:
        # An addition replaces the base's entry for its article.
        return {id: number for number, id in enumerate(self._ids)}

    @cached_property
    def _numbers_by_segment(self) -> WeakKeyDictionary[Segment, Array]:
        return WeakKeyDictionary()


def usual_similarity(values: Array) -> float:
    """The mean of the articles' similarities, shrunk toward the typical one."""
    return float(values.sum() + USUAL_MEAN * MEAN_ARTICLES) / (len(values) + MEAN_ARTICLES)


def lowest_of(values: Array, count: int) -> float:
    """The lowest of the `count` highest values."""
    return float(np.partition(values, -count)[-count] if len(values) > count else values.min())

"""The vectors of a bot's chunks in this process, and the articles nearest to a question by them.

A component of a vector is an integer of 8 bits times the scale of its vector (symmetric scalar quantization):
a quarter of the memory of floats, and a cosine is off by less than 0.002.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from weakref import WeakKeyDictionary

import numpy as np

from instep.core import limits
from instep.llm.embedding import Vector
from instep.search.index.cache import NEVER
from instep.search.index.segment import Array, Segment
from instep.search.semantic.chunks import Chunk
from instep.search.semantic.vectors import EmbeddingState

# Vectors that are multiplied at once: their floats stay in the processor's cache.
BLOCK = 512
# The greatest integer of a component.
MAX_COMPONENT = 127
# Mean and variance of the similarities are shrunk towards usual ones, as if there were a few more articles:
# few articles estimate them badly.
USUAL_MEAN, MEAN_ARTICLES = 0.2, 3
USUAL_VARIANCE, VARIANCE_ARTICLES = 0.01, 10
# A segment, and bool[articles]: which of its articles may be hits.
AllowedArticles = tuple[Segment, Array]


@dataclass(frozen=True, slots=True)
class SemanticHit:
    """An article near to a question in meaning."""

    article_id: str
    # The numbers of the first and the last passage of its nearest chunk.
    first: int
    last: int
    # z-score of the similarity among the bot's articles (0 = mean, 1 = one standard deviation above).
    z_score: float
    # Cosine of the question's vector and that of the nearest chunk. Cursors do not carry it, nor the chunks.
    similarity: float = 0.0
    # How far that is above the mean of the bot's articles. Cursors do not carry it either.
    excess: float = 0.0
    # All its chunks: the numbers of their first and last passages, and their similarities.
    firsts: Sequence[int] = ()
    lasts: Sequence[int] = ()
    similarities: Sequence[float] = ()

    def similarity_of(self, passage: int) -> float:
        """The similarity of the chunks that a passage is part of: that of the nearest, 0 without one."""
        chunks = zip(self.firsts, self.lasts, self.similarities, strict=True)
        return max((value for first, last, value in chunks if first <= passage <= last), default=0.0)


def chunk_dtype(dimensions: int) -> "np.dtype[np.void]":
    """A chunk as it is stored: the hash of its text, its first and last passage, and its vector."""
    return np.dtype(
        [
            ("hash", "V16"),
            ("first", "<u4"),
            ("last", "<u4"),
            ("scale", "<f4"),
            ("vector", "i1", (dimensions,)),
        ]
    )


def read_chunks(data: bytes, dimensions: int) -> Array:
    return np.frombuffer(data, chunk_dtype(dimensions))


def quantized(chunk: Chunk, vector: Vector) -> Array:
    """The stored form of a chunk and its vector of L2 norm 1: an array of one row."""
    # What is no number would make the mean of all articles none: such a chunk is near to nothing.
    components = np.nan_to_num(np.asarray(vector, dtype=np.float32), posinf=0, neginf=0)
    scale = max(np.abs(components).max() / MAX_COMPONENT, np.finfo(np.float32).tiny)
    row = np.empty(1, chunk_dtype(len(vector)))
    row["hash"], row["first"], row["last"] = np.void(chunk.hash), chunk.first, chunk.last
    row["scale"], row["vector"] = scale, np.round(components / scale)
    return row


@dataclass(frozen=True, eq=False)
class VectorIndex:
    """The chunks of a bot's articles with their vectors, article by article, as of a change stamp."""

    model: str
    dimensions: int
    seen: datetime
    article_ids: list[str]
    # uint32[articles]: the row of the article's first chunk; each has at least one.
    starts: Array
    # See `chunk_dtype`.
    chunks: Array

    @classmethod
    def empty(cls, state: EmbeddingState) -> "VectorIndex":
        chunks = np.empty(0, chunk_dtype(state.dimensions))
        return cls(state.model, state.dimensions, NEVER, [], np.empty(0, np.uint32), chunks)

    def is_of(self, state: EmbeddingState) -> bool:
        """Whether its vectors can be compared with those of the state."""
        return (self.model, self.dimensions) == (state.model, state.dimensions)

    @property
    def bytes(self) -> int:
        return int(self.chunks.nbytes)

    def with_articles(self, new: Mapping[str, Array], seen: datetime) -> "VectorIndex":
        """The index with the chunks of these articles in place of those that it has of them."""
        ends = np.append(self.starts[1:], len(self.chunks))
        is_kept = np.fromiter((id not in new for id in self.article_ids), np.bool_, len(self.article_ids))
        lengths = (ends - self.starts)[is_kept]
        kept_chunks = self.chunks if is_kept.all() else self.chunks[np.repeat(is_kept, ends - self.starts)]
        lengths = np.concatenate([lengths, [len(chunks) for chunks in new.values()]])
        return VectorIndex(
            self.model,
            self.dimensions,
            seen,
            [id for id in self.article_ids if id not in new] + list(new),
            (np.cumsum(lengths) - lengths).astype(np.uint32),
            np.concatenate([kept_chunks, *new.values()]),
        )

    def nearest(
        self, question: Sequence[float], allowed: Iterable[AllowedArticles]
    ) -> tuple[SemanticHit, ...]:
        """The allowed articles that are nearest to the vector of a question, and nearer than their mean.

        An article is as near as its nearest chunk, by cosine. The nearest come first; equal ones by their id.
        """
        numbers = np.concatenate([np.empty(0, np.int64), *(self._numbers(*pair) for pair in allowed)])
        if not len(numbers):
            return ()
        similarities = self._similarities(np.asarray(question, dtype=np.float32))
        best = np.maximum.reduceat(similarities, self.starts)[numbers].astype(np.float64)
        excess = best - (best.sum() + USUAL_MEAN * MEAN_ARTICLES) / (len(best) + MEAN_ARTICLES)
        variance = best.var() * len(best) + USUAL_VARIANCE * VARIANCE_ARTICLES
        z_scores = np.round(excess / np.sqrt(variance / (len(best) + VARIANCE_ARTICLES)), 4)
        candidates = np.flatnonzero(z_scores >= lowest_of(z_scores, limits.MAX_SEMANTIC_HITS))
        rows = sorted(
            (-z_scores[row], self.article_ids[numbers[row]], row) for row in candidates if z_scores[row] > 0
        )[: limits.MAX_SEMANTIC_HITS]
        return tuple(
            self._hit(int(numbers[row]), float(-negative), float(excess[row]), similarities)
            for negative, _, row in rows
        )

    def _hit(self, number: int, z_score: float, excess: float, similarities: Array) -> SemanticHit:
        end = self.starts[number + 1] if number + 1 < len(self.starts) else len(self.chunks)
        rows = slice(self.starts[number], end)
        firsts, lasts = (self.chunks[name][rows].tolist() for name in ("first", "last"))
        nearest = int(similarities[rows].argmax())
        return SemanticHit(
            article_id=self.article_ids[number],
            first=firsts[nearest],
            last=lasts[nearest],
            z_score=z_score,
            similarity=float(similarities[rows][nearest]),
            excess=excess,
            firsts=firsts,
            lasts=lasts,
            similarities=similarities[rows].tolist(),
        )

    def _similarities(self, question: Array) -> Array:
        """float32[chunks]: the cosine of the question and each chunk."""
        vectors, products = self.chunks["vector"], np.empty(len(self.chunks), np.float32)
        block = np.empty((BLOCK, self.dimensions), np.float32)
        for start in range(0, len(products), BLOCK):
            end = min(start + BLOCK, len(products))
            floats = block[: end - start]
            np.copyto(floats, vectors[start:end])
            np.dot(floats, question, out=products[start:end])
        similarities: Array = products * self.chunks["scale"]
        return similarities

    def _numbers(self, segment: Segment, is_allowed: Array) -> Array:
        """The numbers, in this index, of the allowed articles of a segment that have vectors."""
        if segment not in self._numbers_by_segment:
            numbers = self._number_of_article
            self._numbers_by_segment[segment] = np.fromiter(
                (numbers.get(article.id, -1) for article in segment.articles), np.int64, len(segment.articles)
            )
        numbers_in_segment = self._numbers_by_segment[segment][is_allowed]
        return numbers_in_segment[numbers_in_segment >= 0]

    @cached_property
    def _number_of_article(self) -> dict[str, int]:
        return {id: number for number, id in enumerate(self.article_ids)}

    @cached_property
    def _numbers_by_segment(self) -> WeakKeyDictionary[Segment, Array]:
        return WeakKeyDictionary()


def lowest_of(values: Array, count: int) -> float:
    """The lowest of the `count` highest values."""
    return float(np.partition(values, -count)[-count] if len(values) > count else values.min())

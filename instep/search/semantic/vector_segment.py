"""The chunks of articles with their vectors in one array, in memory or in a shared file.

A component of a vector is an 8-bit integer times the scale of its vector (symmetric scalar quantization). It
takes a quarter of the memory of floats, and a cosine is off by less than 0.002.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cached_property
from mmap import mmap
from typing import Any

import numpy as np

from instep.platform.llm.embedding import Vector
from instep.search.index.packed_arrays import Array, pack, unpack
from instep.search.semantic.chunks import Chunk

# The layout of `encode_vectors`.
FORMAT = 2
# The number of vectors that are multiplied at once: their floats stay in the processor's cache.
BLOCK = 512
# The greatest integer of a component.
MAX_COMPONENT = 127
# Added to the number of the first passage of a chunk that is a section (`Chunk.is_section`).
SECTION_FLAG = 1 << 31


def chunk_dtype(dimensions: int) -> "np.dtype[np.void]":
    """The stored form of a chunk: the hash of its text, its first and last passage, and its vector.

    For a section, `first` includes `SECTION_FLAG`.
    """
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
    # A NaN would make the mean of all articles NaN, so it becomes 0.
    components = np.nan_to_num(np.asarray(vector, dtype=np.float32), posinf=0, neginf=0)
    scale = max(np.abs(components).max() / MAX_COMPONENT, np.finfo(np.float32).tiny)
    row = np.empty(1, chunk_dtype(len(vector)))
    row["hash"], row["last"] = np.void(chunk.hash), chunk.last
    row["first"] = chunk.first | SECTION_FLAG * chunk.is_section
    row["scale"], row["vector"] = scale, np.round(components / scale)
    return row


@dataclass(frozen=True, eq=False)
class VectorSegment:
    """The chunks of articles, article by article; each article has at least one."""

    dimensions: int
    article_ids: list[str]
    # int64[articles]: the row of the article's first chunk.
    starts: Array
    # See `chunk_dtype`.
    chunks: Array

    @classmethod
    def of(cls, chunks_by_article: Mapping[str, Array], dimensions: int) -> "VectorSegment":
        lengths = np.array([len(chunks) for chunks in chunks_by_article.values()], dtype=np.int64)
        empty = np.empty(0, chunk_dtype(dimensions))
        chunks = np.concatenate([empty, *chunks_by_article.values()])
        return cls(dimensions, list(chunks_by_article), np.cumsum(lengths) - lengths, chunks)

    @cached_property
    def ends(self) -> Array:
        """int64[articles]: the row after the article's last chunk."""
        return np.append(self.starts[1:], len(self.chunks))[: len(self.starts)]

    @cached_property
    def is_section(self) -> Array:
        """bool[chunks]: whether a chunk is a section (`Chunk.is_section`)."""
        sections: Array = self.chunks["first"] >= SECTION_FLAG
        return sections

    def best_of(self, similarities: Array, *, with_sections: bool) -> Array:
        """float32[articles]: the highest similarity of the article's chunks."""
        values = similarities if with_sections else np.where(self.is_section, np.float32(-1), similarities)
        best: Array = np.maximum.reduceat(values, self.starts) if len(values) else values
        return best

    def passages_of(self, place: int) -> tuple[list[int], list[int]]:
        """The numbers of the first and the last passages of an article's chunks."""
        rows = slice(self.starts[place], self.ends[place])
        return (self.chunks["first"][rows] & ~np.uint32(SECTION_FLAG)).tolist(), self.chunks["last"][
            rows
        ].tolist()

    def chunks_by_article(self, *, without: Collection[str] = ()) -> dict[str, Array]:
        """The chunks of each article except these."""
        places = zip(self.article_ids, self.starts.tolist(), self.ends.tolist(), strict=True)
        return {id: self.chunks[start:end] for id, start, end in places if id not in without}

    def similarities(self, question: Array) -> Array:
        """float32[chunks]: the cosine of each chunk's vector and a question's vector of L2 norm 1."""
        vectors, products = self.chunks["vector"], np.empty(len(self.chunks), np.float32)
        block = np.empty((BLOCK, self.dimensions), np.float32)
        for start in range(0, len(products), BLOCK):
            end = min(start + BLOCK, len(products))
            floats = block[: end - start]
            np.copyto(floats, vectors[start:end])
            np.dot(floats, question, out=products[start:end])
        similarities: Array = products * self.chunks["scale"]
        return similarities


def encode_vectors(segment: VectorSegment, model: str) -> bytes:
    """The segment in its file form."""
    header = {**header_of(model, segment.dimensions), "articles": segment.article_ids}
    return pack(header, {"starts": segment.starts, "chunks": segment.chunks})


def decode_vectors(data: bytes | mmap, model: str, dimensions: int) -> VectorSegment | None:
    """The segment from a file, which it keeps in memory; `None` if its vectors are of another model.

    Raises `DamagedIndex` if `encode_vectors` did not produce it.
    """
    packed = unpack(data, header_of(model, dimensions))
    return packed and VectorSegment(
        dimensions,
        packed.header["articles"],
        packed.arrays["starts"],
        packed.arrays["chunks"].view(chunk_dtype(dimensions)),
    )


def header_of(model: str, dimensions: int) -> dict[str, Any]:
    return {"format": FORMAT, "model": model, "dimensions": dimensions}

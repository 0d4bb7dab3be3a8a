"""A segment of a bot's inverted index: which passages have which terms, in flat NumPy arrays."""

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from mmap import mmap
from typing import Any

import numpy as np

from instep.search.index.packed_arrays import Array, pack, unpack
from instep.search.index.stems import language_code

# The version of the stored layout and of how words are read; stored indexes of other versions are rebuilt.
FORMAT = 8
# The flag byte of a posting: its low 7 bits are the capped term frequency; the high bit means that a heading
# above the passage has the term.
MAX_TERM_FREQUENCY, HEADING_FLAG = 127, 128
# An estimate for `IndexedArticle` with its strings.
BYTES_PER_ARTICLE = 400


@dataclass(slots=True)
class IndexedArticle:
    """The data that the index keeps about an article besides its terms."""

    id: str
    locale: str
    # The name of the PostgreSQL text search configuration for its locale.
    config: str
    is_public: bool
    collection_id: str | None
    # Normalized, so that a typed title equals it.
    title: str


@dataclass(frozen=True)
class TermDictionary:
    """Sorted strings, numbered by rank, in one block of UTF-8: a tenth of the memory of a list."""

    data: bytes | mmap
    # uint32[strings]: the end of each string, from the start of the block.
    ends: Array
    # The offset of the block in `data`.
    start: int = 0

    @classmethod
    def of(cls, strings: Sequence[str]) -> "TermDictionary":
        """`strings` must be sorted by their UTF-8 bytes."""
        encoded = [string.encode() for string in strings]
        lengths = [len(string) for string in encoded]
        return cls(b"".join(encoded), np.cumsum(lengths, dtype=np.int64).astype(np.uint32))

    def __len__(self) -> int:
        return len(self.ends)

    @property
    def block(self) -> bytes:
        return self.data[self.start : self.start + self.block_bytes]

    @property
    def block_bytes(self) -> int:
        return int(self.ends[-1]) if len(self.ends) else 0

    def raw(self, number: int) -> bytes:
        start = int(self.ends[number - 1]) if number else 0
        return self.data[self.start + start : self.start + int(self.ends[number])]

    def find(self, string: str) -> int | None:
        raw = string.encode()
        number = bisect_left(range(len(self)), raw, key=self.raw)
        return number if number < len(self) and self.raw(number) == raw else None

    def with_prefix(self, prefix: str) -> range:
        """The numbers of the strings that begin with the prefix."""
        raw = prefix.encode()
        first = bisect_left(range(len(self)), raw, key=self.raw)
        return range(first, bisect_left(range(len(self)), raw + b"\xff", lo=first, key=self.raw))

    def with_suffix(self, suffix: str) -> Iterator[int]:
        """The numbers of the strings that end with the suffix, ascending."""
        raw, end = suffix.encode(), self.start + self.block_bytes
        at = self.data.find(raw, self.start, end)
        while at >= 0:
            last = at - self.start + len(raw)
            number = int(np.searchsorted(self.ends, last))
            if self.ends[number] == last and len(self.raw(number)) >= len(raw):
                yield number
            at = self.data.find(raw, at + 1, end)

    def all(self) -> list[str]:
        return [self.raw(number).decode() for number in range(len(self))]


@dataclass(frozen=True, eq=False)
class Segment:
    """An immutable part of an inverted index: its postings lists and the lengths of its texts.

    Articles, passages and terms are numbered from 0: articles in the order of `articles`, passages article by
    article, terms by their rank in `terms`. The array types are those after `build_segment`; "uint16/32" is
    uint16 if all values fit.
    """

    articles: list[IndexedArticle]
    terms: TermDictionary
    # uint16/32[terms]: the number of articles that have the term, in title, heading or body.
    document_frequency: Array
    # uint32[terms]: the postings of term `t` are the rows from `postings_end[t - 1]` to `postings_end[t]`.
    postings_end: Array
    # uint16/32[postings]: the passage of the row; ascending within a term.
    postings_passage: Array
    # uint8[postings]: see `MAX_TERM_FREQUENCY` and `HEADING_FLAG`.
    postings_flags: Array
    # uint32[title terms]: the terms that occur in titles, ascending.
    title_terms: Array
    # uint32[title terms]: the end of the row's articles in `title_article`.
    title_ends: Array
    # uint16/32[title postings]: the article of the row; ascending within a title term.
    title_article: Array
    # uint16/32[passages]: the article that the passage belongs to.
    article_of_passage: Array
    # uint16[passages]: its words, without stop words; at most 65,535.
    passage_length: Array
    # Words as texts spell them, for prefixes and corrections.
    surface_forms: TermDictionary
    # uint32[surface forms]: the term that the surface form is indexed as.
    term_of_form: Array

    @property
    def size(self) -> int:
        """The number of passages; every article has at least one."""
        return len(self.article_of_passage)

    @cached_property
    def length_norms(self) -> dict[tuple[int, int], tuple[Array, Array]]:
        """A cache of the scorer: its length norms by passage and by article, by the average lengths."""
        return {}

    @cached_property
    def article_numbers(self) -> dict[str, int]:
        """The number of each article by its id."""
        return {article.id: number for number, article in enumerate(self.articles)}

    def numbers_of(self, ids: Iterable[str]) -> list[int]:
        """The numbers of those of the articles that it has."""
        return [self.article_numbers[id] for id in ids if id in self.article_numbers]

    @cached_property
    def languages(self) -> frozenset[tuple[str, str]]:
        """The pairs of locale and configuration that occur."""
        return frozenset((article.locale, article.config) for article in self.articles)

    @cached_property
    def locales(self) -> Array:
        """str[articles]"""
        return np.array([article.locale for article in self.articles])

    @cached_property
    def language_codes(self) -> Array:
        """str[articles]: the letter that the article's terms begin with."""
        return np.array([language_code(article.config) for article in self.articles])

    @cached_property
    def is_public(self) -> Array:
        """bool[articles]"""
        return np.array([article.is_public for article in self.articles], dtype=np.bool_)

    @cached_property
    def collections(self) -> Array:
        """str[articles]: the id of the article's collection, or an empty string."""
        return np.array([article.collection_id or "" for article in self.articles])

    @cached_property
    def title_hashes(self) -> Array:
        """int64[articles]: `hash()` of the normalized title."""
        return np.array([hash(article.title) for article in self.articles], dtype=np.int64)

    @cached_property
    def title_length(self) -> Array:
        """float64[articles]: the distinct terms of the title that are neither stop words nor bigrams."""
        return np.bincount(
            self.title_article, self.is_title_word[self.title_posting_term], len(self.articles)
        )

    @cached_property
    def is_title_word(self) -> Array:
        """bool[title terms]: neither a stop word nor a bigram."""
        terms = map(self.terms.raw, self.title_terms.tolist())
        return np.array([b" " not in term and term[1:2] != b"=" for term in terms], dtype=np.bool_)

    @cached_property
    def title_posting_term(self) -> Array:
        """int64[title postings]: the row of `title_terms` that the posting belongs to."""
        return np.repeat(np.arange(len(self.title_terms)), np.diff(self.title_ends, prepend=0))

    @cached_property
    def title_idf(self) -> Array:
        """float64[title terms]: the term's idf within this segment; 0 for stop words and bigrams."""
        idf = np.log(1 + (len(self.articles) + 1) / (self.document_frequency[self.title_terms] + 0.5))
        return np.where(self.is_title_word, idf, 0)

    @cached_property
    def title_norm(self) -> Array:
        """float64[articles]: the L2 norm of the title's IDF vector; above 0."""
        squares = np.bincount(
            self.title_article, self.title_idf[self.title_posting_term] ** 2, len(self.articles)
        )
        return np.sqrt(np.maximum(squares, 1e-9))

    @cached_property
    def article_length(self) -> Array:
        """float64[articles]: the words of all its passages."""
        return np.bincount(self.article_of_passage, self.passage_length, len(self.articles))

    @cached_property
    def bytes(self) -> int:
        """Approximate memory use; the arrays of a mapped file count in each process."""
        arrays = sum(int(getattr(self, attribute).nbytes) for attribute in ARRAYS.values())
        dictionaries = (self.terms, self.surface_forms)
        strings = sum(dictionary.block_bytes + int(dictionary.ends.nbytes) for dictionary in dictionaries)
        return arrays + strings + BYTES_PER_ARTICLE * len(self.articles)

    @cached_property
    def first_passages(self) -> Array:
        """int64[articles]: the number of the article's first passage."""
        return np.searchsorted(self.article_of_passage, np.arange(len(self.articles)))

    @cached_property
    def passage_counts(self) -> Array:
        """int64[articles]: the number of the article's passages."""
        return np.diff(self.first_passages, append=self.size)

    def passages_of(self, article: int) -> tuple[int, int]:
        """The number of the article's first passage, and of the one after its last."""
        is_last = article + 1 == len(self.articles)
        return int(self.first_passages[article]), self.size if is_last else int(
            self.first_passages[article + 1]
        )

    def best_of(self, scores: Array) -> Array:
        """The highest of the scores of each article's passages, by article number."""
        best: Array = np.maximum.reduceat(scores, self.first_passages) if self.articles else scores
        return best

    def postings(self, term: int) -> slice:
        """The rows of the postings arrays that belong to a term."""
        return slice(int(self.postings_end[term - 1]) if term else 0, int(self.postings_end[term]))

    def title_term_number(self, term: int) -> int | None:
        """The row of a term in `title_terms`; `None` if no title has it."""
        number = int(np.searchsorted(self.title_terms, term))
        return number if number < len(self.title_terms) and self.title_terms[number] == term else None

    def titles_with(self, term: int) -> Array:
        """The articles whose titles have a term."""
        number = self.title_term_number(term)
        return self.titles_of(number) if number is not None else self.title_article[:0]

    def titles_of(self, title_term: int) -> Array:
        """The articles whose titles have the term of a row of `title_terms`."""
        start = int(self.title_ends[title_term - 1]) if title_term else 0
        articles: Array = self.title_article[start : int(self.title_ends[title_term])]
        return articles

    def term_of_surface_form(self, number: int) -> str:
        return self.terms.raw(int(self.term_of_form[number])).decode()


# The attribute that holds each array, by its name in the stored form.
ARRAYS = {
    "document_frequency": "document_frequency",
    "postings_end": "postings_end",
    "postings_passage": "postings_passage",
    "postings_flags": "postings_flags",
    "title_word": "title_terms",
    "title_ends": "title_ends",
    "title_article": "title_article",
    "article_of_passage": "article_of_passage",
    "passage_length": "passage_length",
    "term_of_form": "term_of_form",
}


def build_segment(
    articles: list[IndexedArticle],
    terms: list[str],
    postings: Array,
    title_postings: Array,
    article_of_passage: Array,
    passage_length: Array,
    surface_forms: list[tuple[str, int]],
) -> Segment:
    """A segment from postings in any order, whose terms are numbered by their position in `terms`.

    `postings`: int64[n, 3], rows of term, passage and flag byte; `title_postings`: int64[n, 2], rows of term
    and article; no two rows have the same first two values. `surface_forms`: each with its term. Terms
    without postings are left out.
    """
    used_terms = np.unique(np.concatenate((postings[:, 0], title_postings[:, 0]))).tolist()
    order = sorted(used_terms, key=lambda number: terms[number].encode())
    rank = np.full(len(terms), -1)
    rank[order] = np.arange(len(order))
    passage_count, article_count = max(1, len(article_of_passage)), max(1, len(articles))
    body_term, title_term = rank[postings[:, 0]], rank[title_postings[:, 0]]
    by_term = np.argsort(body_term * passage_count + postings[:, 1], kind="stable")
    by_title_term = np.argsort(title_term * article_count + title_postings[:, 1], kind="stable")
    body_articles = body_term * article_count + article_of_passage[postings[:, 1]]
    title_articles = title_term * article_count + title_postings[:, 1]
    # Each distinct pair of term and article as one number.
    pairs = np.concatenate((body_articles, title_articles))
    pairs.sort(kind="stable")
    pairs = pairs[np.diff(pairs, prepend=-1) > 0]
    distinct_title_terms, title_counts = np.unique(title_term, return_counts=True)
    forms = sorted((form for form in surface_forms if rank[form[1]] >= 0), key=lambda form: form[0].encode())
    return Segment(
        articles=articles,
        terms=TermDictionary.of([terms[number] for number in order]),
        document_frequency=np.bincount(pairs // article_count, minlength=len(order)).astype(
            index_dtype(len(articles))
        ),
        postings_end=np.cumsum(np.bincount(body_term, minlength=len(order))).astype(np.uint32),
        postings_passage=postings[by_term, 1].astype(index_dtype(len(article_of_passage))),
        postings_flags=postings[by_term, 2].astype(np.uint8),
        title_terms=distinct_title_terms.astype(np.uint32),
        title_ends=np.cumsum(title_counts).astype(np.uint32),
        title_article=title_postings[by_title_term, 1].astype(index_dtype(len(articles))),
        article_of_passage=article_of_passage.astype(index_dtype(len(articles))),
        passage_length=passage_length.astype(np.uint16),
        surface_forms=TermDictionary.of([form for form, _ in forms]),
        term_of_form=rank[[term for _, term in forms]].astype(np.uint32),
    )


def index_dtype(count: int) -> type[np.unsignedinteger[Any]]:
    """The smallest type of the numbers up to `count`."""
    return np.uint16 if count <= 65_535 else np.uint32


def merge_segments(segments: Sequence[tuple[Segment, Array]]) -> Segment:
    """One segment with the live articles of several; bool[articles] marks the live articles of each."""
    term_numbers: dict[str, int] = {}
    articles: list[IndexedArticle] = []
    postings, title_postings, articles_of_passages, lengths = [], [], [], []
    surface_forms: dict[tuple[str, int], None] = {}
    passage_count = 0
    for segment, live_docs in segments:
        new_term = np.array(
            [term_numbers.setdefault(term, len(term_numbers)) for term in segment.terms.all()], dtype=np.int64
        )
        new_article = np.cumsum(live_docs) - 1 + len(articles)
        is_live = live_docs[segment.article_of_passage]
        new_passage = np.cumsum(is_live) - 1 + passage_count
        term_of_posting = np.repeat(np.arange(len(segment.terms)), np.diff(segment.postings_end, prepend=0))
        columns = (
            new_term[term_of_posting],
            new_passage[segment.postings_passage],
            segment.postings_flags,
        )
        is_live_posting = is_live[segment.postings_passage]
        postings.append(np.stack([column[is_live_posting].astype(np.int64) for column in columns], axis=1))
        title_term = segment.title_terms[segment.title_posting_term]
        is_live_title = live_docs[segment.title_article]
        title_postings.append(
            np.stack(
                [new_term[title_term][is_live_title], new_article[segment.title_article][is_live_title]],
                axis=1,
            )
        )
        articles_of_passages.append(new_article[segment.article_of_passage[is_live]])
        lengths.append(segment.passage_length[is_live].astype(np.int64))
        new_term_of_form = new_term[segment.term_of_form].tolist()
        surface_forms.update(dict.fromkeys(zip(segment.surface_forms.all(), new_term_of_form, strict=True)))
        articles += [article for article, alive in zip(segment.articles, live_docs, strict=True) if alive]
        passage_count += int(is_live.sum())
    return build_segment(
        articles,
        list(term_numbers),
        np.concatenate(postings),
        np.concatenate(title_postings),
        np.concatenate(articles_of_passages),
        np.concatenate(lengths),
        list(surface_forms),
    )


def encode_segment(segment: Segment) -> bytes:
    """The segment in its stored form."""
    arrays = {name: getattr(segment, attribute) for name, attribute in ARRAYS.items()}
    arrays |= {"word_ends": segment.terms.ends, "form_ends": segment.surface_forms.ends}
    arrays |= {
        "words": np.frombuffer(segment.terms.block, dtype=np.uint8),
        "forms": np.frombuffer(segment.surface_forms.block, dtype=np.uint8),
    }
    articles = [(a.id, a.locale, a.config, a.is_public, a.collection_id, a.title) for a in segment.articles]
    return pack({"format": FORMAT, "articles": articles}, arrays)


def decode_segment(data: bytes | mmap) -> Segment | None:
    """The segment from stored bytes, which it keeps in memory; `None` if another version stored them.

    Raises `DamagedIndex` if `encode_segment` did not produce them.
    """
    packed = unpack(data, {"format": FORMAT})
    return packed and Segment(
        articles=[IndexedArticle(*row) for row in packed.header["articles"]],
        terms=TermDictionary(data, packed.arrays["word_ends"], packed.starts["words"]),
        surface_forms=TermDictionary(data, packed.arrays["form_ends"], packed.starts["forms"]),
        **{attribute: packed.arrays[name] for name, attribute in ARRAYS.items()},
    )

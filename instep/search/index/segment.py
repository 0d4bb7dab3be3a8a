"""A part of a bot's index: which passages hold which words, as flat arrays that are quick to read."""

import json
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from instep.search.index.stems import LANGUAGE_CODES

Array = npt.NDArray[Any]
FORMAT = 2
# Of a row's mark: how often, and whether in a heading above.
MAX_TERM_FREQUENCY, HEADING_FLAG = 127, 128


@dataclass(slots=True)
class Article:
    """What the index knows of an article beside its words."""

    id: str
    locale: str
    config: str
    is_public: bool
    collection_id: str | None
    # Equal where titles are the same to somebody who types one.
    title: str


@dataclass(frozen=True)
class TermDictionary:
    """Sorted words in one piece of memory: a tenth of what a list of them takes."""

    data: bytes
    ends: Array

    @classmethod
    def of(cls, words: Sequence[str]) -> "TermDictionary":
        encoded = [word.encode() for word in words]
        return cls(
            b"".join(encoded), np.cumsum([len(word) for word in encoded], dtype=np.int64).astype(np.uint32)
        )

    def __len__(self) -> int:
        return len(self.ends)

    def raw(self, number: int) -> bytes:
        start = int(self.ends[number - 1]) if number else 0
        return self.data[start : int(self.ends[number])]

    def find(self, word: str) -> int | None:
        raw = word.encode()
        at = bisect_left(range(len(self)), raw, key=self.raw)
        return at if at < len(self) and self.raw(at) == raw else None

    def beginning_with(self, word: str) -> range:
        raw = word.encode()
        first = bisect_left(range(len(self)), raw, key=self.raw)
        return range(first, bisect_left(range(len(self)), raw + b"\xff", lo=first, key=self.raw))

    def all(self) -> list[str]:
        return [self.raw(number).decode() for number in range(len(self))]

    def character_mask(self, places: range) -> Array:
        """Of each of these words the letters that it has: a bit for each of 64 kinds of bytes."""
        if not places:
            return np.zeros(0, dtype=np.uint64)
        ends = self.ends[places.start : places.stop].astype(np.int64)
        start = int(self.ends[places.start - 1]) if places.start else 0
        letters = np.frombuffer(self.data, np.uint8, int(ends[-1]) - start, start)
        bits = np.uint64(1) << (letters & 63).astype(np.uint64)
        found: Array = np.bitwise_or.reduceat(bits, np.concatenate(([0], ends[:-1] - start)))
        return found


@dataclass(frozen=True)
class Segment:
    """Articles `0..`, passages `0..` in the articles' order, words `0..` in their own."""

    articles: list[Article]
    words: TermDictionary
    # Of each word: in how many articles it is, and where its rows end in the arrays below.
    document_frequency: Array
    postings_end: Array
    postings_passage: Array
    postings_flags: Array
    # Few words are in titles: which, and where the articles of each end.
    title_word: Array
    title_ends: Array
    title_article: Array
    # Of each passage: its article, and how many words it has.
    article_of_passage: Array
    passage_length: Array
    # Words as they are written, and what they are read as.
    surface_forms: TermDictionary
    term_of_form: Array

    @property
    def size(self) -> int:
        return len(self.article_of_passage)

    @cached_property
    def length_norms(self) -> dict[tuple[int, int], tuple[Array, Array]]:
        """By how long texts of the bot usually are: what the ranking makes of the lengths of these."""
        return {}

    @cached_property
    def article_numbers(self) -> dict[str, int]:
        """Of each article its number."""
        return {article.id: place for place, article in enumerate(self.articles)}

    @cached_property
    def languages(self) -> frozenset[tuple[str, str]]:
        """Each locale, and how it is read."""
        return frozenset((article.locale, article.config) for article in self.articles)

    @cached_property
    def locales(self) -> Array:
        return np.array([article.locale for article in self.articles])

    @cached_property
    def letters(self) -> Array:
        return np.array([LANGUAGE_CODES.get(article.config, "A") for article in self.articles])

    @cached_property
    def is_public(self) -> Array:
        return np.array([article.is_public for article in self.articles], dtype=np.bool_)

    @cached_property
    def collections(self) -> Array:
        return np.array([article.collection_id or "" for article in self.articles])

    @cached_property
    def title_marks(self) -> Array:
        return np.array([hash(article.title) for article in self.articles], dtype=np.int64)

    @cached_property
    def title_length(self) -> Array:
        """How many words each title has, without those that its language leaves out."""
        return np.bincount(
            self.title_article, self.is_title_word[self.title_posting_term], len(self.articles)
        )

    @cached_property
    def is_title_word(self) -> Array:
        """Of each word in titles: neither one that its language leaves out nor a pair."""
        words = map(self.words.raw, self.title_word.tolist())
        return np.array([b" " not in word and word[1:2] != b"=" for word in words], dtype=np.bool_)

    @cached_property
    def title_posting_term(self) -> Array:
        """Of each row of titles the place of its word among those in titles."""
        return np.repeat(np.arange(len(self.title_word)), np.diff(self.title_ends, prepend=0))

    @cached_property
    def title_idf(self) -> Array:
        """Of each word in titles, as far as this part of the index tells."""
        rarity = np.log(1 + (len(self.articles) + 1) / (self.document_frequency[self.title_word] + 0.5))
        return np.where(self.is_title_word, rarity, 0)

    @cached_property
    def title_norm(self) -> Array:
        """Of each title: what its words are worth together."""
        squares = np.bincount(
            self.title_article, self.title_idf[self.title_posting_term] ** 2, len(self.articles)
        )
        return np.sqrt(np.maximum(squares, 1e-9))

    @cached_property
    def article_length(self) -> Array:
        return np.bincount(self.article_of_passage, self.passage_length, len(self.articles))

    @cached_property
    def bytes(self) -> int:
        arrays = sum(int(getattr(self, name).nbytes) for name in ARRAYS)
        names = sum(len(names.data) + int(names.ends.nbytes) for names in (self.words, self.surface_forms))
        return arrays + names + 400 * len(self.articles)

    @cached_property
    def first_passages(self) -> Array:
        """Of each article; none is without a passage, and those of one stand together."""
        return np.searchsorted(self.article_of_passage, np.arange(len(self.articles)))

    def passages_of(self, place: int) -> tuple[int, int]:
        """Where those of an article begin and end."""
        is_last = place + 1 == len(self.articles)
        return int(self.first_passages[place]), self.size if is_last else int(self.first_passages[place + 1])

    def best_of(self, scores: Array) -> Array:
        """Of each article the highest score of a passage."""
        found: Array = np.maximum.reduceat(scores, self.first_passages) if self.articles else scores
        return found

    def body(self, word: int) -> slice:
        return slice(int(self.postings_end[word - 1]) if word else 0, int(self.postings_end[word]))

    def in_titles(self, word: int) -> int | None:
        """The word's place among those in titles."""
        place = int(np.searchsorted(self.title_word, word))
        return place if place < len(self.title_word) and self.title_word[place] == word else None

    def titles(self, word: int) -> Array:
        place = self.in_titles(word)
        return self.titles_at(place) if place is not None else self.title_article[:0]

    def titles_at(self, place: int) -> Array:
        start = int(self.title_ends[place - 1]) if place else 0
        found: Array = self.title_article[start : int(self.title_ends[place])]
        return found


ARRAYS = (
    *(
        "document_frequency",
        "postings_end",
        "postings_passage",
        "postings_flags",
        "title_word",
        "title_ends",
        "title_article",
    ),
    *("article_of_passage", "passage_length", "term_of_form"),
)


def build_segment(
    articles: list[Article],
    words: list[str],
    body: Array,
    titles: Array,
    owner: Array,
    length: Array,
    forms: list[tuple[str, int]],
) -> Segment:
    """A segment of rows in any order: (word, passage, mark) and (word, article)."""
    order = sorted(range(len(words)), key=lambda number: words[number].encode())
    renumbered = np.empty(len(words), dtype=np.int64)
    renumbered[order] = np.arange(len(words))
    body_word, title_word = renumbered[body[:, 0]], renumbered[titles[:, 0]]
    by_word = np.argsort(body_word * max(1, len(owner)) + body[:, 1], kind="stable")
    by_title = np.argsort(title_word * max(1, len(articles)) + titles[:, 1], kind="stable")
    many = max(1, len(articles))
    held = np.concatenate((body_word * many + owner[body[:, 1]], title_word * many + titles[:, 1]))
    held.sort(kind="stable")
    held = held[np.diff(held, prepend=-1) > 0]
    in_titles, title_counts = np.unique(title_word, return_counts=True)
    forms.sort(key=lambda form: form[0].encode())
    return Segment(
        articles=articles,
        words=TermDictionary.of([words[number] for number in order]),
        document_frequency=np.bincount(held // many, minlength=len(words)).astype(smallest(len(articles))),
        postings_end=np.cumsum(np.bincount(body_word, minlength=len(words))).astype(np.uint32),
        postings_passage=body[by_word, 1].astype(smallest(len(owner))),
        postings_flags=body[by_word, 2].astype(np.uint8),
        title_word=in_titles.astype(np.uint32),
        title_ends=np.cumsum(title_counts).astype(np.uint32),
        title_article=titles[by_title, 1].astype(smallest(len(articles))),
        article_of_passage=owner.astype(smallest(len(articles))),
        passage_length=length.astype(np.uint16),
        surface_forms=TermDictionary.of([form for form, _ in forms]),
        term_of_form=renumbered[[word for _, word in forms]].astype(np.uint32),
    )


def smallest(count: int) -> type[np.unsignedinteger[Any]]:
    return np.uint16 if count <= 65_535 else np.uint32


def merge(parts: Sequence[tuple[Segment, Array]]) -> Segment:
    """One segment of several, with the articles that live in each: its mask."""
    words: dict[str, int] = {}
    articles: list[Article] = []
    body, titles, owners, lengths = [], [], [], []
    forms: dict[tuple[str, int], None] = {}
    passages = 0
    for part, lives in parts:
        number = np.array([words.setdefault(word, len(words)) for word in part.words.all()], dtype=np.int64)
        new_article = np.cumsum(lives) - 1 + len(articles)
        stays = lives[part.article_of_passage]
        new_passage = np.cumsum(stays) - 1 + passages
        word_of = np.repeat(np.arange(len(part.words)), np.diff(part.postings_end, prepend=0))
        kept = stays[part.postings_passage]
        columns = (number[word_of], new_passage[part.postings_passage], part.postings_flags)
        body.append(np.stack([column[kept].astype(np.int64) for column in columns], axis=1))
        title_word = part.title_word[part.title_posting_term]
        kept = lives[part.title_article]
        titles.append(np.stack([number[title_word][kept], new_article[part.title_article][kept]], axis=1))
        owners.append(new_article[part.article_of_passage[stays]])
        lengths.append(part.passage_length[stays].astype(np.int64))
        forms.update(
            dict.fromkeys(zip(part.surface_forms.all(), number[part.term_of_form].tolist(), strict=True))
        )
        articles += [article for article, alive in zip(part.articles, lives, strict=True) if alive]
        passages += int(stays.sum())
    return without_unused(
        articles, list(words), np.concatenate(body), np.concatenate(titles), owners, lengths, list(forms)
    )


def without_unused(
    articles: list[Article],
    words: list[str],
    body: Array,
    titles: Array,
    owners: list[Array],
    lengths: list[Array],
    forms: list[tuple[str, int]],
) -> Segment:
    """Words that nothing holds any more are forgotten."""
    used = np.zeros(len(words), dtype=np.bool_)
    used[body[:, 0]] = True
    used[titles[:, 0]] = True
    number = np.cumsum(used) - 1
    body[:, 0], titles[:, 0] = number[body[:, 0]], number[titles[:, 0]]
    return build_segment(
        articles,
        [word for word, is_used in zip(words, used, strict=True) if is_used],
        body,
        titles,
        np.concatenate(owners),
        np.concatenate(lengths),
        [(form, int(number[word])) for form, word in forms if used[word]],
    )


def pack(segment: Segment) -> bytes:
    """The segment as bytes, for the database."""
    columns = {name: getattr(segment, name) for name in ARRAYS}
    columns |= {"word_ends": segment.words.ends, "form_ends": segment.surface_forms.ends}
    columns |= {
        "words": np.frombuffer(segment.words.data, dtype=np.uint8),
        "forms": np.frombuffer(segment.surface_forms.data, dtype=np.uint8),
    }
    articles = [(a.id, a.locale, a.config, a.is_public, a.collection_id, a.title) for a in segment.articles]
    head = {
        "format": FORMAT,
        "articles": articles,
        "arrays": [(name, array.dtype.str, len(array)) for name, array in columns.items()],
    }
    encoded = json.dumps(head).encode()
    return b"".join(
        (len(encoded).to_bytes(4, "big"), encoded, *(array.tobytes() for array in columns.values()))
    )


def unpack(data: bytes) -> Segment | None:
    """The segment that these bytes are; None for those of another version of Instep."""
    end = 4 + int.from_bytes(data[:4], "big")
    head = json.loads(data[4:end])
    if head["format"] != FORMAT:
        return None
    columns = dict(read_arrays(data, end, head["arrays"]))
    return Segment(
        articles=[Article(*row) for row in head["articles"]],
        words=TermDictionary(columns["words"].tobytes(), columns["word_ends"]),
        surface_forms=TermDictionary(columns["forms"].tobytes(), columns["form_ends"]),
        **{name: columns[name] for name in ARRAYS},
    )


def read_arrays(data: bytes, start: int, arrays: list[tuple[str, str, int]]) -> Iterator[tuple[str, Array]]:
    for name, kind, count in arrays:
        dtype = np.dtype(kind)
        # Copied, so that what is kept does not hold the whole of what was read.
        yield name, np.frombuffer(data, dtype, count, start).copy()
        start += count * dtype.itemsize

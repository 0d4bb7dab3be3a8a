"""A part of a bot's index: which passages hold which words, as flat arrays that are quick to read."""

import json
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from instep.search.stems import LETTERS

Array = npt.NDArray[Any]
FORMAT = 1


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


@dataclass(slots=True)
class Piece:
    """The words of a passage, by how often it holds them, and those of the headings above it."""

    words: Counter[str]
    headings: frozenset[str]


@dataclass(slots=True)
class Document:
    """An article as its words; a word here is a key: its language and what that reads it as."""

    article: Article
    title: frozenset[str]
    pieces: list[Piece]
    # Each word as it is written, in small letters, and its key.
    forms: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Names:
    """Sorted words in one piece of memory: a tenth of what a list of them takes."""

    data: bytes
    ends: Array

    @classmethod
    def of(cls, words: Sequence[str]) -> "Names":
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

    @cached_property
    def letters(self) -> Array:
        """Of each word the letters that it has: a bit for each of 64 kinds of bytes."""
        if not len(self):
            return np.zeros(0, dtype=np.uint64)
        bits = np.uint64(1) << (np.frombuffer(self.data, np.uint8) & 63).astype(np.uint64)
        starts = np.concatenate(([0], self.ends[:-1])).astype(np.int64)
        found: Array = np.bitwise_or.reduceat(bits, starts)
        return found


@dataclass(frozen=True)
class Segment:
    """Articles `0..`, passages `0..` in the articles' order, words `0..` in their own."""

    articles: list[Article]
    words: Names
    # Of each word: in how many articles it is, and where its rows end in the arrays below.
    spread: Array
    body_ends: Array
    body_passage: Array
    body_count: Array
    is_heading: Array
    title_ends: Array
    title_article: Array
    # Of each passage: its article, and how many words it has.
    owner: Array
    length: Array
    # Words as they are written, and what they are read as.
    forms: Names
    form_word: Array

    @property
    def size(self) -> int:
        return len(self.owner)

    @cached_property
    def languages(self) -> frozenset[tuple[str, str]]:
        """Each locale, and how it is read."""
        return frozenset((article.locale, article.config) for article in self.articles)

    @cached_property
    def locales(self) -> Array:
        return np.array([article.locale for article in self.articles])

    @cached_property
    def letters(self) -> Array:
        return np.array([LETTERS.get(article.config, "A") for article in self.articles])

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
        return np.bincount(self.title_article, self.is_title_word[self.word_of_title], len(self.articles))

    @cached_property
    def is_title_word(self) -> Array:
        words = self.words.all()
        return np.array([" " not in word and not word.startswith("=", 1) for word in words], dtype=np.bool_)

    @cached_property
    def word_of_title(self) -> Array:
        return np.repeat(np.arange(len(self.words)), np.diff(self.title_ends, prepend=0))

    @cached_property
    def rarity(self) -> Array:
        """Of each word of titles, as far as this part of the index tells."""
        rarity = np.log(1 + (len(self.articles) + 1) / (self.spread + 0.5))
        return np.where(self.is_title_word, rarity, 0)

    @cached_property
    def title_weight(self) -> Array:
        """Of each title: what its words are worth together."""
        squares = np.bincount(self.title_article, self.rarity[self.word_of_title] ** 2, len(self.articles))
        return np.sqrt(np.maximum(squares, 1e-9))

    @cached_property
    def article_length(self) -> Array:
        return np.bincount(self.owner, self.length, len(self.articles))

    @cached_property
    def bytes(self) -> int:
        arrays = sum(int(getattr(self, name).nbytes) for name in ARRAYS)
        names = sum(len(names.data) + int(names.ends.nbytes) for names in (self.words, self.forms))
        return arrays + names + 400 * len(self.articles)

    def body(self, word: int) -> slice:
        return slice(int(self.body_ends[word - 1]) if word else 0, int(self.body_ends[word]))

    def titles(self, word: int) -> Array:
        start = int(self.title_ends[word - 1]) if word else 0
        found: Array = self.title_article[start : int(self.title_ends[word])]
        return found


ARRAYS = (
    *("spread", "body_ends", "body_passage", "body_count", "is_heading", "title_ends", "title_article"),
    *("owner", "length", "form_word"),
)


def build(documents: Sequence[Document]) -> Segment:
    """The segment of these articles."""
    numbers: defaultdict[str, int] = defaultdict()
    numbers.default_factory = numbers.__len__
    body: list[Array] = []
    titles: list[Array] = []
    owner: list[int] = []
    length: list[int] = []
    forms: dict[tuple[str, str], None] = {}
    for place, document in enumerate(documents):
        forms.update(dict.fromkeys(document.forms.items()))
        titles.append(rows_of(numbers, document.title, place))
        for piece in document.pieces:
            body.append(rows_of(numbers, piece.words, len(owner), piece.words.values(), piece.headings))
            only_above = piece.headings - piece.words.keys()
            body.append(rows_of(numbers, only_above, len(owner), [0] * len(only_above), piece.headings))
            owner.append(place)
            length.append(min(65_535, piece.words.total()))
    return arrange(
        [document.article for document in documents],
        list(numbers),
        np.concatenate([np.zeros((0, 4), dtype=np.int64), *body]),
        np.concatenate([np.zeros((0, 2), dtype=np.int64), *titles]),
        np.array(owner, dtype=np.int64),
        np.array(length, dtype=np.int64),
        [(form, numbers[key]) for form, key in forms if key in numbers],
    )


def rows_of(
    numbers: defaultdict[str, int],
    keys: Collection[str],
    place: int,
    counts: Collection[int] | None = None,
    headings: frozenset[str] = frozenset(),
) -> Array:
    """A row for each word: its number and its place, and of a passage how often, and whether in a heading."""
    rows = np.empty((len(keys), 2 if counts is None else 4), dtype=np.int64)
    rows[:, 0] = [numbers[key] for key in keys]
    rows[:, 1] = place
    if counts is not None:
        rows[:, 2] = np.minimum(np.fromiter(counts, np.int64, len(counts)), 255)
        rows[:, 3] = [key in headings for key in keys] if headings else 0
    return rows


def arrange(
    articles: list[Article],
    words: list[str],
    body: Array,
    titles: Array,
    owner: Array,
    length: Array,
    forms: list[tuple[str, int]],
) -> Segment:
    """A segment of rows in any order: (word, passage, count, is heading) and (word, article)."""
    order = sorted(range(len(words)), key=lambda number: words[number].encode())
    renumbered = np.empty(len(words), dtype=np.int64)
    renumbered[order] = np.arange(len(words))
    body_word, title_word = renumbered[body[:, 0]], renumbered[titles[:, 0]]
    by_word = np.argsort(body_word * max(1, len(owner)) + body[:, 1], kind="stable")
    by_title = np.argsort(title_word * max(1, len(articles)) + titles[:, 1], kind="stable")
    many = max(1, len(articles))
    held = np.concatenate((body_word * many + owner[body[:, 1]], title_word * many + titles[:, 1]))
    held.sort()
    held = held[np.diff(held, prepend=-1) > 0]
    forms.sort(key=lambda form: form[0].encode())
    return Segment(
        articles=articles,
        words=Names.of([words[number] for number in order]),
        spread=np.bincount(held // many, minlength=len(words)).astype(np.uint32),
        body_ends=np.cumsum(np.bincount(body_word, minlength=len(words))).astype(np.uint32),
        body_passage=body[by_word, 1].astype(smallest(len(owner))),
        body_count=body[by_word, 2].astype(np.uint8),
        is_heading=body[by_word, 3].astype(np.bool_),
        title_ends=np.cumsum(np.bincount(title_word, minlength=len(words))).astype(np.uint32),
        title_article=titles[by_title, 1].astype(smallest(len(articles))),
        owner=owner.astype(smallest(len(articles))),
        length=length.astype(np.uint16),
        forms=Names.of([form for form, _ in forms]),
        form_word=renumbered[[word for _, word in forms]].astype(np.uint32),
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
        stays = lives[part.owner]
        new_passage = np.cumsum(stays) - 1 + passages
        word_of = np.repeat(np.arange(len(part.words)), np.diff(part.body_ends, prepend=0))
        kept = stays[part.body_passage]
        columns = (number[word_of], new_passage[part.body_passage], part.body_count, part.is_heading)
        body.append(np.stack([column[kept].astype(np.int64) for column in columns], axis=1))
        title_word = np.repeat(np.arange(len(part.words)), np.diff(part.title_ends, prepend=0))
        kept = lives[part.title_article]
        titles.append(np.stack([number[title_word][kept], new_article[part.title_article][kept]], axis=1))
        owners.append(new_article[part.owner[stays]])
        lengths.append(part.length[stays].astype(np.int64))
        forms.update(dict.fromkeys(zip(part.forms.all(), number[part.form_word].tolist(), strict=True)))
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
    return arrange(
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
    columns |= {"word_ends": segment.words.ends, "form_ends": segment.forms.ends}
    columns |= {
        "words": np.frombuffer(segment.words.data, dtype=np.uint8),
        "forms": np.frombuffer(segment.forms.data, dtype=np.uint8),
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
        words=Names(columns["words"].tobytes(), columns["word_ends"]),
        forms=Names(columns["forms"].tobytes(), columns["form_ends"]),
        **{name: columns[name] for name in ARRAYS},
    )


def read_arrays(data: bytes, start: int, arrays: list[tuple[str, str, int]]) -> Iterator[tuple[str, Array]]:
    for name, kind, count in arrays:
        dtype = np.dtype(kind)
        # Copied, so that what is kept does not hold the whole of what was read.
        yield name, np.frombuffer(data, dtype, count, start).copy()
        start += count * dtype.itemsize

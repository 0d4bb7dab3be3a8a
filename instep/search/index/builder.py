"""An article as the words that it is found by."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import chain, pairwise

import numpy as np

from instep.search.index.passages import Section, split, without_links
from instep.search.index.segment import (
    HEADING_FLAG,
    MAX_TERM_FREQUENCY,
    Array,
    Article,
    Segment,
    build_segment,
)
from instep.search.index.stems import LANGUAGE_CODES, Stems, index_term
from instep.search.query.tokens import MAX_WORD_CHARACTERS, title_of, tokenize

# Of an article so much is searched; a text with too many different words is searched up to there.
MAX_INDEXED_CHARACTERS = 250_000
MAX_INDEXED_PASSAGES = 600
REPEATED_AT_ONCE = 1_000
# What stands around words in texts.
AROUND = ".,;:!?()[]\"'*`"


@dataclass(slots=True)
class ArticleChange:
    """A changed article; without a text when it is no longer live."""

    id: str
    is_live: bool
    locale: str
    config: str
    is_public: bool
    collection_id: str | None
    title: str
    description: str | None
    markdown: str | None
    changed_at: datetime


# What a piece of text holds, in any order: words by themselves, and names in code as words in theirs. They
# are so many that they are plain tuples, which the collector lets be.
Words = tuple[tuple[str, ...], tuple[tuple[str, ...], ...]]


def words_of(chunk: str) -> Words:
    bare = chunk.strip(AROUND)
    # Nearly all there is, so at once.
    if bare.isalnum() and bare.isascii() and (bare.islower() or bare.istitle()):
        return (bare.lower()[:MAX_WORD_CHARACTERS],), ()
    chunks = [tuple(words) for words in tokenize(chunk)]
    return (
        tuple(words[0] for words in chunks if len(words) == 1),
        tuple(words for words in chunks if len(words) > 1),
    )


def all_of(words: Words) -> Iterator[str]:
    return chain(words[0], *words[1])


def keys_of(words: Words, letter: str, stems: Stems) -> tuple[str, ...]:
    """The words as a language reads them, and each pair of words in a name in code."""
    alone, named = words
    keys = [letter + stem for word in alone if (stem := stems[word])]
    for together in named:
        read = [stems[word] for word in together]
        keys += [letter + stem for stem in read if stem]
        keys += [f"{letter}{first} {second}" for first, second in pairwise(read) if first and second]
    return tuple(keys)


class TokenIds(dict[str, int]):
    """What stands between blanks in texts of one language: each is numbered when it is met first.

    A text says the same again and again, so that what it says is read once and then only counted.
    """

    def __init__(self, config: str, met: list[tuple[str, str]]) -> None:
        super().__init__()
        self.config = config
        self.surface_forms = met

    def __missing__(self, chunk: str) -> int:
        number = self[chunk] = len(self.surface_forms)
        self.surface_forms.append((self.config, chunk))
        return number

    def of(self, text: str) -> list[int]:
        return list(map(self.__getitem__, text.split()))


@dataclass(slots=True)
class TokenBuffer:
    """Texts one after the other, as the numbers of their chunks."""

    packed: list[Array] = field(default_factory=list)
    lengths: list[int] = field(default_factory=list)
    added: list[int] = field(default_factory=list)

    def add(self, text: list[int]) -> None:
        self.added += text
        self.lengths.append(len(text))

    def pack(self) -> None:
        """Little by little: while a long list becomes an array, nothing else goes on."""
        self.packed.append(np.array(self.added, dtype=np.int64))
        self.added = []

    @property
    def chunks(self) -> Array:
        return np.concatenate((np.zeros(0, dtype=np.int64), *self.packed))

    @property
    def owners(self) -> Array:
        """Of each chunk the text that it is in."""
        return repeated(np.arange(len(self.lengths)), np.array(self.lengths, dtype=np.int64))


@dataclass(slots=True)
class SegmentBuilder:
    """Live articles, taken apart: the more of them together, the less is left to read in each."""

    articles: list[Article] = field(default_factory=list)
    titles: TokenBuffer = field(default_factory=TokenBuffer)
    # Of each passage: what stands above it, and itself; then the article that it is of.
    headings: TokenBuffer = field(default_factory=TokenBuffer)
    bodies: TokenBuffer = field(default_factory=TokenBuffer)
    owners: list[int] = field(default_factory=list)
    # Of each chunk its language and its words, and how it is written.
    chunks: list[tuple[str, Words]] = field(default_factory=list)
    surface_forms: list[tuple[str, str]] = field(default_factory=list)
    token_cache: dict[str, TokenIds] = field(default_factory=dict)

    def add(self, rows: Sequence[ArticleChange]) -> None:
        for row in rows:
            self.take_apart(row)
        self.chunks += [(config, words_of(chunk)) for config, chunk in self.surface_forms[len(self.chunks) :]]
        for pile in (self.titles, self.headings, self.bodies):
            pile.pack()

    def take_apart(self, row: ArticleChange) -> None:
        chunks = self.token_cache.setdefault(row.config, TokenIds(row.config, self.surface_forms))
        title = title_of(row.title)[:200]
        for section in sections_of(row.description, row.markdown or ""):
            self.headings.add(chunks.of(" ".join(section.headings)))
            self.bodies.add(chunks.of(without_links(section.markdown)))
            self.owners.append(len(self.articles))
        self.titles.add(chunks.of(row.title[:1_000]))
        self.articles.append(Article(row.id, row.locale, row.config, row.is_public, row.collection_id, title))

    def words(self) -> dict[str, set[str]]:
        """By language."""
        found: dict[str, set[str]] = {}
        for config, words in self.chunks:
            found.setdefault(config, set()).update(all_of(words))
        return found


def sections_of(description: str | None, markdown: str) -> list[Section]:
    """What an article has to say, its description first, which counts as much as a heading."""
    first = [Section((description,), None, description)] if description else []
    return [*first, *split(markdown[:MAX_INDEXED_CHARACTERS], MAX_INDEXED_PASSAGES)] or [
        Section((), None, "")
    ]


def segment_of(texts: SegmentBuilder, stems: dict[str, Stems]) -> Segment:
    """The texts as their words; a word here is a key: its language and what that reads it as."""
    read = [keys_of(words, LANGUAGE_CODES.get(config, "A"), stems[config]) for config, words in texts.chunks]
    left_out = list(left_out_of_titles(texts, stems))
    words = sorted(set(chain(chain.from_iterable(read), (key for _, key in left_out))))
    numbers = {word: number for number, word in enumerate(words)}
    keys = TermIds.of(read, numbers)
    body_word, body_passage = keys.held(texts.bodies)
    title_word, title_article = keys.held(texts.titles)
    articles, passages = len(texts.articles), len(texts.owners)
    titles = np.concatenate(
        (
            title_word * max(1, articles) + title_article,
            np.array([numbers[key] * articles + place for place, key in left_out], dtype=np.int64),
        )
    )
    return build_segment(
        texts.articles,
        words,
        rows_of(body_word, body_passage, *keys.held(texts.headings), passages),
        np.stack(np.divmod(np.unique(titles), max(1, articles)), axis=1),
        np.array(texts.owners, dtype=np.int64),
        np.minimum(np.bincount(body_passage, minlength=passages), 65_535),
        list(dict.fromkeys(forms_of(texts, stems, numbers))),
    )


def forms_of(
    texts: SegmentBuilder, stems: dict[str, Stems], numbers: dict[str, int]
) -> Iterator[tuple[str, int]]:
    """Words as they are written, each with what it is read as."""
    for config, words in texts.words().items():
        letter, known = LANGUAGE_CODES.get(config, "A"), stems[config]
        yield from ((word, numbers[letter + stem]) for word in words if (stem := known[word]))


@dataclass(frozen=True, slots=True)
class TermIds:
    """What each chunk is read as: where its keys begin among all, and how many it has."""

    keys: Array
    starts: Array
    counts: Array

    @classmethod
    def of(cls, read: Sequence[Sequence[str]], numbers: dict[str, int]) -> "TermIds":
        counts = np.array([len(keys) for keys in read], dtype=np.int64)
        keys = np.fromiter((numbers[key] for keys in read for key in keys), dtype=np.int64)
        return cls(keys, np.cumsum(counts) - counts, counts)

    def held(self, pile: TokenBuffer) -> tuple[Array, Array]:
        """Each key that a text of the pile holds, as often as it does, and the number of that text."""
        chunks = pile.chunks
        counts = self.counts[chunks]
        in_chunk = np.arange(counts.sum()) - repeated(np.cumsum(counts) - counts, counts)
        return self.keys[repeated(self.starts[chunks], counts) + in_chunk], repeated(pile.owners, counts)


def repeated(values: Array, counts: Array) -> Array:
    """Each value as often as is said; in pieces, for NumPy lets nothing else go on meanwhile."""
    pieces = [
        np.repeat(values[start : start + REPEATED_AT_ONCE], counts[start : start + REPEATED_AT_ONCE])
        for start in range(0, len(values), REPEATED_AT_ONCE)
    ]
    return np.concatenate((np.zeros(0, dtype=np.int64), *pieces))


def rows_of(word: Array, passage: Array, heading_word: Array, heading_passage: Array, passages: int) -> Array:
    """A row for each word of a passage: which, where, and a mark: how often, whether in a heading above."""
    many = max(1, passages)
    held, counts = np.unique(word * many + passage, return_counts=True)
    above = np.unique(heading_word * many + heading_passage)
    where = np.searchsorted(held, above)
    in_both = np.append(held, -1)[where] == above
    only_above = above[~in_both]
    rows = np.zeros((len(held) + len(only_above), 3), dtype=np.int64)
    rows[:, 0], rows[:, 1] = np.divmod(np.concatenate((held, only_above)), many)
    rows[: len(held), 2] = np.minimum(counts, MAX_TERM_FREQUENCY)
    rows[where[in_both], 2] += HEADING_FLAG
    rows[len(held) :, 2] = HEADING_FLAG
    return rows


def left_out_of_titles(texts: SegmentBuilder, stems: dict[str, Stems]) -> Iterator[tuple[int, str]]:
    """Words of titles that their language leaves out: some titles have no others."""
    for place, chunk in zip(texts.titles.owners.tolist(), texts.titles.chunks.tolist(), strict=True):
        config, words = texts.chunks[chunk]
        for word in all_of(words):
            if not stems[config][word]:
                yield place, index_term(config, f"={word}")

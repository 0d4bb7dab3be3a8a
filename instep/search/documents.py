"""An article as the words that it is found by."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from itertools import chain, pairwise

from instep.search.passages import Section, split, without_links
from instep.search.segment import Article, Document, Piece
from instep.search.stems import Stems, key_of
from instep.search.words import LONGEST_WORD, chunks_of, title_of

# Of an article so much is searched; a text with too many different words is searched up to there.
MOST_CHARACTERS = 250_000
MOST_PIECES = 600
# What stands around words in texts.
AROUND = ".,;:!?()[]\"'*`"


@dataclass(slots=True)
class Row:
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


@dataclass(slots=True)
class Words:
    """What a piece of text holds, in any order: words by themselves, and names in code as words in theirs."""

    alone: list[str]
    named: list[list[str]]

    @classmethod
    def of(cls, text: str) -> "Words":
        alone: list[str] = []
        named: list[list[str]] = []
        for chunk in text.split():
            bare = chunk.strip(AROUND)
            # Nearly all there is, so at once.
            if bare.isalnum() and bare.isascii() and (bare.islower() or bare.istitle()):
                alone.append(bare.lower()[:LONGEST_WORD])
            else:
                for words in chunks_of(chunk):
                    if len(words) == 1:
                        alone.append(words[0])
                    else:
                        named.append(words)
        return cls(alone, named)

    def all(self) -> Iterator[str]:
        return chain(self.alone, *self.named)

    def keys(self, config: str, stems: Stems) -> Counter[str]:
        """The words as a language reads them, and each pair of words in a name in code."""
        read = Counter(stems[word] for word in self.all())
        for words in self.named:
            stemmed = [stems[word] for word in words]
            read.update(f"{first} {second}" for first, second in pairwise(stemmed) if first and second)
        return Counter({key_of(config, stem): count for stem, count in read.items() if stem})


@dataclass(slots=True)
class Text:
    """A live article, taken apart."""

    row: Row
    title: Words
    # Headings and body of each passage.
    sections: list[tuple[Words, Words]]

    def words(self) -> set[str]:
        sections = chain.from_iterable(self.sections)
        return set(chain(self.title.all(), *(words.all() for words in sections)))


def take_apart(row: Row) -> Text:
    return Text(
        row,
        Words.of(row.title[:1_000]),
        [
            (Words.of(" ".join(section.headings)), Words.of(without_links(section.markdown)))
            for section in sections_of(row.description, row.markdown or "")
        ],
    )


def sections_of(description: str | None, markdown: str) -> list[Section]:
    """What an article has to say, its description first, which counts as much as a heading."""
    first = [Section((description,), None, description)] if description else []
    return [*first, *split(markdown[:MOST_CHARACTERS])[:MOST_PIECES]] or [Section((), None, "")]


def document_of(text: Text, stems: Stems) -> Document:
    row = text.row
    left_out = {key_of(row.config, f"={word}") for word in text.title.all() if not stems[word]}
    return Document(
        Article(row.id, row.locale, row.config, row.is_public, row.collection_id, title_of(row.title)[:200]),
        frozenset(text.title.keys(row.config, stems)) | left_out,
        [
            Piece(body.keys(row.config, stems), frozenset(headings.keys(row.config, stems)))
            for headings, body in text.sections
        ],
        {word: key_of(row.config, stem) for word in text.words() if (stem := stems[word])},
    )

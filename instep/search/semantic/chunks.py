"""An article as pieces of about a paragraph each: what one vector can tell of.

A vector of a long text is near to nothing, one of a few words to anything. So a piece goes on across headings
where passages are short, and ends within a passage where that is long.
"""

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from instep.core import limits
from instep.search.index.builder import ArticleChange, sections_of
from instep.search.index.passages import Section, plain_passage, sentences_of

# In characters: what has no blank for longer is cut.
MAX_WORD_BYTES = limits.CHUNK_BYTES // 4


@dataclass(frozen=True, slots=True)
class Chunk:
    """Sentences in a row, as their vector is made of them, and the passages that they are of."""

    article_id: str
    number: int
    first: int
    last: int
    text: str

    @property
    def hash(self) -> bytes:
        """Of all but where it stands among the others."""
        return hashlib.sha256(f"{self.first} {self.last} {self.text}".encode()).digest()[:16]


@dataclass(slots=True)
class Chunker:
    """What has been read of an article so far."""

    row: ArticleChange
    done: list[Chunk] = field(default_factory=list)
    said: list[str] = field(default_factory=list)
    size: int = 0
    first: int = 0
    last: int = 0

    def add(self, passage: int, text: str) -> None:
        size = len(text.encode())
        if self.size + size > limits.CHUNK_BYTES:
            self.end()
        if not self.said:
            self.first = passage
        self.last = passage
        self.said.append(text)
        self.size += size

    def end(self) -> None:
        if self.said:
            text = "\n".join((self.row.title, " ".join(self.said))).rstrip()
            self.done.append(Chunk(self.row.id, len(self.done), self.first, self.last, text))
        self.said, self.size = [], 0


def chunks_of(rows: Sequence[ArticleChange]) -> list[Chunk]:
    return [piece for row in rows if row.is_live for piece in chunk_article(row)]


def chunk_article(row: ArticleChange) -> list[Chunk]:
    pieces = Chunker(row)
    above: tuple[str, ...] = ()
    for passage, section in enumerate(sections_of(row.description, row.markdown or "")):
        path = path_of(section)
        for text in (*(f"{heading}:" for heading in path if heading not in above), *units_of(section)):
            pieces.add(passage, text)
        above = path
    if not pieces.done and not pieces.said:
        # Its title is all that it says.
        pieces.add(0, "")
    pieces.end()
    return pieces.done


def path_of(section: Section) -> tuple[str, ...]:
    """A description is its own heading."""
    return tuple(heading for heading in section.headings if heading != section.markdown)


def units_of(section: Section) -> Iterator[str]:
    """What stays together: a sentence, or each of its words when it is longer than a piece may be."""
    plain = plain_passage(section.markdown)
    for start, end in sentences_of(plain):
        sentence = " ".join(plain[start:end].split())
        if len(sentence.encode()) <= limits.CHUNK_BYTES:
            yield sentence
        else:
            yield from short_words(sentence)


def short_words(sentence: str) -> Iterator[str]:
    for word in sentence.split():
        yield from (word[at : at + MAX_WORD_BYTES] for at in range(0, len(word), MAX_WORD_BYTES))

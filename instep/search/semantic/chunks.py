"""Splits an article into chunks of about a paragraph each, the texts that are embedded.

The embedding of a long text is similar to nothing, and that of a few words to anything. So a chunk continues
across headings if passages are short, and ends within a passage if that is long. Such chunks identify the
nearest article best. To find the nearest passage in it, passages are also embedded separately.
"""

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from instep.platform.core import limits
from instep.platform.text.sentences import split_sentences
from instep.search.index.builder import split_article
from instep.search.index.passages import MarkdownPassage, plain_passage
from instep.search.schemas import ArticleChange

# A character has four bytes at most, so a word of this length fits into a chunk; longer ones are cut.
MAX_WORD_CHARACTERS = limits.CHUNK_BYTES // 4


@dataclass(frozen=True, slots=True)
class Chunk:
    """Adjacent sentences that are embedded together, and the range of their passages."""

    article_id: str
    # Its index among the chunks of the article, from 0.
    number: int
    # The numbers of its first and its last passage.
    first: int
    last: int
    # The title of the article and the sentences, as the model reads them.
    text: str
    # Whether it is a single passage of a chunk with several, embedded again separately.
    is_section: bool = False

    @property
    def hash(self) -> bytes:
        """A hash of text and passage range, not of the number, so that moved chunks keep their vector."""
        return hashlib.sha256(f"{self.first} {self.last} {self.text}".encode()).digest()[:16]


@dataclass(slots=True)
class Chunker:
    """The state of splitting an article: finished chunks, and the sentences of the next one."""

    article: ArticleChange
    chunks: list[Chunk] = field(default_factory=list)
    sentences: list[str] = field(default_factory=list)
    byte_count: int = 0
    first: int = 0
    last: int = 0

    def add(self, passage: int, text: str) -> None:
        byte_count = len(text.encode())
        if self.byte_count + byte_count > limits.CHUNK_BYTES:
            self.end_chunk()
        if not self.sentences:
            self.first = passage
        self.last = passage
        self.sentences.append(text)
        self.byte_count += byte_count

    def end_chunk(self) -> None:
        if self.sentences:
            text = "\n".join((self.article.title, " ".join(self.sentences))).rstrip()
            self.chunks.append(Chunk(self.article.id, len(self.chunks), self.first, self.last, text))
        self.sentences, self.byte_count = [], 0


def chunk_articles(articles: Sequence[ArticleChange]) -> list[Chunk]:
    """The chunks of the live articles."""
    return [chunk for article in articles if article.is_live for chunk in chunk_article(article)]


def chunk_article(article: ArticleChange) -> list[Chunk]:
    chunker = Chunker(article)
    previous_headings: tuple[str, ...] = ()
    passages = split_article(article.description, article.markdown or "")
    for number, passage in enumerate(passages):
        headings = chunk_headings(passage)
        new_headings = (f"{heading}:" for heading in headings if heading not in previous_headings)
        for text in (*new_headings, *short_sentences(passage)):
            chunker.add(number, text)
        previous_headings = headings
    if not chunker.chunks and not chunker.sentences:
        # An article without a text is embedded by its title.
        chunker.add(0, "")
    chunker.end_chunk()
    return [*chunker.chunks, *section_chunks(article, passages, chunker.chunks)]


def section_chunks(
    article: ArticleChange, passages: Sequence[MarkdownPassage], shared: Sequence[Chunk]
) -> Iterator[Chunk]:
    """A chunk for each passage that shares its chunk with others, to tell them apart."""
    several = {
        number
        for chunk in shared
        if chunk.first < chunk.last
        for number in range(chunk.first, chunk.last + 1)
    }
    alone = Chunker(article)
    for number in sorted(several):
        sentences = list(short_sentences(passages[number]))
        if sentences and len(" ".join(sentences).encode()) <= limits.CHUNK_BYTES:
            for text in (*(f"{heading}:" for heading in chunk_headings(passages[number])), *sentences):
                alone.add(number, text)
            alone.end_chunk()
    for chunk in alone.chunks:
        yield replace(chunk, number=len(shared) + chunk.number, is_section=True)


def chunk_headings(passage: MarkdownPassage) -> tuple[str, ...]:
    """The passage's headings without the description, which is its own heading."""
    return tuple(heading for heading in passage.headings if heading != passage.markdown)


def short_sentences(passage: MarkdownPassage) -> Iterator[str]:
    """The sentences of a passage; one that is too long for a chunk is split into its words."""
    for text in split_sentences(plain_passage(passage.markdown), at_line_breaks=True):
        sentence = " ".join(text.split())
        if len(sentence.encode()) <= limits.CHUNK_BYTES:
            yield sentence
        else:
            yield from short_words(sentence)


def short_words(sentence: str) -> Iterator[str]:
    for word in sentence.split():
        for start in range(0, len(word), MAX_WORD_CHARACTERS):
            yield word[start : start + MAX_WORD_CHARACTERS]

"""Builds a segment from articles: splits them into passages, tokens and index terms."""

from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, pairwise

import numpy as np

from instep.platform.core import limits
from instep.platform.core.directives import plain_markdown
from instep.platform.text.comments import without_comments
from instep.platform.text.definitions import without_definitions, without_unused_definitions
from instep.search.index.packed_arrays import Array
from instep.search.index.passages import MarkdownPassage, split_markdown, without_links
from instep.search.index.segment import (
    HEADING_FLAG,
    MAX_TERM_FREQUENCY,
    IndexedArticle,
    Segment,
    build_segment,
)
from instep.search.index.stems import Stems, index_term, language_code
from instep.search.query.tokenizer import MAX_WORD_CHARACTERS, normalize_title, tokenize
from instep.search.schemas import ArticleChange

MAX_TITLE_CHARACTERS = 1_000
# In characters; longer titles equal a query if they begin the same.
MAX_COMPARED_TITLE_CHARACTERS = 200
MAX_PASSAGE_LENGTH = 65_535
REPEAT_BATCH = 1_000
# Punctuation around the words of texts.
SURROUNDING_PUNCTUATION = ".,;:!?()[]\"'*`"

# The words of a token, in any order: single words, and names in code as their words. There are very many, so
# they are plain tuples, which the garbage collector does not visit.
TokenWords = tuple[tuple[str, ...], tuple[tuple[str, ...], ...]]


def token_words(token: str) -> TokenWords:
    bare = token.strip(SURROUNDING_PUNCTUATION)
    # A fast path for nearly all tokens.
    if bare.isalnum() and bare.isascii() and (bare.islower() or bare.istitle()):
        return (bare.lower()[:MAX_WORD_CHARACTERS],), ()
    groups = [tuple(words) for words in tokenize(token)]
    return (
        tuple(words[0] for words in groups if len(words) == 1),
        tuple(words for words in groups if len(words) > 1),
    )


def flatten(words: TokenWords) -> Iterator[str]:
    return chain(words[0], *words[1])


def token_terms(words: TokenWords, code: str, stems: Stems) -> tuple[str, ...]:
    """The index terms of a token in one language: its words, and the bigrams of names in code."""
    single_words, names = words
    terms = [code + stem for word in single_words if (stem := stems[word])]
    for name in names:
        name_stems = [stems[word] for word in name]
        terms += [code + stem for stem in name_stems if stem]
        terms += [f"{code}{first} {second}" for first, second in pairwise(name_stems) if first and second]
    return tuple(terms)


class TokenIds(dict[str, int]):
    """The ids of the tokens of one language; tokens are the space-separated parts of texts.

    Looking up a new token assigns the next id. Texts repeat their tokens, so each distinct one is
    analyzed once and then only counted.
    """

    def __init__(self, config: str, tokens: list[tuple[str, str]]) -> None:
        """`tokens`: the configuration and the spelling of each token by id, shared by all languages."""
        super().__init__()
        self.config = config
        self.tokens = tokens

    def __missing__(self, token: str) -> int:
        token_id = self[token] = len(self.tokens)
        self.tokens.append((self.config, token))
        return token_id

    def of(self, text: str) -> Iterator[int]:
        return map(self.__getitem__, text.split())


@dataclass(slots=True)
class TokenBuffer:
    """The token ids of texts, one text after the other."""

    # 64-bit integers, as in NumPy: a list of the same length takes several times the memory.
    packed: "array[int]" = field(default_factory=lambda: array("q"))
    lengths: list[int] = field(default_factory=list)

    def add(self, token_ids: Iterable[int]) -> None:
        count = len(self.packed)
        self.packed.extend(token_ids)
        self.lengths.append(len(self.packed) - count)

    @property
    def token_ids(self) -> Array:
        """int64[tokens]"""
        return np.array(self.packed, dtype=np.int64)

    @property
    def text_numbers(self) -> Array:
        """int64[tokens]: the number of the text that the token is in."""
        return repeat_in_batches(np.arange(len(self.lengths)), np.array(self.lengths, dtype=np.int64))


@dataclass(slots=True)
class SegmentBuilder:
    """The tokens of live articles. The more articles it has, the fewer new tokens each adds."""

    articles: list[IndexedArticle] = field(default_factory=list)
    titles: TokenBuffer = field(default_factory=TokenBuffer)
    # One row per passage: tokens of its headings, tokens of its body, number of its article.
    headings: TokenBuffer = field(default_factory=TokenBuffer)
    bodies: TokenBuffer = field(default_factory=TokenBuffer)
    article_of_passage: list[int] = field(default_factory=list)
    # By token id: its configuration and its spelling; its configuration and its words.
    tokens: list[tuple[str, str]] = field(default_factory=list)
    analyzed_tokens: list[tuple[str, TokenWords]] = field(default_factory=list)
    token_ids: dict[str, TokenIds] = field(default_factory=dict)

    def add(self, articles: Sequence[ArticleChange]) -> None:
        for article in articles:
            self.add_article(article)
        new_tokens = self.tokens[len(self.analyzed_tokens) :]
        self.analyzed_tokens += [(config, token_words(token)) for config, token in new_tokens]

    def add_article(self, article: ArticleChange) -> None:
        token_ids = self.token_ids.setdefault(article.config, TokenIds(article.config, self.tokens))
        for passage in split_article(article.description, article.markdown or ""):
            self.headings.add(token_ids.of(" ".join(passage.headings)))
            self.bodies.add(token_ids.of(without_links(without_definitions(passage.markdown))))
            self.article_of_passage.append(len(self.articles))
        self.titles.add(token_ids.of(article.title[:MAX_TITLE_CHARACTERS]))
        self.articles.append(
            IndexedArticle(
                article.id,
                article.locale,
                article.config,
                article.is_public,
                article.collection_id,
                normalize_title(article.title)[:MAX_COMPARED_TITLE_CHARACTERS],
            )
        )

    def words(self) -> dict[str, set[str]]:
        """The distinct words by language configuration."""
        words_by_config: dict[str, set[str]] = {}
        for config, words in self.analyzed_tokens:
            words_by_config.setdefault(config, set()).update(flatten(words))
        return words_by_config

    def build(self, stems: dict[str, Stems]) -> Segment:
        """The segment; `stems`, by configuration, must have all `words()`."""
        terms_by_token = [
            token_terms(words, language_code(config), stems[config]) for config, words in self.analyzed_tokens
        ]
        stop_words = list(title_stop_words(self, stems))
        terms = sorted(set(chain(chain.from_iterable(terms_by_token), (term for _, term in stop_words))))
        numbers = {term: number for number, term in enumerate(terms)}
        token_term_numbers = TokenTerms.of(terms_by_token, numbers)
        body_term, body_passage = token_term_numbers.occurrences(self.bodies)
        title_term, title_article = token_term_numbers.occurrences(self.titles)
        article_count, passage_count = len(self.articles), len(self.article_of_passage)
        stop_word_pairs = [numbers[term] * article_count + article for article, term in stop_words]
        title_pairs = np.concatenate(
            (title_term * max(1, article_count) + title_article, np.array(stop_word_pairs, dtype=np.int64))
        )
        return build_segment(
            self.articles,
            terms,
            posting_rows(
                body_term, body_passage, *token_term_numbers.occurrences(self.headings), passage_count
            ),
            np.stack(np.divmod(np.unique(title_pairs), max(1, article_count)), axis=1),
            np.array(self.article_of_passage, dtype=np.int64),
            np.minimum(np.bincount(body_passage, minlength=passage_count), MAX_PASSAGE_LENGTH),
            list(dict.fromkeys(surface_forms_of(self, stems, numbers))),
        )


def split_article(description: str | None, markdown: str) -> list[MarkdownPassage]:
    """The passages of an article, at least one. Its description is the first and also counts as a heading."""
    first = [MarkdownPassage((description,), None, description)] if description else []
    indexed_markdown = without_unused_definitions(without_comments(markdown[: limits.MAX_INDEXED_CHARACTERS]))
    indexed_markdown = plain_markdown(indexed_markdown)
    return [*first, *split_markdown(indexed_markdown, limits.MAX_INDEXED_PASSAGES)] or [
        MarkdownPassage((), None, "")
    ]


def surface_forms_of(
    builder: SegmentBuilder, stems: dict[str, Stems], numbers: dict[str, int]
) -> Iterator[tuple[str, int]]:
    """The words as texts spell them, each with the number of its term."""
    for config, words in builder.words().items():
        code, config_stems = language_code(config), stems[config]
        yield from ((word, numbers[code + stem]) for word in words if (stem := config_stems[word]))


@dataclass(frozen=True, slots=True)
class TokenTerms:
    """The terms of the tokens, int64 arrays: token `i` has `terms[starts[i] : starts[i] + counts[i]]`."""

    terms: Array
    starts: Array
    counts: Array

    @classmethod
    def of(cls, terms_by_token: Sequence[Sequence[str]], numbers: dict[str, int]) -> "TokenTerms":
        counts = np.array([len(terms) for terms in terms_by_token], dtype=np.int64)
        flat_terms = (numbers[term] for terms in terms_by_token for term in terms)
        return cls(np.fromiter(flat_terms, dtype=np.int64), np.cumsum(counts) - counts, counts)

    def occurrences(self, texts: TokenBuffer) -> tuple[Array, Array]:
        """int64[n] twice: the term of each occurrence, in any order, and the number of its text."""
        token_ids, text_numbers = texts.token_ids, texts.text_numbers
        counts = self.counts[token_ids]
        # Nearly all tokens have one term.
        has_one, has_several = counts == 1, counts > 1
        terms_of_one = self.terms[self.starts[token_ids[has_one]]]
        several, counts = token_ids[has_several], counts[has_several]
        offset_in_token = np.arange(counts.sum()) - repeat_in_batches(np.cumsum(counts) - counts, counts)
        terms_of_several = self.terms[repeat_in_batches(self.starts[several], counts) + offset_in_token]
        return (
            np.concatenate((terms_of_one, terms_of_several)),
            np.concatenate((text_numbers[has_one], repeat_in_batches(text_numbers[has_several], counts))),
        )


def repeat_in_batches(values: Array, counts: Array) -> Array:
    """`np.repeat` in batches, because NumPy holds the interpreter lock during each call."""
    batches = [
        np.repeat(values[start : start + REPEAT_BATCH], counts[start : start + REPEAT_BATCH])
        for start in range(0, len(values), REPEAT_BATCH)
    ]
    return np.concatenate((np.zeros(0, dtype=np.int64), *batches))


def posting_rows(
    body_term: Array, body_passage: Array, heading_term: Array, heading_passage: Array, passage_count: int
) -> Array:
    """int64[n, 3]: term, passage and flag byte (`HEADING_FLAG`) of each distinct term of a passage."""
    base = max(1, passage_count)
    in_body, counts = np.unique(body_term * base + body_passage, return_counts=True)
    in_heading = np.unique(heading_term * base + heading_passage)
    body_row = np.searchsorted(in_body, in_heading)
    is_in_both = np.append(in_body, -1)[body_row] == in_heading
    in_heading_only = in_heading[~is_in_both]
    rows = np.zeros((len(in_body) + len(in_heading_only), 3), dtype=np.int64)
    rows[:, 0], rows[:, 1] = np.divmod(np.concatenate((in_body, in_heading_only)), base)
    rows[: len(in_body), 2] = np.minimum(counts, MAX_TERM_FREQUENCY)
    rows[body_row[is_in_both], 2] += HEADING_FLAG
    rows[len(in_body) :, 2] = HEADING_FLAG
    return rows


def title_stop_words(builder: SegmentBuilder, stems: dict[str, Stems]) -> Iterator[tuple[int, str]]:
    """Article number and index term of each stop word in a title, because some titles have no other words."""
    titles = builder.titles
    for article, token_id in zip(titles.text_numbers.tolist(), titles.token_ids.tolist(), strict=True):
        config, words = builder.analyzed_tokens[token_id]
        for word in flatten(words):
            if not stems[config][word]:
                yield article, index_term(config, f"={word}")

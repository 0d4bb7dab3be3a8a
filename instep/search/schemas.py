"""The shapes of a search (specification, Operations; contract section 4, Article)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Annotated, Any, ClassVar, Literal

from pydantic import AfterValidator, Field

from instep.content.articles.body_schemas import ArticleHtmlOut, ArticleOut
from instep.content.articles.paths import path_of_article
from instep.content.articles.schemas import Article
from instep.platform.core import limits
from instep.platform.identity.schemas import Bot, ReadVersion
from instep.platform.text.comments import without_comments
from instep.platform.web.shapes import NOT_BLANK, Body, Out, Text, not_blank, without_nul
from instep.search.excerpts import best_excerpt, cut, letters_in, place_after, readable_text
from instep.search.highlight import Highlighted, best_matches, highlight
from instep.search.index.passages import ArticleSections, plain_passage, readable_passage
from instep.search.passage_kinds import PassageKind
from instep.search.query.tokenizer import normalize_title
from instep.search.text_cache import TextCache

# The pattern of a synonym in the API's description; `valid_synonym` checks more.
SYNONYM_PATTERN = r"^[^,\u0000]*[^,\s\u0000][^,\u0000]*$"

cached_plain_passage = TextCache(plain_passage)
cached_readable_text = TextCache(readable_text)
cached_readable_passage = TextCache(readable_passage)
SearchText = Annotated[
    str,
    Field(
        min_length=limits.MIN_QUERY_CHARACTERS,
        max_length=limits.MAX_QUERY_CHARACTERS,
        description="Words, names in code such as `--dry-run`, and phrases in double quotes.",
        examples=["invite team"],
        json_schema_extra={"pattern": NOT_BLANK},
    ),
    AfterValidator(without_nul),
    AfterValidator(not_blank),
]


@dataclass(frozen=True, slots=True)
class SearchRequest:
    """A search for articles of a locale, or of all locales (`None`).

    `version` is the id or slug of the product version to search, if it is not that of the context.
    """

    query: str
    locale: str | None = None
    version: str | None = None


def valid_synonym(text: str) -> str:
    """A term, trimmed; a comma or a line break would separate two."""
    term = " ".join(text.split())
    if not term or "," in text or not normalize_title(term):
        raise ValueError("it must have letters or digits, and no comma")
    return term


Synonym = Annotated[
    Text,
    Field(max_length=limits.MAX_SYNONYM_CHARACTERS, json_schema_extra={"pattern": SYNONYM_PATTERN}),
    AfterValidator(valid_synonym),
]
SynonymGroup = Annotated[list[Synonym], Field(min_length=2, max_length=limits.MAX_SYNONYMS_PER_GROUP)]


class SynonymsUpdate(Body):
    """All synonyms of the bot; they replace the previous ones."""

    groups: Annotated[
        list[SynonymGroup],
        Field(
            max_length=limits.MAX_SYNONYM_GROUPS,
            description="Words and terms that mean the same in this help center.",
            examples=[[["basket", "cart"], ["sign in", "log in"]]],
        ),
    ]


class SynonymsOut(Out):
    """The synonyms of the bot, in addition to those of its languages."""

    # The name in the audit.
    id: ClassVar = "synonyms"
    groups: list[list[str]]


@dataclass(slots=True)
class LiveArticle:
    """A live article with the text that its passages are made from."""

    id: str
    slug: str
    locale: str
    title: str
    description: str | None
    markdown: str
    html: str
    changed_at: datetime
    # The fields of a `ReadVersion`: the nearest version, if it is not about the one that is read.
    other_version: dict[str, Any] | None = None

    def url(self, bot: Bot) -> str:
        """The public URL, in the product version that is read or, without it there, in the nearest one."""
        if self.other_version is not None:
            bot = bot.in_version(ReadVersion(**self.other_version))
        return bot.help_url + path_of_article(bot.locale, self.locale, self.slug)

    @property
    def searched_text(self) -> str:
        return f"{self.title}\n{self.description or ''}\n{without_comments(self.markdown)}"


@dataclass(slots=True)
class OutlinedArticle:
    """An article with as much of its text as its headings are read of."""

    id: str
    title: str
    markdown: str


@dataclass(slots=True)
class SearchHit(Article):
    """A live article that matches a search."""

    score: float
    # The part of its rendered text that excerpts are made from.
    html: str
    # The beginnings of the matching words, in lower case.
    prefixes: list[str]

    @property
    def excerpt(self) -> str:
        text = cached_readable_text(self.html)
        return best_excerpt(text, self.prefixes) or cut(" ".join((self.description or "").split()) or text)


Excerpt = Annotated[
    str,
    Field(
        description="Plain text around the best passage: escape it when you insert it into a page. Each"
        " table row or line of code is one line.",
        examples=["…Open Settings > Team and choose Invite. The link is good for seven days.…"],
    ),
]
Score = Annotated[
    float, Field(description="Higher is better; not comparable across searches.", examples=[1.38])
]


class SearchHitOut(ArticleOut):
    """A live article that a search found, with its text in Markdown."""

    excerpt: Excerpt
    score: Score


class SearchHitHtmlOut(ArticleHtmlOut):
    """A live article that a search found, with its text in HTML."""

    excerpt: Excerpt
    score: Score


@dataclass(slots=True)
class ArticleChange:
    """A changed article, as the index reads it; `markdown` is `None` if it is not live."""

    id: str
    is_live: bool
    locale: str
    # The name of the PostgreSQL text search configuration for its locale.
    config: str
    is_public: bool
    collection_id: str | None
    title: str
    description: str | None
    markdown: str | None
    changed_at: datetime


# The readers of the results: everyone, or only signed-in readers, who may also see internal articles.
Audience = Literal["public", "authenticated"]


@dataclass(frozen=True, slots=True)
class Passage:
    """A part of a live article, as its readers see it, and how well it answers a question, if any."""

    article_id: str
    # Its index among the passages of its article, from 0.
    number: int
    title: str
    slug: str
    # The public address, with the anchor of the heading if there is one.
    url: str
    locale: str
    # The headings above it, the outermost first; the article's title is not one of them.
    headings: tuple[str, ...]
    anchor: str | None
    markdown: str
    text: str
    # From 0 to about 1, comparable within one language of one bot only.
    score: float = 0.0
    # The weight of the question's terms that it contains, including headings and title: a share, 0 to 1.
    coverage: float = 0.0
    # Start and end, in characters of `text`, of the sentence that answers best.
    best: tuple[int, int] = (0, 0)
    # For each lower-case word of the passages: the question's words that it matches, with weights.
    matches: Mapping[str, Sequence[tuple[str, float]]] = field(default_factory=dict)
    # Its kind, the signs that it answers, and their score (`search/section_fit.py`).
    kind: PassageKind = "text"
    section_signs: Mapping[str, float] = field(default_factory=dict)
    section_score: float = 0.0
    # The number of steps of its section before its own, and in total; `(0, 0)` if it contains no steps.
    steps: tuple[int, int] = (0, 0)
    # The description of its article, which summarizes the whole.
    lead: str = ""
    # Words of the question, in lower case, that its language ignores.
    stop_words: frozenset[str] = frozenset()
    # Its whole article; None if only the passage is known.
    sections: ArticleSections | None = None
    # A product version that its article is about, if it is not about the one that is read.
    other_version: ReadVersion | None = None

    @classmethod
    def of(cls, article: LiveArticle, page: str, sections: ArticleSections, number: int) -> "Passage":
        """A passage of an article at the address `page`, not compared with a question yet."""
        article_passage = cls(
            article_id=article.id,
            number=0,
            title=article.title,
            slug=article.slug,
            url=page,
            locale=article.locale,
            other_version=ReadVersion(**article.other_version) if article.other_version else None,
            headings=(),
            anchor=None,
            markdown="",
            text="",
            lead=article.description or "",
            sections=sections,
        )
        return article_passage.at(number)

    def at(self, number: int) -> "Passage":
        """The passage with this number of the same article, not compared with a question."""
        if self.sections is None:
            return self
        passage = self.sections.passages[number]
        anchor = self.sections.anchors.of(passage)
        page, _, _ = self.url.partition("#")
        return replace(
            self,
            number=number,
            url=f"{page}#{anchor}" if anchor else page,
            # The description, which the index adds as a heading, is none for readers.
            headings=passage.headings if passage.number is not None else (),
            anchor=anchor,
            markdown=passage.markdown,
            text=cached_plain_passage(passage.markdown),
            best=(0, 0),
            steps=(0, 0),
        )

    def sections_of_article(self) -> dict[int | None, "Passage"]:
        """The first passage of each section of its article, by the number of the heading above it."""
        if self.sections is None:
            return {}
        return {self.sections.passages[at].number: self.at(at) for at in self.sections.first_passages()}

    def section_up_to(self, max_characters: int) -> str:
        """The Markdown of its section, or as much around it as the length allows."""
        if self.sections is None:
            return self.markdown
        return self.sections.text_around(self.number, max_characters)

    @property
    def heading(self) -> str | None:
        """The innermost heading above it."""
        return self.headings[-1] if self.headings else None

    @property
    def excerpt(self) -> str:
        """Plain text around the best sentence."""
        text = cached_readable_passage(self.markdown)
        return cut(text, place_after(text, len(letters_in(self.text[: self.best[0]]))))

    @property
    def marked_excerpt(self) -> list[Highlighted]:
        """The excerpt in pieces, with the matching words marked."""
        return highlight(self.excerpt, best_matches(self.excerpt, self.matches))


@dataclass(frozen=True, slots=True)
class Signals:
    """The probability that the passages answer the question, and the signs for it."""

    # A calibrated probability, 0 to 1.
    confidence: float
    # 0 to 1, by name; empty if no passage was found.
    signs: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Retrieval:
    """The passages that answer a question, best first, and the ids of the best articles, best first.

    `locales` are the languages of all articles of the help center.
    """

    passages: list[Passage]
    article_ids: tuple[str, ...]
    signals: Signals
    locales: frozenset[str] = frozenset()

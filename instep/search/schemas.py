"""The shapes of a search (specification, Operations; contract section 4, Article)."""

from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from instep.articles.schemas import Article, ArticleHtmlOut, ArticleOut, article_out
from instep.core import limits
from instep.core.markdown import Format
from instep.identity.schemas import Bot
from instep.search.excerpts import best_passage, cut, plain_text
from instep.search.highlight import Marked, highlight
from instep.web.shapes import NOT_BLANK, not_blank, without_nul

Query = Annotated[
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
    """What is searched for, and in which language; None: in all."""

    query: str
    locale: str | None = None


@dataclass(slots=True)
class SearchHit(Article):
    """A live article that a search found; `prefixes` are the words looked for without their endings."""

    score: float
    html: str
    prefixes: list[str]

    @property
    def excerpt(self) -> str:
        text = plain_text(self.html)
        return best_passage(text, self.prefixes) or cut(" ".join((self.description or text).split()))


Excerpt = Annotated[
    str,
    Field(
        description="Plain text around the best passage: escape it where it goes into a page.",
        examples=["…Open Settings > Team and choose Invite. The link is good for seven days.…"],
    ),
]
Score = Annotated[
    float, Field(description="The higher, the better; not comparable with other searches.", examples=[1.38])
]


class SearchHitOut(ArticleOut):
    """A live article that a search found, with its text in Markdown."""

    excerpt: Excerpt
    score: Score


class SearchHitHtmlOut(ArticleHtmlOut):
    """A live article that a search found, with its text in HTML."""

    excerpt: Excerpt
    score: Score


def search_hit_out(found: SearchHit, bot: Bot, form: Format) -> SearchHitOut | SearchHitHtmlOut:
    fields = {**dict(article_out(found, bot, form)), "excerpt": found.excerpt, "score": found.score}
    return SearchHitHtmlOut(**fields) if form == "html" else SearchHitOut(**fields)


# Who asks: anybody, or somebody who may also read what is for signed-in visitors.
Audience = Literal["public", "authenticated"]


@dataclass(frozen=True, slots=True)
class Passage:
    """A piece of a live article, as its readers may see it, and how well it answers a question."""

    article_id: str
    # Which of its article's passages it is, from 0.
    number: int
    title: str
    slug: str
    # The public address, with the place of the heading in it where there is one.
    url: str
    locale: str
    # The headings that lead to it, the outermost first; the article's title is not among them.
    headings: tuple[str, ...]
    anchor: str | None
    markdown: str
    text: str
    # From 0 to about 1, comparable within one language of one bot only.
    score: float
    # The share of the question's words that it holds, each as much as it is rare; title and headings count.
    coverage: float
    # Where in `text` the sentence begins and ends that answers best.
    best: tuple[int, int]
    # Words of what was found, in small letters, that stand for words of the question.
    matched: frozenset[str]

    @property
    def excerpt(self) -> str:
        """Plain text around the best sentence."""
        return cut(" ".join(self.text.split()), len(" ".join(self.text[: self.best[0]].split())))

    @property
    def marked_excerpt(self) -> list[Marked]:
        """The excerpt in pieces, of which those are marked that stand for words of the question."""
        return highlight(self.excerpt, self.matched)


@dataclass(frozen=True, slots=True)
class Signals:
    """How sure it is that what was found holds the answer; each from 0 to 1 but `score`."""

    # Of the best passage.
    score: float
    # How far it stands above the best of another article, as a share of its score.
    margin: float
    # The share of the question's words that the best passage holds, each as much as it is rare.
    coverage: float
    # The share of them that stands close together somewhere.
    proximity: float
    # The share of them that no article has.
    unknown: float
    # All of it in one number: the chance that the articles answer the question.
    confidence: float


@dataclass(frozen=True, slots=True)
class Retrieval:
    """What was found for a question, the best passage first; `article_ids` are the nearest articles."""

    passages: list[Passage]
    article_ids: tuple[str, ...]
    signals: Signals

"""The shapes of a search (specification, Operations; contract section 4, Article)."""

from dataclasses import dataclass
from typing import Annotated

from pydantic import AfterValidator, Field

from instep.articles.schemas import Article, ArticleHtmlOut, ArticleOut, article_out
from instep.core import limits
from instep.identity.schemas import Bot
from instep.search.excerpts import best_passage, cut, plain_text
from instep.web.shapes import NOT_BLANK, Format, not_blank, without_nul

Query = Annotated[
    str,
    Field(
        min_length=limits.SEARCH_SHORTEST,
        max_length=limits.SEARCH_LONGEST,
        description="Words, names in code such as `--dry-run`, and phrases in double quotes.",
        examples=["invite team"],
        json_schema_extra={"pattern": NOT_BLANK},
    ),
    AfterValidator(without_nul),
    AfterValidator(not_blank),
]


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is searched for, and in which language; None: in all."""

    query: str
    locale: str | None = None


@dataclass(slots=True)
class Found(Article):
    """A live article that a search found; `beginnings` are the words looked for without their endings."""

    score: float
    html: str
    beginnings: list[str]

    @property
    def excerpt(self) -> str:
        text = plain_text(self.html)
        return best_passage(text, self.beginnings) or cut(" ".join((self.description or text).split()))


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


class FoundOut(ArticleOut):
    """A live article that a search found, with its text in Markdown."""

    excerpt: Excerpt
    score: Score


class FoundHtmlOut(ArticleHtmlOut):
    """A live article that a search found, with its text in HTML."""

    excerpt: Excerpt
    score: Score


def found_out(found: Found, bot: Bot, form: Format) -> FoundOut | FoundHtmlOut:
    fields = {**dict(article_out(found, bot, form)), "excerpt": found.excerpt, "score": found.score}
    return FoundHtmlOut(**fields) if form == "html" else FoundOut(**fields)

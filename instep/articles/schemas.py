"""The shapes of an article and of a revision (specification, Article and Revision; contract section 4)."""

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import MISSING, AfterValidator, Field

from instep.core import limits
from instep.core.etags import etag_of
from instep.core.locales import valid_locale
from instep.core.slugs import valid_slug
from instep.identity.schemas import Bot
from instep.web.shapes import (
    AuthorOut,
    Body,
    Description,
    Format,
    Markdown,
    Out,
    Position,
    Text,
    Timestamp,
    Title,
    Visibility,
)

Slug = Annotated[Text, Field(max_length=limits.SLUG), AfterValidator(valid_slug)]
Locale = Annotated[Text, AfterValidator(valid_locale)]
Status = Literal["draft", "in_review", "published", "archived"]
Origin = Literal["create", "update", "apply", "publish", "restore", "import"]


@dataclass(frozen=True, slots=True)
class Article:
    """One row of `articles`; of the two forms of its text only the one asked for is there."""

    id: str
    slug: str
    locale: str
    translation_of: str | None
    translations: list[dict[str, Any]]
    title: str
    description: str | None
    content: str
    collection_id: str | None
    visibility: Visibility
    position: int
    status: Status
    version: int
    published_at: datetime | None
    created_at: datetime
    updated_at: datetime

    @property
    def is_live(self) -> bool:
        return self.status == "published"

    @property
    def etag(self) -> str:
        return etag_of(self.id, self.updated_at, self.translations)

    def path(self, bot: Bot) -> str:
        """Its place in the bot's help center."""
        prefix = "" if self.locale == bot.locale else f"/{self.locale}"
        return f"{prefix}/articles/{self.slug}"


@dataclass(frozen=True, slots=True)
class Revision:
    """One row of `revisions`: a text that was replaced."""

    id: str
    article_id: str
    version: int
    title: str
    content: str
    origin: Origin
    draft_id: str | None
    author_type: str
    author_name: str
    created_at: datetime


@dataclass(frozen=True, slots=True)
class Source:
    """What writes a text: kept with it, and with the revision that holds it later."""

    origin: Origin
    draft_id: str | None = None


class ArticleCreate(Body):
    """What a new article is made from."""

    title: Title
    content_markdown: Markdown
    slug: Slug | MISSING = MISSING
    description: Description | MISSING = MISSING
    collection_id: Text | None = None
    visibility: Visibility = "public"
    locale: Locale | MISSING = MISSING
    translation_of: Text | None = None
    position: Position | MISSING = Field(
        default=MISSING, description="Where not sent: the end of the collection."
    )


class ArticleUpdate(Body):
    """Only the fields sent are changed."""

    title: Title | MISSING = MISSING
    content_markdown: Markdown | MISSING = MISSING
    slug: Slug | MISSING = MISSING
    description: Description | MISSING = MISSING
    collection_id: Text | MISSING | None = MISSING
    visibility: Visibility | MISSING = MISSING
    position: Position | MISSING = MISSING


class TranslationOut(Out):
    """A translation; outdated when the article's text has changed since."""

    id: str
    locale: str
    status: Status
    outdated: bool


class ArticleFields(Out):
    """What both forms of an article share."""

    id: str
    slug: str
    title: str
    description: str | None
    collection_id: str | None
    visibility: Visibility
    locale: str
    translation_of: str | None
    translations: list[TranslationOut]
    position: int
    status: Status
    has_unpublished_changes: bool
    version: int
    url: str | None
    bot_id: str
    published_at: Timestamp | None
    created_at: Timestamp
    updated_at: Timestamp


class ArticleOut(ArticleFields):
    """An article with its text in Markdown."""

    content_markdown: str


class ArticleHtmlOut(ArticleFields):
    """An article with its text in HTML, as the public page shows it."""

    content_html: str


def article_out(article: Article, bot: Bot, form: Format) -> ArticleOut | ArticleHtmlOut:
    fields: dict[str, Any] = {
        "id": article.id,
        "slug": article.slug,
        "title": article.title,
        "description": article.description,
        "collection_id": article.collection_id,
        "visibility": article.visibility,
        "locale": article.locale,
        "translation_of": article.translation_of,
        "translations": article.translations,
        "position": article.position,
        "status": article.status,
        # Every door saves text as the article's own; only an editor's working copy would differ from it.
        "has_unpublished_changes": False,
        "version": article.version,
        "url": bot.help_url + article.path(bot) if article.is_live else None,
        "bot_id": str(bot.id),
        "published_at": article.published_at,
        "created_at": article.created_at,
        "updated_at": article.updated_at,
    }
    if form == "html":
        return ArticleHtmlOut(**fields, content_html=article.content)
    return ArticleOut(**fields, content_markdown=article.content)


class RevisionListItemOut(Out):
    """A text that was replaced, and what had written it."""

    id: str
    article_id: str
    version: int
    title: str
    origin: Origin
    draft_id: str | None
    author: AuthorOut
    created_at: Timestamp


class RevisionOut(RevisionListItemOut):
    """A revision with its text in Markdown."""

    content_markdown: str


class RevisionHtmlOut(RevisionListItemOut):
    """A revision with its text in HTML."""

    content_html: str


def revision_item_out(revision: Revision) -> RevisionListItemOut:
    return RevisionListItemOut(**revision_fields(revision))


def revision_out(revision: Revision, form: Format) -> RevisionOut | RevisionHtmlOut:
    if form == "html":
        return RevisionHtmlOut(**revision_fields(revision), content_html=revision.content)
    return RevisionOut(**revision_fields(revision), content_markdown=revision.content)


def revision_fields(revision: Revision) -> dict[str, Any]:
    return {
        "id": revision.id,
        "article_id": revision.article_id,
        "version": revision.version,
        "title": revision.title,
        "origin": revision.origin,
        "draft_id": revision.draft_id,
        "author": AuthorOut(type=revision.author_type, name=revision.author_name),
        "created_at": revision.created_at,
    }

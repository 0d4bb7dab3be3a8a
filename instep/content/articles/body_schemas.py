"""The bodies of requests and responses about articles (specification, Article; contract section 4)."""

from datetime import date
from typing import Annotated, Any, Literal

from fastapi import Query
from pydantic import MISSING, Field

from instep.content.articles.schemas import (
    Article,
    Deletion,
    FreshnessReason,
    FreshnessState,
    Status,
    VerifiedBy,
)
from instep.content.collections.schemas import OwnerOut, OwnerRef, ReviewBy
from instep.content.product_versions.schemas import VersionRef
from instep.platform.core import limits
from instep.platform.core.clock import isoformat
from instep.platform.core.markdown import Format
from instep.platform.identity.schemas import Bot
from instep.platform.web.shapes import (
    Body,
    Description,
    Locale,
    Markdown,
    Out,
    Position,
    Slug,
    Text,
    Timestamp,
    Title,
    Visibility,
)

ArticleTitle = Annotated[Title, Field(examples=["Install the agent"])]
ArticleText = Annotated[
    Markdown,
    Field(description="The text, in Markdown.", examples=["Run `install.sh`, then open the dashboard.\n"]),
]
Lead = Annotated[
    Description,
    Field(
        description="One sentence for search results and the lead; an empty string clears it.",
        examples=["How to install the agent on Linux and macOS."],
    ),
]
COLLECTION_REF = "A collection, by its id or slug; null for none."
CollectionRef = Annotated[Text, Field(description=COLLECTION_REF)]
ArticlePosition = Annotated[
    Position,
    Field(description="The position in the collection, starting at 0; a new article goes to the end."),
]
FirstVersion = Annotated[
    VersionRef,
    Field(
        description="The first product version that it is about, by id or slug; null for all older ones too."
    ),
]
LastVersion = Annotated[
    VersionRef,
    Field(
        description="The last product version that it is about, by id or slug; null for all newer ones too."
    ),
]
VersionOf = Annotated[
    Text,
    Field(
        description="An article about the same topic for other product versions, by its id or slug; null for"
        " none."
    ),
]
VersionFilter = Annotated[
    str | None,
    Query(description="Only articles of this version of the product, by its id or slug.", examples=["1.x"]),
]
LocaleFilter = Annotated[Locale | None, Query(description="Only articles in this language.")]
Commit = Annotated[
    Text,
    Field(
        pattern="^[0-9a-f]{7,64}$",
        description="A commit, by its hash or the beginning of it.",
        examples=["4b825dc642cb6eb9a060e54bf8d69288fbee4904"],
    ),
]


class ArticleVersions(Body):
    """The versions of the product that an article is about."""

    since_version: FirstVersion | MISSING | None = MISSING
    until_version: LastVersion | MISSING | None = MISSING
    version_of: VersionOf | MISSING | None = MISSING


class ArticleCreate(ArticleVersions):
    """The fields of a new article."""

    title: ArticleTitle
    content_markdown: ArticleText
    slug: Slug | MISSING = MISSING
    description: Lead | MISSING = MISSING
    collection_id: Text | MISSING | None = Field(
        default=MISSING, description=f"{COLLECTION_REF} If not sent, that of the original, or none."
    )
    visibility: Visibility | MISSING = Field(
        default=MISSING, description="If not sent, that of the original, or else `public`."
    )
    locale: Locale | MISSING = Field(default=MISSING, description="If not sent, the bot's language.")
    translation_of: Text | MISSING = Field(
        default=MISSING,
        description="The article that this one translates, by its id or slug; it needs another `locale`.",
    )
    position: ArticlePosition | MISSING = MISSING


class TextEdit(Body):
    """Title and text, as the editor sends them."""

    title: ArticleTitle
    content: ArticleText


class ArticleUpdate(ArticleVersions):
    """Only the sent fields are changed."""

    title: ArticleTitle | MISSING = MISSING
    content_markdown: ArticleText | MISSING = MISSING
    slug: Slug | MISSING = MISSING
    description: Lead | MISSING | None = MISSING
    collection_id: CollectionRef | MISSING | None = MISSING
    visibility: Visibility | MISSING = MISSING
    position: ArticlePosition | MISSING = MISSING
    owner: OwnerRef | MISSING | None = MISSING
    review_by: ReviewBy | MISSING | None = MISSING


class ArticleSplit(Body):
    """The version before which an article is split."""

    version: VersionRef = Field(
        description="The first version of the newer article, by id or slug. The older one ends before it."
    )


class ArticleVerify(Body):
    """The code that the text was compared with, if any."""

    commit: Commit | MISSING = MISSING


class TranslationOut(Out):
    """A translation; outdated when the article's text has changed since."""

    id: str
    locale: str
    status: Status
    outdated: bool = Field(description="True if the article's text changed after the translation's.")


class FreshnessOut(Out):
    """The verdict that a published article is still correct or not, with the reason."""

    state: FreshnessState = Field(
        description="`verified`; `needs_review`: see `reason`; `stale`: it has not been verified or changed"
        f" for {limits.STALE_AFTER.days} days.",
        examples=["needs_review"],
    )
    reason: FreshnessReason | None = Field(
        description="The first reason that applies; null if it is verified. `draft`: an edit to it is waiting"
        " for review. `place`: a place in it needs writing. `review_by`: its `reviewBy` has come. `feedback`:"
        " readers say that it is outdated. `age`: it has not been verified or changed for a long time.",
        examples=["review_by"],
    )
    verified_at: Timestamp | None = Field(
        description="The time at which its current text was verified; null if it was not verified."
    )
    verified_by: VerifiedBy | None = Field(
        description="`drift`: a check of all articles against the code found nothing in it. `task`: someone"
        " applied a task's draft. `person`: someone published or confirmed it."
    )
    verified_commit: str | None = Field(
        description="The commit that it was compared with, if one is known.",
        examples=["4b825dc642cb6eb9a060e54bf8d69288fbee4904"],
    )


class ArticleFields(Out):
    """Fields shared by both forms of an article."""

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
    since_version: str | None = Field(
        description="The first version of the product that it is about; null if all older ones are too."
    )
    until_version: str | None = Field(
        description="The last version of the product that it is about; null if all newer ones are too."
    )
    version_of: str | None = Field(
        description="The id of the article with which the family of its topic began: articles for different"
        " versions of the product. Null if it is this one, or if there is no other."
    )
    has_unpublished_changes: bool = Field(
        description="True if the editor saved a text that goes live the next time it is published."
    )
    version: int = Field(description="Increases by one with each saved text or title.")
    url: str | None = Field(description="The public address while it is published, else null.")
    bot_id: str
    published_at: Timestamp | None
    created_at: Timestamp
    updated_at: Timestamp
    owner: OwnerOut | None = Field(
        description="Its own owner, else that of its collection or of the nearest one above that has one."
    )
    review_by: date | None = Field(
        description="The day on which it is due for review: its own, or else its collection's, like `owner`.",
        examples=["2026-12-31"],
    )
    freshness: FreshnessOut | None = Field(
        description="Null if it is not published, and if it was never verified and no reason applies."
    )


class ArticleOut(ArticleFields):
    """An article with its text in Markdown."""

    content_markdown: str


class ArticleHtmlOut(ArticleFields):
    """An article with its text in HTML, as the public page shows it."""

    content_html: str


def article_out(article: Article, bot: Bot, format: Format) -> ArticleOut | ArticleHtmlOut:
    fields = article_fields(article, bot)
    if format == "html":
        return ArticleHtmlOut(**fields, content_html=article.content)
    return ArticleOut(**fields, content_markdown=article.content)


def article_json(article: Article, bot: Bot, format: Format) -> dict[str, Any]:
    """Same JSON as `article_out`, built without the model because that takes twice as long."""
    fields = article_fields(article, bot)
    for name in ("publishedAt", "createdAt", "updatedAt"):
        moment = fields[name]
        fields[name] = isoformat(moment) if moment else None
    fields["contentHtml" if format == "html" else "contentMarkdown"] = article.content
    return fields


def article_fields(article: Article, bot: Bot) -> dict[str, Any]:
    """All fields except the text, by their names in JSON."""
    return {
        "id": article.id,
        "slug": article.slug,
        "title": article.title,
        "description": article.description,
        "collectionId": article.collection_id,
        "visibility": article.visibility,
        "locale": article.locale,
        "translationOf": article.translation_of,
        "translations": article.translations,
        "position": article.position,
        "status": article.status,
        "sinceVersion": article.since_slug,
        "untilVersion": article.until_slug,
        "versionOf": article.version_family,
        "hasUnpublishedChanges": article.has_unpublished_changes,
        "version": article.version,
        "url": article.url(bot) if article.is_live else None,
        "botId": str(bot.id),
        "publishedAt": article.published_at,
        "createdAt": article.created_at,
        "updatedAt": article.updated_at,
        **article.standing,
    }


class ArticleDeletedOut(Out):
    """The article is in Recently deleted, with its translations."""

    id: str
    deleted: Literal[True]
    deleted_at: Timestamp
    restorable_until: Timestamp = Field(description="The time at which it is permanently deleted.")
    translation_ids: list[str] = Field(description="The translations that were deleted with it.")


def article_deleted_out(deletion: Deletion) -> ArticleDeletedOut:
    return ArticleDeletedOut(
        id=deletion.id,
        deleted=True,
        deleted_at=deletion.deleted_at,
        restorable_until=deletion.deleted_at + limits.DELETED_ARTICLE_RETENTION,
        translation_ids=deletion.translation_ids,
    )

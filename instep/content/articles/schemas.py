"""The shapes of an article (specification, Article; contract section 4)."""

from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Annotated, Any, Literal

from pydantic import MISSING, Field

from instep.content.articles.paths import path_of_article
from instep.content.collections.schemas import OwnerOut, OwnerRef, ReviewBy
from instep.content.product_versions.schemas import VersionRef
from instep.platform.core import limits
from instep.platform.core.clock import isoformat
from instep.platform.core.etags import etag_of
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
CollectionRef = Annotated[Text, Field(description="A collection, by its id or slug; null for none.")]
ArticlePosition = Annotated[
    Position,
    Field(description="The position in the collection, starting at 0; a new article goes to the end."),
]
FirstVersion = Annotated[
    VersionRef,
    Field(description="The first version of the product that it is about, by id or slug; null: all older."),
]
LastVersion = Annotated[
    VersionRef,
    Field(description="The last version of the product that it is about, by id or slug; null: all newer."),
]
VersionOf = Annotated[
    Text,
    Field(
        description="An article about the same topic for other versions of the product, by its id or slug;"
        " null for none."
    ),
]
Commit = Annotated[
    Text,
    Field(
        pattern="^[0-9a-f]{7,64}$",
        description="A commit, by its hash or the beginning of it.",
        examples=["4b825dc642cb6eb9a060e54bf8d69288fbee4904"],
    ),
]
Status = Literal["draft", "in_review", "published", "archived"]
# One position among the articles of a collection.
Step = Literal["up", "down"]
FreshnessState = Literal["verified", "needs_review", "stale"]
FreshnessReason = Literal["draft", "place", "review_by", "feedback", "age"]
VerifiedBy = Literal["drift", "task", "person"]
Origin = Literal["create", "update", "apply", "publish", "restore", "import"]


@dataclass(slots=True)
class Article:
    """One row of `articles`; `content` has its text in the requested format.

    It is not frozen, because lists create many: creating a frozen one takes five times as long.
    """

    id: str
    slug: str
    locale: str
    translation_of: str | None
    translations: list[dict[str, Any]]
    title: str
    description: str | None
    content: str
    # The text that readers see; None if it is the same. It contains parts and variables.
    expanded: str | None
    collection_id: str | None
    visibility: Visibility
    position: int
    status: Status
    # Ids of product versions, and the id of the article with which the family of its topic began.
    since_version: str | None
    until_version: str | None
    version_family: str | None
    since_slug: str | None
    until_slug: str | None
    # The version in the address at which readers find it; None for an article of the current version.
    address_version: str | None
    has_unpublished_changes: bool
    version: int
    published_at: datetime | None
    created_at: datetime
    updated_at: datetime
    # `freshness`, `owner` and `reviewBy`, as the API has them: `articles.freshness`.
    standing: dict[str, Any]

    @property
    def is_live(self) -> bool:
        return self.status == "published"

    @property
    def readers_text(self) -> str:
        """The Markdown that readers see, if `content` is Markdown."""
        return self.content if self.expanded is None else self.expanded

    @property
    def etag(self) -> str:
        return etag_of(
            self.id,
            self.updated_at,
            self.translations,
            aside=(self.standing, self.since_slug, self.until_slug),
        )

    def path(self, bot: Bot) -> str:
        """Its path below the address of the bot's help center."""
        return path_of_article(bot.locale, self.locale, self.slug)

    def url(self, bot: Bot) -> str:
        """The URL at which readers find it."""
        version = f"/versions/{self.address_version}" if self.address_version else ""
        return bot.help_url + version + self.path(bot)


@dataclass(frozen=True, slots=True)
class WorkingCopy:
    """Text that the editor saved over a published text, and its author."""

    title: str
    content: str
    author_type: str
    author_name: str
    saved_at: datetime


@dataclass(frozen=True, slots=True)
class LinkTarget:
    """An article that others may link to."""

    id: str
    slug: str
    locale: str
    title: str
    status: Status

    def path(self, bot: Bot) -> str:
        """The path that links in texts use for the article, wherever the text is shown."""
        return f"/help/{bot.slug}" + path_of_article(bot.locale, self.locale, self.slug)


@dataclass(frozen=True, slots=True)
class FamilyMember:
    """An article about the same topic as another one, and the slugs of its first and last version."""

    id: str
    title: str
    status: Status
    since_slug: str | None
    until_slug: str | None


@dataclass(frozen=True, slots=True)
class TextAuthor:
    """The author of an article's own text and the time."""

    name: str
    changed_at: datetime


@dataclass(frozen=True, slots=True)
class DeletedArticle:
    """A row of `articles` in Recently deleted; articles deleted together share `deleted_at`."""

    id: str
    slug: str
    locale: str
    translation_of: str | None
    deleted_at: datetime


@dataclass(frozen=True, slots=True)
class OverviewCriteria:
    """The articles that the dashboard lists; None or False ignores a criterion.

    Without a language the list has originals, not their translations. An empty `collection_id` means: without
    a collection. `name` is a part of the title or the slug; each of `words` occurs somewhere in the article.
    """

    words: str = ""
    name: str = ""
    status: str | None = None
    locale: str | None = None
    collection_id: str | None = None
    visibility: str | None = None
    has_unpublished_changes: bool = False
    has_drafts: bool = False
    freshness: str | None = None
    # An email address; empty: articles without an owner.
    owner: str | None = None
    unchanged_for: timedelta | None = None
    # The position of a product version.
    version: int | None = None


@dataclass(frozen=True, slots=True)
class ArticleOverview:
    """One row of `articles` without its text, for the dashboard's lists.

    `author_name` and `text_changed_at` are those of the working copy if there is one, else of the text.
    `translations` are `{id, title, locale, status, outdated}`, by language.
    """

    id: str
    slug: str
    title: str
    locale: str
    translation_of: str | None
    status: Status
    visibility: Visibility
    collection_id: str | None
    position: int
    version: int
    origin: Origin
    has_unpublished_changes: bool
    since_slug: str | None
    until_slug: str | None
    translations: list[dict[str, Any]]
    pending_drafts: int
    author_name: str
    text_changed_at: datetime
    published_at: datetime | None
    updated_at: datetime
    # When its text was verified, or else written.
    known_at: datetime
    verified_by_name: str | None
    # Those that it does not have from a collection.
    own_owner: str | None
    own_review_by: date | None
    # `freshness`, `owner` and `reviewBy`, as the API has them.
    standing: dict[str, Any]

    @property
    def is_live(self) -> bool:
        return self.status == "published"


@dataclass(frozen=True, slots=True)
class ArticleCount:
    """The number of a collection's originals in a language; `collection_id` is None without a collection."""

    collection_id: str | None
    locale: str
    originals: int


@dataclass(frozen=True, slots=True)
class DeletedOverview:
    """An article in Recently deleted, as the dashboard lists it."""

    id: str
    title: str
    slug: str
    locale: str
    deleted_at: datetime
    author_name: str
    restorable_until: datetime
    # The languages of the translations that were deleted with it.
    translation_locales: list[str]


@dataclass(frozen=True, slots=True)
class Deletion:
    """The articles deleted together, and the time of the deletion."""

    id: str
    deleted_at: datetime
    translation_ids: list[str]


@dataclass(frozen=True, slots=True)
class Verification:
    """The proof that a text is right, and the commit of the code that it was compared with, if any."""

    by: VerifiedBy
    commit: str | None = None


@dataclass(frozen=True, slots=True)
class TextSource:
    """The operation that writes a text; stored with the text, and later with its revision."""

    origin: Origin
    draft_id: str | None = None
    # None: nothing has verified the text yet.
    verification: Verification | None = None


class ArticleVersions(Body):
    """The versions of the product that an article is about."""

    since_version: FirstVersion | MISSING | None = MISSING
    until_version: LastVersion | MISSING | None = MISSING
    version_of: VersionOf | MISSING | None = MISSING


class NewArticleFields(Body):
    """The fields of a new article, except for its versions."""

    title: ArticleTitle
    content_markdown: ArticleText
    slug: Slug | MISSING = MISSING
    description: Lead | MISSING = MISSING
    collection_id: CollectionRef | None = None
    visibility: Visibility = "public"
    locale: Locale | MISSING = Field(default=MISSING, description="If not sent, the bot's language.")
    translation_of: Text | MISSING = Field(
        default=MISSING,
        description="The article that this one translates, by its id or slug; it needs another `locale`.",
    )
    position: ArticlePosition | MISSING = MISSING


class ArticleCreate(NewArticleFields, ArticleVersions):
    """The fields of a new article."""


class TextEdit(Body):
    """Title and text, as the editor sends them."""

    title: ArticleTitle
    content: ArticleText


class ArticleChanges(Body):
    """The fields of an article that can be changed, except for its versions."""

    title: ArticleTitle | MISSING = MISSING
    content_markdown: ArticleText | MISSING = MISSING
    slug: Slug | MISSING = MISSING
    description: Lead | MISSING = MISSING
    collection_id: CollectionRef | MISSING | None = MISSING
    visibility: Visibility | MISSING = MISSING
    position: ArticlePosition | MISSING = MISSING
    owner: OwnerRef | MISSING | None = MISSING
    review_by: ReviewBy | MISSING | None = MISSING


class ArticleUpdate(ArticleChanges, ArticleVersions):
    """Only the sent fields are changed."""


class ArticleSplit(Body):
    """The version before which an article is split."""

    version: VersionRef = Field(
        description="The oldest version of the newer part, by id or slug; the article is in older ones too."
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
        description="The first version of the product that it is about; null: all older ones too."
    )
    until_version: str | None = Field(
        description="The last version of the product that it is about; null: all newer ones too."
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

"""Articles, their lists and their families (specification, Article)."""

from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any, Literal

from instep.content.articles.paths import path_of_article
from instep.platform.core.etags import etag_of
from instep.platform.identity.schemas import Bot
from instep.platform.web.shapes import Visibility

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

    `author_name` and `text_changed_at` belong to the working copy if there is one, else to the text.
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
    # The values of the article itself, without those that it inherits from a collection.
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

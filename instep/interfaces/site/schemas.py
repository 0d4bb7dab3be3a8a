"""The data on pages of a help center."""

from dataclasses import dataclass, field, fields
from datetime import datetime
from typing import Any

from instep.accounts.workspaces.site_frame import SiteFrame
from instep.content.articles.paths import path_of_article, path_of_locale
from instep.content.files.schemas import StoredFile
from instep.platform.identity.schemas import Bot, ReadVersion, SiteAccess
from instep.search.schemas import Audience, Passage


@dataclass(frozen=True, slots=True)
class SiteState(SiteAccess):
    """A help center, and the stamps that show whether a cached page is current.

    `accent` is the bot's color for the light and the dark scheme; None means Instep blue.
    `frame` is the frame around its pages. `changed_at` is the time of the last public change,
    `compared_at` that of the last compared code change.
    """

    accent: list[str] | None
    frame: dict[str, Any]
    changed_at: datetime
    compared_at: datetime | None


@dataclass(frozen=True, slots=True)
class Arrival(SiteState):
    """The result of a visit's first statement: the help center, and the links of its pages.

    `locales` are the languages of its live articles, `versions` the fields of each `ReadVersion`, the newest
    first.
    """

    has_changelog: bool
    locales: list[str]
    versions: list[dict[str, Any]]

    @property
    def state(self) -> SiteState:
        return SiteState(**{column.name: getattr(self, column.name) for column in fields(SiteState)})

    @property
    def read_versions(self) -> list[ReadVersion]:
        return [ReadVersion(**version) for version in self.versions]

    @property
    def site_frame(self) -> SiteFrame:
        return SiteFrame.model_validate(self.frame)


@dataclass(frozen=True, slots=True)
class PreviewArrival(Arrival):
    """The same by a preview link, and the drafts that it shows."""

    draft_id: str | None
    source_key: str
    expires_at: datetime


@dataclass(frozen=True, slots=True)
class ServedFile:
    """A file, and its audience through live texts that refer to it: everyone, or signed-in visitors."""

    file: StoredFile
    audience: Audience | None

    @property
    def is_public(self) -> bool:
        return self.audience == "public"


@dataclass(frozen=True, slots=True)
class FrontPage:
    """The existence of any help center, and the id of the only workspace; empty if there are several."""

    has_bots: bool
    workspace_id: str


@dataclass(frozen=True, slots=True)
class HelpCenterLink:
    """A help center in the list of the front page, and whether it has live articles."""

    slug: str
    name: str
    has_articles: bool


@dataclass(frozen=True, slots=True)
class ArticlePage:
    """A live article, and the `slug` and `title` of its collections, from the top down.

    `slugs` are those of a public page's live versions by language, including its own. `compared_at` is the
    time of the newest code change that it was compared with, `verified_at` that of its verification.
    """

    id: str
    slug: str
    # Not the page's if it is shown untranslated.
    locale: str
    title: str
    description: str | None
    html: str
    breadcrumbs: list[dict[str, str]]
    updated_at: datetime
    position: int
    is_public: bool
    slugs: dict[str, str] = field(default_factory=dict)
    compared_at: datetime | None = None
    verified_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class ListedText:
    """A live article in a list for programs, with the titles of its collections, from the top down."""

    slug: str
    locale: str
    title: str
    description: str | None
    collection_titles: list[str]


@dataclass(frozen=True, slots=True)
class WholeText:
    """A live article or a published entry with its whole text; an entry has no description."""

    slug: str
    locale: str
    title: str
    description: str | None
    markdown: str
    html: str
    updated_at: datetime


@dataclass(frozen=True, slots=True)
class TreeCollection:
    """A collection in the tree next to a text; `level` is 1 at the top."""

    slug: str
    title: str
    icon: str | None
    level: int


@dataclass(frozen=True, slots=True)
class RelatedArticle:
    """A link to a related article."""

    slug: str
    locale: str
    title: str
    description: str | None


@dataclass(frozen=True, slots=True)
class TreeArticle:
    """A live article in the tree next to a text."""

    slug: str
    locale: str
    title: str


@dataclass(frozen=True, slots=True)
class CollectionSection:
    """A collection with some of its live articles; an empty slug stands for articles without a collection.

    Its articles have `slug`, `locale`, `title` and `description`, the collections around it only `slug` and
    `title`.
    """

    slug: str
    title: str | None
    description: str | None
    icon: str | None
    # The number of its own live articles, on all pages.
    article_count: int
    articles: list[dict[str, str | None]]
    # The collections above it, from the top down, and its subcollections that lead to live articles.
    breadcrumbs: list[dict[str, str]]
    children: list[dict[str, str]]
    # False for a collection that only signed-in visitors see, and for articles without a collection.
    is_public: bool = False
    # The languages of the live articles to which it leads.
    locales: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class PublishedEntry:
    """A published changelog entry; `html` is None if the text is too long for a list of entries."""

    id: str
    slug: str
    title: str
    html: str | None
    published_at: datetime
    updated_at: datetime


@dataclass(frozen=True, slots=True)
class ArticleAddress:
    """The address of a live article; `text_id` is the same for an article and its translations.

    `collection_slugs` are those of its collection and of the collections above that.
    """

    slug: str
    locale: str
    text_id: str
    collection_slugs: list[str]
    updated_at: datetime


@dataclass(frozen=True, slots=True)
class EntryAddress:
    """The address of a published changelog entry."""

    slug: str
    updated_at: datetime


def article_url(bot: Bot, locale: str, slug: str) -> str:
    return bot.help_url + path_of_article(bot.locale, locale, slug)


def article_path(bot: Bot, locale: str, slug: str) -> str:
    return bot.home_path + path_of_article(bot.locale, locale, slug)


def passage_path(bot: Bot, locale: str, passage: Passage) -> str:
    """The path of a passage's article, in the version that is read or, without it there, in another one."""
    return article_path(bot.in_version(passage.other_version or bot.version), locale, passage.slug)


def llms_url(bot: Bot) -> str:
    """The index of all texts, for programs."""
    return f"{bot.with_all_versions.help_url}/llms.txt"


def path_in(bot: Bot, locale: str) -> str:
    """The path prefix of pages in a language, below the help center."""
    return path_of_locale(bot.locale, locale)


def root_path(bot: Bot, locale: str) -> str:
    """The path prefix of all pages in a language."""
    return bot.home_path + path_in(bot, locale)


def root_url(bot: Bot, locale: str) -> str:
    """The URL of all pages in a language, without a trailing slash."""
    return bot.help_url + path_in(bot, locale)


def search_path(bot: Bot, locale: str) -> str:
    return f"{root_path(bot, locale)}/search"


def ask_path(bot: Bot, locale: str) -> str:
    return f"{root_path(bot, locale)}/ask"


def collection_url(bot: Bot, locale: str, slug: str) -> str:
    return f"{root_url(bot, locale)}/collections/{slug}"


def section_path(root: str, section: CollectionSection) -> str:
    """The page that lists all articles of a section."""
    return f"{root}/" + (f"collections/{section.slug}" if section.slug else "articles")


def changelog_url(bot: Bot, slug: str | None = None) -> str:
    return f"{bot.with_all_versions.help_url}/changelog" + (f"/{slug}" if slug else "")

"""What the pages of a help center show."""

from dataclasses import dataclass
from datetime import datetime

from instep.articles.addresses import path_of_article, path_of_locale
from instep.identity.schemas import Bot, SiteAccess


@dataclass(frozen=True, slots=True)
class Arrival(SiteAccess):
    """What the first statement of a visit tells: the help center, and what each of its pages links to."""

    has_changelog: bool


@dataclass(frozen=True, slots=True)
class FrontPage:
    """Whether there is any help center, and the one workspace of all of them, or an empty text."""

    has_bots: bool
    workspace_id: str


@dataclass(frozen=True, slots=True)
class HelpCenter:
    """One in the list of the front page, and whether there is anything to read in it."""

    slug: str
    name: str
    has_articles: bool


@dataclass(frozen=True, slots=True)
class ArticlePage:
    """A live article with the names around it."""

    id: str
    slug: str
    locale: str
    title: str
    description: str | None
    html: str
    collection_title: str | None
    collection_slug: str | None
    updated_at: datetime


@dataclass(frozen=True, slots=True)
class Entry:
    """A live article in a list, with the collection that it stands in."""

    title: str
    description: str | None
    slug: str
    locale: str
    collection_slug: str | None
    collection_title: str | None
    collection_description: str | None
    collection_icon: str | None
    # How many live articles stand there, with those that are not on this page.
    article_count: int


@dataclass(frozen=True, slots=True)
class Section:
    """A collection with some of its live articles; the one without a slug is of those in no collection."""

    title: str | None
    slug: str | None
    description: str | None
    icon: str | None
    article_count: int
    entries: list[Entry]


@dataclass(frozen=True, slots=True)
class CollectionHead:
    """A public collection without its articles."""

    title: str
    slug: str
    description: str | None
    icon: str | None


@dataclass(frozen=True, slots=True)
class ChangelogEntry:
    """A published changelog entry; `html` is None where the text is too long to stand among others."""

    id: str
    slug: str
    title: str
    html: str | None
    published_at: datetime
    updated_at: datetime


@dataclass(frozen=True, slots=True)
class ArticleAddress:
    """Where a live article stands; `text_id` is the same for an article and its translations."""

    slug: str
    locale: str
    text_id: str
    collection_slug: str | None
    updated_at: datetime


@dataclass(frozen=True, slots=True)
class NewsAddress:
    """Where a published changelog entry stands."""

    slug: str
    updated_at: datetime


def article_url(bot: Bot, locale: str, slug: str) -> str:
    return bot.help_url + path_of_article(bot.locale, locale, slug)


def article_path(bot: Bot, locale: str, slug: str) -> str:
    return f"/help/{bot.slug}{path_of_article(bot.locale, locale, slug)}"


def search_path(bot: Bot, locale: str) -> str:
    return f"/help/{bot.slug}{path_of_locale(bot.locale, locale)}/search"


def collection_url(bot: Bot, slug: str) -> str:
    return f"{bot.help_url}/collections/{slug}"


def section_path(bot: Bot, section: Section) -> str:
    """The page that lists all articles of a section."""
    return f"/help/{bot.slug}/" + (f"collections/{section.slug}" if section.slug else "articles")


def changelog_url(bot: Bot, slug: str | None = None) -> str:
    return f"{bot.help_url}/changelog" + (f"/{slug}" if slug else "")

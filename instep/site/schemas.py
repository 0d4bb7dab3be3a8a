"""What the pages of a help center show."""

from dataclasses import dataclass
from datetime import datetime


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


@dataclass(frozen=True, slots=True)
class Section:
    """A collection with its live articles; the last one holds those without a collection."""

    title: str | None
    slug: str | None
    description: str | None
    icon: str | None
    entries: list[Entry]

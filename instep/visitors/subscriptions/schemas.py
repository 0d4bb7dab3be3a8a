"""The shapes of what readers follow."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any


@dataclass(frozen=True, slots=True)
class Topic:
    """A public article or collection that can be followed; without ids it is the changelog.

    `other_version` has the fields of the `ReadVersion` of its page, if it is not about the one that is read.
    """

    title: str
    slug: str = ""
    article_id: str | None = None
    collection_id: str | None = None
    other_version: dict[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class PublishedVersion:
    """A version of a public article, with the title and slug that the article has now."""

    article_id: str
    version: int
    slug: str
    title: str
    description: str | None
    is_first: bool
    sections: list[str]
    published_at: datetime


@dataclass(frozen=True, slots=True)
class Subscription:
    """A topic that a reader follows by email; `title` is None for the changelog."""

    id: str
    email: str
    locale: str
    title: str | None


@dataclass(frozen=True, slots=True)
class NewsItem:
    """An article or a changelog entry in the digest of a reader, with the number of all of them.

    `sections` are headings of changed sections, one per line. `other_version` has the fields of the
    `ReadVersion` of its page, if it is not about the current one.
    """

    email: str
    locale: str
    is_entry: bool
    slug: str
    title: str
    is_first: bool
    sections: str
    count: int
    other_version: dict[str, Any] | None = None

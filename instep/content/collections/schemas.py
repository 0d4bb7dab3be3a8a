"""The shapes of a collection (specification, Collection; contract section 4)."""

from dataclasses import dataclass
from datetime import date, datetime
from typing import Annotated, Any

from pydantic import MISSING, BeforeValidator, Field

from instep.platform.core import limits
from instep.platform.core.etags import etag_of
from instep.platform.identity.schemas import Bot
from instep.platform.web.shapes import (
    Body,
    Description,
    Out,
    Position,
    Slug,
    Text,
    Timestamp,
    Title,
    Visibility,
)


def date_of(value: Any) -> Any:
    """Parse a day from JSON or a form; a number of seconds is not converted."""
    if not isinstance(value, str):
        return value
    try:
        return date.fromisoformat(value)
    except ValueError:
        raise ValueError("it must be a day such as 2026-12-31") from None


CollectionTitle = Annotated[Title, Field(examples=["Getting started"])]
About = Annotated[
    Description,
    Field(description="The text at the top of its page.", examples=["Install it and take the first steps."]),
]
Parent = Annotated[
    Text,
    Field(description="The parent collection, by its id or slug; null for the top level."),
]
Icon = Annotated[Text, Field(max_length=limits.MAX_ICON_CHARACTERS, description="An emoji.", examples=["🚀"])]


OwnerRef = Annotated[
    Text,
    Field(
        description="A member's email address; null if it has no owner of its own.",
        examples=["ada@example.com"],
    ),
]
ReviewBy = Annotated[
    date,
    Field(
        description="The day on which it is due for review; null if it has no date of its own.",
        examples=["2026-12-31"],
    ),
    BeforeValidator(date_of),
]


@dataclass(frozen=True, slots=True)
class Collection:
    """One row of `collections`, with the number of its articles and properties from its ancestors."""

    id: str
    slug: str
    title: str
    description: str | None
    icon: str | None
    visibility: Visibility
    parent_id: str | None
    # From the top down, without itself.
    ancestor_ids: list[str]
    # Whether it and all of its ancestors are public.
    is_public: bool
    # Its position in the reading order of the help center; positions compare as lists do.
    place: list[str]
    sort_order: int
    article_count: int
    # Its own ones, which its articles have that have none.
    owner_id: str | None
    owner_name: str | None
    review_by: date | None
    created_at: datetime
    updated_at: datetime

    @property
    def etag(self) -> str:
        return etag_of(self.updated_at, self.article_count, self.is_public, self.owner_name)


class CollectionCreate(Body):
    """The fields of a new collection."""

    title: CollectionTitle
    description: About | MISSING = MISSING
    slug: Slug | MISSING = MISSING
    icon: Icon | MISSING = MISSING
    visibility: Visibility = "public"
    parent_id: Parent | None = None


class CollectionUpdate(Body):
    """Only the sent fields are changed; null or an empty text clears `description` and `icon`.

    `parentId` moves the collection with everything in it.
    """

    title: CollectionTitle | MISSING = MISSING
    description: About | MISSING | None = MISSING
    slug: Slug | MISSING = MISSING
    icon: Icon | MISSING | None = MISSING
    visibility: Visibility | MISSING = MISSING
    parent_id: Parent | MISSING | None = MISSING
    sort_order: (
        Annotated[
            Position,
            Field(
                description="The position among collections with the same parent, lowest first.", examples=[0]
            ),
        ]
        | MISSING
    ) = MISSING
    owner: OwnerRef | MISSING | None = MISSING
    review_by: ReviewBy | MISSING | None = MISSING


class OwnerOut(Out):
    """The member of the workspace who is responsible for it."""

    name: str = Field(description="The email address.", examples=["ada@example.com"])


class CollectionOut(Out):
    """A section of the help center."""

    id: str
    slug: str
    title: str
    description: str | None
    icon: str | None
    visibility: Visibility
    parent_id: str | None
    sort_order: int
    article_count: int = Field(
        description=(
            "The number of its own articles, of any status and language, without those in its subcollections."
        )
    )
    url: str | None = Field(
        description="The public address; null while it or a collection above it is `authenticated`."
    )
    bot_id: str
    owner: OwnerOut | None = Field(
        description="Its own owner. Articles and collections in it that have none share it."
    )
    review_by: date | None = Field(
        description="The day on which the articles in it are due for review, like `owner`.",
        examples=["2026-12-31"],
    )
    created_at: Timestamp
    updated_at: Timestamp

    @classmethod
    def of(cls, collection: Collection, bot: Bot) -> "CollectionOut":
        return cls(
            id=collection.id,
            slug=collection.slug,
            title=collection.title,
            description=collection.description,
            icon=collection.icon,
            visibility=collection.visibility,
            parent_id=collection.parent_id,
            sort_order=collection.sort_order,
            article_count=collection.article_count,
            url=f"{bot.help_url}/collections/{collection.slug}" if collection.is_public else None,
            bot_id=str(bot.id),
            owner=OwnerOut(name=collection.owner_name) if collection.owner_name else None,
            review_by=collection.review_by,
            created_at=collection.created_at,
            updated_at=collection.updated_at,
        )


class CollectionDeletedOut(Out):
    """The collection is deleted; its articles stay, without a collection, and its subcollections move up."""

    id: str
    deleted: bool

"""The shapes of a collection (specification, Collection; contract section 4)."""

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated

from pydantic import MISSING, Field

from instep.core import limits
from instep.core.etags import etag_of
from instep.identity.schemas import Bot
from instep.web.shapes import Body, Description, Out, Position, Slug, Text, Timestamp, Title, Visibility

CollectionTitle = Annotated[Title, Field(examples=["Getting started"])]
About = Annotated[
    Description, Field(description="The lead of its page.", examples=["Install it and take the first steps."])
]
Icon = Annotated[Text, Field(max_length=limits.MAX_ICON_CHARACTERS, description="An emoji.", examples=["🚀"])]


@dataclass(frozen=True, slots=True)
class Collection:
    """One row of `collections`, with the number of its articles."""

    id: str
    slug: str
    title: str
    description: str | None
    icon: str | None
    visibility: Visibility
    sort_order: int
    article_count: int
    created_at: datetime
    updated_at: datetime

    @property
    def etag(self) -> str:
        return etag_of(self.updated_at, self.article_count)


class CollectionCreate(Body):
    """What a new collection is made from."""

    title: CollectionTitle
    description: About | MISSING = MISSING
    slug: Slug | MISSING = MISSING
    icon: Icon | MISSING = MISSING
    visibility: Visibility = "public"


class CollectionUpdate(Body):
    """Only the fields sent are changed; null or an empty text clears `description` and `icon`."""

    title: CollectionTitle | MISSING = MISSING
    description: About | MISSING | None = MISSING
    slug: Slug | MISSING = MISSING
    icon: Icon | MISSING | None = MISSING
    visibility: Visibility | MISSING = MISSING
    sort_order: (
        Annotated[Position, Field(description="The place in the help center, lowest first.", examples=[0])]
        | MISSING
    ) = MISSING


class CollectionOut(Out):
    """A section of the help center."""

    id: str
    slug: str
    title: str
    description: str | None
    icon: str | None
    visibility: Visibility
    sort_order: int
    article_count: int = Field(description="Its articles, whatever their status and language.")
    url: str | None = Field(description="The public address; null while it is `authenticated`.")
    bot_id: str
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
            sort_order=collection.sort_order,
            article_count=collection.article_count,
            url=f"{bot.help_url}/collections/{collection.slug}"
            if collection.visibility == "public"
            else None,
            bot_id=str(bot.id),
            created_at=collection.created_at,
            updated_at=collection.updated_at,
        )


class CollectionDeletedOut(Out):
    """The collection is gone; its articles stay, without a collection."""

    id: str
    deleted: bool

"""The shapes of parts and variables."""

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Literal

from pydantic import MISSING, Field

from instep.platform.core import limits
from instep.platform.core.etags import etag_of
from instep.platform.web.shapes import Body, Locale, Out, Slug, Text, Timestamp

PartKind = Literal["part", "variable"]
PartText = Annotated[
    Text,
    Field(
        max_length=limits.MAX_PART_CHARACTERS,
        description="Markdown, which may contain other parts and variables; a variable is one line of at most"
        f" {limits.MAX_VARIABLE_CHARACTERS} characters.",
        examples=["Invoices are sent on the first day of the month."],
    ),
]
PartName = Annotated[Slug, Field(examples=["billing-note"])]


@dataclass(frozen=True, slots=True)
class SharedPart:
    """A row of `parts`: the text of a part or variable in one language.

    `uses` is the number of articles and changelog entries with its reference, in all languages.
    """

    id: str
    kind: PartKind
    name: str
    locale: str
    text: str
    version: int
    author_name: str
    uses: int
    created_at: datetime
    updated_at: datetime

    @property
    def reference(self) -> str:
        return f"{self.kind}.{self.name}"

    @property
    def etag(self) -> str:
        return etag_of(self.id, self.version)


@dataclass(frozen=True, slots=True)
class PartUse:
    """A text with a reference to a part: of an article or a changelog entry; `total` counts all of them."""

    kind: Literal["article", "changelog_entry"]
    id: str
    slug: str
    title: str
    locale: str
    status: str
    total: int


@dataclass(frozen=True, slots=True)
class UsedPart:
    """A part with the drafts and live articles that show it in its language, live ones first."""

    id: str
    kind: PartKind
    name: str
    locale: str
    text: str
    article_ids: list[str]

    @property
    def reference(self) -> str:
        return f"{self.kind}.{self.name}"

    @property
    def uses(self) -> int:
        return len(self.article_ids)


@dataclass(frozen=True, slots=True)
class FormerText:
    """An earlier text of a part."""

    version: int
    text: str
    author: str
    # ISO 8601.
    at: str


class PartCreate(Body):
    """The fields of a new part or variable."""

    kind: PartKind = "part"
    name: PartName
    text: PartText
    locale: Locale | MISSING = Field(
        default=MISSING,
        description="If not sent, the bot's language, whose text also shows in languages without their own.",
    )


class PartUpdate(Body):
    """The new text of a part or variable."""

    text: PartText


class PartOut(Out):
    """A part or a variable in one language."""

    id: str
    kind: PartKind
    name: str
    locale: str
    text: str
    reference: str = Field(
        description="The signs that show it in an article.", examples=["{{part.billing-note}}"]
    )
    version: int
    uses: int = Field(description="The number of articles and changelog entries that contain it.")
    updated_by: str
    bot_id: str
    created_at: Timestamp
    updated_at: Timestamp

    @classmethod
    def of(cls, part: SharedPart, bot_id: object) -> "PartOut":
        return cls.of_row(
            part, reference=f"{{{{{part.reference}}}}}", updated_by=part.author_name, bot_id=str(bot_id)
        )


class PartUseOut(Out):
    """A text that contains a part or a variable."""

    kind: Literal["article", "changelog_entry"]
    id: str
    slug: str
    title: str
    locale: str
    status: str


class PartUsesOut(Out):
    """The texts that a change of a part or variable touches."""

    total: int
    uses: list[PartUseOut] = Field(description=f"At most {limits.MAX_USES_SHOWN} of them.")


class PartDeletedOut(Out):
    """The part or variable is deleted in its language."""

    id: str
    deleted: bool


def uses_out(uses: list[PartUse]) -> PartUsesOut:
    return PartUsesOut(total=uses[0].total if uses else 0, uses=[PartUseOut.of_row(use) for use in uses])

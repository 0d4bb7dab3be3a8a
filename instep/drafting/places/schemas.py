"""The shapes of a place (contract section 11)."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from pydantic import Field

from instep.drafting.drafts.schemas import DismissalReason, DraftDismiss
from instep.platform.web.shapes import AuthorOut, Out, Timestamp

PlaceStatus = Literal["open", "resolved", "dismissed"]
PlaceSourceKind = Literal["pr", "commit", "release", "drift", "translation"]


@dataclass(frozen=True, slots=True)
class PlaceSource:
    """The change that asks for the text."""

    kind: PlaceSourceKind
    title: str
    url: str | None


@dataclass(frozen=True, slots=True)
class NewPlace:
    """A place that a task has found; `key` is the same in each change that asks for the same text."""

    article_id: str
    heading: str | None
    line: int
    reason: str
    evidence: tuple[dict[str, Any], ...]
    key: str
    summary: str


@dataclass(frozen=True, slots=True)
class Place:
    """A row of `places`, with its article's title and its assignee's email address."""

    id: str
    bot_id: UUID
    article_id: str
    article_title: str
    task_id: str | None
    status: PlaceStatus
    heading: str | None
    line: int
    reason: str
    evidence: list[dict[str, Any]]
    statement: dict[str, str]
    source_kind: PlaceSourceKind
    source_title: str
    source_url: str | None
    assignee_id: str | None
    assignee_name: str | None
    settled_by_name: str | None
    settled_at: datetime | None
    dismissal_reason: DismissalReason | None
    dismissal_comment: str | None
    created_at: datetime
    updated_at: datetime
    # The first and the last product version of the article, by slug.
    since_slug: str | None
    until_slug: str | None
    # The product version that the change is for, by id and slug.
    version_id: str | None
    version: str | None

    @property
    def key(self) -> str:
        return self.statement["key"]

    @property
    def own_evidence(self) -> list[dict[str, Any]]:
        """The lines of the change that asked last; those of other changes have a `source`."""
        return [row for row in self.evidence if "source" not in row]

    @property
    def other_sources(self) -> list[dict[str, Any]]:
        """The title, URL and task of each other change that asks for the same text, the latest first."""
        sources = (row["source"] for row in self.evidence if "source" in row)
        return list({(row["url"], row["title"]): row for row in sources}.values())

    def evidence_of_others(self, source: PlaceSource) -> list[dict[str, Any]]:
        """The lines of all other changes."""
        latest = {"title": self.source_title, "url": self.source_url, "task_id": self.task_id}
        rows = [{"source": latest, **row} for row in self.evidence]
        return [row for row in rows if not is_same(row["source"]["title"], row["source"]["url"], source)]

    def is_of(self, source: PlaceSource) -> bool:
        return is_same(self.source_title, self.source_url, source)


def is_same(title: str, url: str | None, source: PlaceSource) -> bool:
    """True if a change is this one, by its URL or, without one, by its title."""
    return url == source.url and (url is not None or title == source.title)


class PlaceDismiss(DraftDismiss):
    """The reason that the article needs no text here."""


class PlaceEvidenceOut(Out):
    """Lines of the code change that the text should cover."""

    file: str
    start_line: int
    end_line: int
    excerpt: str


class PlaceSourceOut(Out):
    """The change that asks for the text."""

    kind: PlaceSourceKind
    title: str
    url: str | None


class PlaceOut(Out):
    """A place where an article needs text that a code change does not provide."""

    id: str = Field(description="Begins with `plc_`.")
    article_id: str
    article_title: str = Field(description="The article's current title.")
    heading: str | None = Field(description="The section to write in; null: the article as a whole.")
    line: int = Field(description="The line of the article's Markdown, starting at 1, as the task read it.")
    reason: str = Field(description="The reason, in one sentence.")
    evidence: list[PlaceEvidenceOut] = Field(description="The lines of code to write about.")
    status: PlaceStatus
    assignee: AuthorOut | None = Field(description="The person assigned to write; null if unassigned.")
    task_id: str | None = Field(description="The latest task that found it.")
    version: str | None = Field(
        description="The version of the product, by slug, that the text is for; null if it is for all those"
        " of the article.",
        examples=["2.x"],
    )
    since_version: str | None = Field(
        description="The first version of the product that the article is about, by slug; null: no bound.",
        examples=[None],
    )
    until_version: str | None = Field(
        description="The last version of the product that the article is about, by slug; null: no bound.",
        examples=["2.x"],
    )
    source: PlaceSourceOut
    bot_id: str
    created_at: Timestamp
    updated_at: Timestamp


def place_out(place: Place) -> PlaceOut:
    assignee = None if place.assignee_name is None else AuthorOut(type="person", name=place.assignee_name)
    names = PlaceEvidenceOut.model_fields
    return PlaceOut.of_row(
        place,
        bot_id=str(place.bot_id),
        since_version=place.since_slug,
        until_version=place.until_slug,
        assignee=assignee,
        evidence=[PlaceEvidenceOut(**{name: row[name] for name in names}) for row in place.own_evidence],
        source=PlaceSourceOut(kind=place.source_kind, title=place.source_title, url=place.source_url),
    )

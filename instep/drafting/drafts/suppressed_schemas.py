"""The shapes of dismissed statements, which are not proposed again."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from pydantic import Field

from instep.drafting.drafts.proposals import Statement
from instep.drafting.drafts.schemas import DismissalReason
from instep.platform.web.shapes import AuthorOut, Out, Timestamp


@dataclass(frozen=True, slots=True)
class Dismissal:
    """The statement of a dismissed draft or place on an article; without one, on a new article."""

    article_id: str | None
    statements: Sequence[Statement]
    draft_id: str | None = None
    place_id: str | None = None


@dataclass(frozen=True, slots=True)
class SuppressedStatement:
    """A row of `suppressed_statements`: a statement that is not proposed again, and who dismissed it."""

    id: str
    article_id: str | None
    article_title: str | None
    summary: str
    reason: DismissalReason
    comment: str | None
    draft_id: str | None
    place_id: str | None
    author_type: str
    author_name: str
    created_at: datetime


@dataclass(frozen=True, slots=True)
class DismissedStatement:
    """A dismissed statement in short, and the reason."""

    article_id: str | None
    summary: str
    reason: DismissalReason
    comment: str | None


class SuppressedOut(Out):
    """A dismissed proposal, which tasks do not make again."""

    id: str
    article_id: str | None = Field(description="The affected article; null for the draft of a new article.")
    article_title: str | None
    summary: str = Field(description="A summary of the proposal.", examples=["max_upload_mb: “10” → “25”"])
    reason: DismissalReason = Field(description="The reason for the dismissal.")
    comment: str | None
    draft_id: str | None = Field(description="The draft that was dismissed, if it was one.")
    place_id: str | None = Field(description="The place that was dismissed, if it was one.")
    dismissed_by: AuthorOut
    dismissed_at: Timestamp

    @classmethod
    def of(cls, row: SuppressedStatement) -> "SuppressedOut":
        author = AuthorOut(type=row.author_type, name=row.author_name)
        return cls.of_row(row, dismissed_by=author, dismissed_at=row.created_at)


class SuppressedDeletedOut(Out):
    """Tasks may propose it again."""

    id: str
    deleted: Literal[True]

"""What is read of the API's answers about drafts; fields that a newer server adds are passed on."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from instep.client.ci.shapes import Evidence, Shape


@dataclass(frozen=True, kw_only=True)
class QueueEntry(Shape):
    """A draft as an entry of the list."""

    id: str
    type: str
    title: str
    article_title: str
    conflict: bool
    additions: int
    deletions: int
    source_url: str | None = None


@dataclass(frozen=True, kw_only=True)
class QueuePage(Shape):
    """The newest drafts that wait."""

    results: list[QueueEntry]
    has_more: bool = field(metadata={"name": "has_more"})
    next_cursor: str | None = field(metadata={"name": "next_cursor"}, default=None)


@dataclass(frozen=True, kw_only=True)
class DraftShown(QueueEntry):
    """A draft with all that a reviewer decides by; without a diff where it is a new article."""

    status: str
    article_id: str
    reason: str | None
    evidence: list[Evidence]
    questions: list[str]
    warnings: list[str]
    diff: str | None
    content_markdown: str
    current_version: int | None = None
    approved_at: str | None = None


@dataclass(frozen=True, kw_only=True)
class DraftSettled(Shape):
    """A draft or a place as a decision has left it."""

    id: str
    status: str


@dataclass(frozen=True, kw_only=True)
class DraftApplied(DraftSettled):
    """An applied draft, and what the server warns of: sentences beside its answer."""

    article_id: str
    warnings: Sequence[str] = ()


@dataclass(frozen=True, kw_only=True)
class ReleasedDraft(Shape):
    """A draft of a release."""

    id: str
    article_id: str


@dataclass(frozen=True, kw_only=True)
class ReleasedDrafts(Shape):
    """The result for the drafts of a release."""

    applied: Sequence[ReleasedDraft] = ()
    conflicts: Sequence[ReleasedDraft] = ()
    waiting: Sequence[ReleasedDraft] = ()

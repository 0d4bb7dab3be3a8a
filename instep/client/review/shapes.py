"""The fields of the API's answers about drafts that are read; fields of newer servers are passed on."""

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
    version: str | None = None


@dataclass(frozen=True, kw_only=True)
class QueuePage(Shape):
    """The newest pending drafts."""

    results: list[QueueEntry]
    has_more: bool = field(metadata={"name": "has_more"})
    next_cursor: str | None = field(metadata={"name": "next_cursor"}, default=None)


@dataclass(frozen=True, kw_only=True)
class DraftShown(QueueEntry):
    """A draft with everything that a reviewer needs to decide; a new article has no diff."""

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
    """A draft or a place after a decision."""

    id: str
    status: str


@dataclass(frozen=True, kw_only=True)
class DraftApplied(DraftSettled):
    """An applied draft, and the server's warnings about it."""

    article_id: str
    warnings: Sequence[str] = ()


@dataclass(frozen=True, kw_only=True)
class ReleasedDraft(Shape):
    """A draft of a release."""

    id: str
    article_id: str


@dataclass(frozen=True, kw_only=True)
class ReleasedDrafts(Shape):
    """The result of a release for its drafts."""

    applied: Sequence[ReleasedDraft] = ()
    conflicts: Sequence[ReleasedDraft] = ()
    waiting: Sequence[ReleasedDraft] = ()


@dataclass(frozen=True, kw_only=True)
class ModelEstimate(Shape):
    """The estimated usage of a language model."""

    name: str
    input_tokens: int
    output_tokens: int
    cost: str | None = None


@dataclass(frozen=True, kw_only=True)
class PlannedTranslations(Shape):
    """The numbers of articles that get a translation, and of the others."""

    locale: str
    articles: int
    translated: int
    waiting: int
    left: int
    model: ModelEstimate | None = None

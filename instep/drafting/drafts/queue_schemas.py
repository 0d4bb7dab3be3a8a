"""The shapes of the review queue by source, and of decisions on several drafts at once."""

from dataclasses import dataclass
from typing import Literal

from instep.drafting.drafts.release_schemas import DraftOfArticle
from instep.drafting.drafts.schemas import Certainty, DraftType, SourceKind
from instep.platform.core.errors import AppError


@dataclass(frozen=True, slots=True)
class BatchResult:
    """One of several drafts that are applied together, and why it was not applied; None if it was."""

    draft: DraftOfArticle
    refusal: AppError | None


@dataclass(frozen=True, slots=True)
class SourceBatch:
    """The result for the certain drafts of a source; `id` is its key."""

    id: str
    results: list[BatchResult]


@dataclass(frozen=True, slots=True, kw_only=True)
class DraftFilter:
    """The pending drafts and open places to show in the queue by source; None does not restrict them.

    The kind `author` is for proposals by people and programs.
    """

    kind: SourceKind | Literal["author"] | None = None
    type: DraftType | Literal["place"] | None = None
    certainty: Certainty | None = None
    article_id: str | None = None
    is_approved: bool | None = None
    has_conflict: bool | None = None
    # The person who is asked to review or write.
    assignee_id: str | None = None
    is_assigned: bool | None = None


@dataclass(frozen=True, slots=True)
class ReviewSchedule:
    """Days until people are reminded of what waits, and until a draft expires; None for never."""

    reminder_days: int | None
    expiry_days: int | None

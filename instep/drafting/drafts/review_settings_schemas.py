"""The shapes of the review settings (API: `GET /review-settings` and `PATCH /review-settings`)."""

from typing import Annotated, ClassVar

from pydantic import MISSING, AfterValidator, BeforeValidator, Field

from instep.platform.core import limits
from instep.platform.web.shapes import NOT_BLANK, Body, Out, Text, integral, not_blank

ReminderDays = Annotated[
    int,
    Field(ge=limits.MIN_REMINDER_DAYS, le=limits.MAX_FOLLOW_UP_DAYS, examples=[7]),
    BeforeValidator(integral),
]
ExpiryDays = Annotated[
    int,
    Field(ge=limits.MIN_EXPIRY_DAYS, le=limits.MAX_FOLLOW_UP_DAYS, examples=[30]),
    BeforeValidator(integral),
]
ExcludedLabel = Annotated[
    Text,
    Field(max_length=limits.MAX_LABEL_CHARACTERS, json_schema_extra={"pattern": NOT_BLANK}),
    AfterValidator(not_blank),
    AfterValidator(str.strip),
]


class CollectionReviewers(Body):
    """People who are asked in turn about the drafts and places of a collection."""

    collection_id: Text = Field(description="Also applies to the collections inside it that have no rule.")
    reviewers: list[Text] = Field(
        description="Email addresses of members who may review.", examples=[["ada@example.com"]]
    )


CollectionRules = Annotated[list[CollectionReviewers], Field(max_length=limits.MAX_ASSIGNMENT_RULES)]
ExcludedLabels = Annotated[
    list[ExcludedLabel], Field(max_length=limits.MAX_ASSIGNMENT_RULES, examples=[["internal"]])
]


class ReviewSettingsUpdate(Body):
    """The review settings that change."""

    reminder_days: ReminderDays | MISSING | None = MISSING
    expiry_days: ExpiryDays | MISSING | None = MISSING
    collection_rules: CollectionRules | MISSING = MISSING
    excluded_labels: ExcludedLabels | MISSING = MISSING


class ReviewSettingsOut(Out):
    """The reviewers of new drafts and places, the reminders, and the expiry of drafts."""

    # The name in the audit.
    id: ClassVar = "review-settings"
    reminder_days: int | None = Field(description="Days until people are reminded; null: never.")
    expiry_days: int | None = Field(description="Days until an unchanged draft expires; null: never.")
    collection_rules: list[CollectionReviewers]
    excluded_labels: list[str] = Field(
        description="Drafts of pull requests with such a label are not assigned."
    )

"""The shapes of releases (contract section 10)."""

from dataclasses import dataclass
from typing import Annotated

from pydantic import MISSING, ConfigDict, Field

from instep.platform.core import limits
from instep.platform.web.shapes import Body, Out, SourceUrl, Text


class ReleaseCreate(Body):
    """The sources of drafts that have shipped, by their URLs or tasks."""

    model_config = ConfigDict(
        json_schema_extra={
            "minProperties": 1,
            "examples": [{"sourceUrls": ["https://git.example.com/acme/app/pull/42"]}],
        }
    )

    source_urls: Annotated[list[SourceUrl], Field(max_length=limits.MAX_RELEASE_SOURCES)] | MISSING = Field(
        default=MISSING, description="The `sourceUrl` of drafts."
    )
    task_ids: Annotated[list[Text], Field(max_length=limits.MAX_RELEASE_SOURCES)] | MISSING = Field(
        default=MISSING, description="The `taskId` of drafts."
    )


@dataclass(frozen=True, slots=True)
class DraftOfArticle:
    """A draft and the article that it is for."""

    id: str
    article_id: str
    is_approved: bool


@dataclass(frozen=True, slots=True)
class Release:
    """The result of a release for its drafts; `id` names its sources in the audit log."""

    id: str
    applied: list[DraftOfArticle]
    conflicts: list[DraftOfArticle]
    waiting: list[DraftOfArticle]


class DraftOfArticleOut(Out):
    """A draft of a release."""

    id: str
    article_id: str


class ReleaseOut(Out):
    """The result for the drafts of the sources."""

    applied: list[DraftOfArticleOut] = Field(description="Approved drafts that were applied now.")
    conflicts: list[DraftOfArticleOut] = Field(
        description="Approved drafts whose lines have changed in the article since: they are still pending, "
        "and their approval is taken back."
    )
    waiting: list[DraftOfArticleOut] = Field(description="Pending drafts that nobody has approved.")

    @classmethod
    def of(cls, release: Release) -> "ReleaseOut":
        groups = {name: getattr(release, name) for name in cls.model_fields}
        return cls(**{name: [DraftOfArticleOut.of_row(row) for row in rows] for name, rows in groups.items()})

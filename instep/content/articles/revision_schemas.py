"""The shapes of a revision: a replaced text of an article, and its differences (specification, Revision)."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from pydantic import Field

from instep.content.articles.schemas import Origin
from instep.platform.core.markdown import Format
from instep.platform.text.diff import TextDiff
from instep.platform.web.shapes import AuthorOut, Out, Timestamp


@dataclass(frozen=True, slots=True)
class VersionText:
    """The title and text of a version of an article."""

    title: str
    content: str
    version: int


@dataclass(frozen=True, slots=True)
class VersionOverview:
    """A version of an article without its text; the current one has no `revision_id`.

    `written_at` is None if the previous version is no longer stored.
    """

    version: int
    revision_id: str | None
    title: str
    origin: Origin
    draft_id: str | None
    author_name: str
    written_at: datetime | None


@dataclass(frozen=True, slots=True)
class Revision:
    """One row of `revisions`: a text that was replaced."""

    id: str
    article_id: str
    version: int
    title: str
    content: str
    origin: Origin
    draft_id: str | None
    author_type: str
    author_name: str
    created_at: datetime


@dataclass(frozen=True, slots=True)
class RevisionDiff:
    """The differences between a revision and another text of the article."""

    revision: Revision
    compare_to: str
    diff: TextDiff


class RevisionListItemOut(Out):
    """A replaced text, and the operation that had written it."""

    id: str
    article_id: str
    version: int = Field(description="The article's version when this text was current.")
    title: str
    origin: Origin = Field(description="The kind of author that wrote this text.")
    draft_id: str | None = Field(description="The draft that this text came from.")
    author: AuthorOut = Field(description="The author of this text.")
    created_at: Timestamp = Field(description="The time at which this text was replaced.")


class RevisionOut(RevisionListItemOut):
    """A revision with its text in Markdown."""

    content_markdown: str


class RevisionHtmlOut(RevisionListItemOut):
    """A revision with its text in HTML."""

    content_html: str


def revision_item_out(revision: Revision) -> RevisionListItemOut:
    return RevisionListItemOut(**revision_fields(revision))


def revision_out(revision: Revision, format: Format) -> RevisionOut | RevisionHtmlOut:
    if format == "html":
        return RevisionHtmlOut(**revision_fields(revision), content_html=revision.content)
    return RevisionOut(**revision_fields(revision), content_markdown=revision.content)


def revision_fields(revision: Revision) -> dict[str, Any]:
    return {
        "id": revision.id,
        "article_id": revision.article_id,
        "version": revision.version,
        "title": revision.title,
        "origin": revision.origin,
        "draft_id": revision.draft_id,
        "author": AuthorOut(type=revision.author_type, name=revision.author_name),
        "created_at": revision.created_at,
    }


class RevisionDiffOut(Out):
    """A unified diff, empty if the texts and titles are identical."""

    article_id: str
    revision_id: str
    compare_to: str = Field(description="`current`, or the id of a revision.", examples=["current"])
    diff: str
    additions: int
    deletions: int
    identical: bool = Field(description="True if text and title are the same.")


def revision_diff_out(comparison: RevisionDiff) -> RevisionDiffOut:
    return RevisionDiffOut(
        article_id=comparison.revision.article_id,
        revision_id=comparison.revision.id,
        compare_to=comparison.compare_to,
        diff=comparison.diff.diff,
        additions=comparison.diff.additions,
        deletions=comparison.diff.deletions,
        identical=not comparison.diff.diff,
    )

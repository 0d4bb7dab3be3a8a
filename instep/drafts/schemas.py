"""The shapes of a draft (specification, Draft; contract section 4)."""

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import MISSING, Field

from instep.core import limits
from instep.web.shapes import AuthorOut, Body, Format, Markdown, Out, Text, Timestamp, Title

DraftType = Literal["edit", "new_article", "gap_draft"]
DraftStatus = Literal["pending", "applied", "dismissed"]
OnConflict = Literal["overwrite", "merge", "fail"]
Reason = Annotated[Text, Field(max_length=limits.REASON)]
SourceUrl = Annotated[Text, Field(max_length=limits.SOURCE_URL)]


class EvidenceOut(Out):
    """A place of the code change behind an edit: lines of the changed file, and the article's line."""

    file: str
    start_line: int
    end_line: int
    excerpt: str
    article_line: int | None


@dataclass(frozen=True, slots=True)
class Proposal:
    """A proposed text of an article, and the text that it was made against."""

    content: str
    base_version: int
    base_title: str
    base_content: str
    title: str | None = None
    reason: str | None = None
    source_url: str | None = None
    task_id: str | None = None
    evidence: tuple[EvidenceOut, ...] = ()
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Draft:
    """A row of `drafts` with what the queue shows of its article."""

    id: str
    type: DraftType
    status: DraftStatus
    title: str
    article_id: str
    article_title: str
    reason: str | None
    source_url: str | None
    task_id: str | None
    conflict: bool
    additions: int
    deletions: int
    author_type: str
    author_name: str
    created_at: datetime
    updated_at: datetime


@dataclass(frozen=True, slots=True)
class DraftTexts(Draft):
    """A draft with its text, the text it was made against and the article's present text."""

    own_title: str | None
    content: str
    base_version: int
    base_title: str
    base_content: str
    current_version: int
    current_content: str
    evidence: list[dict[str, Any]]
    warnings: list[str]


@dataclass(frozen=True, slots=True)
class DraftDetail:
    """A draft with what a reviewer decides by."""

    draft: DraftTexts
    content: str
    diff: str | None
    merged: str | None


class DraftCreate(Body):
    """A proposed edit: the whole new text of the article."""

    content_markdown: Markdown
    title: Title | MISSING = MISSING
    reason: Reason | None = None
    source_url: SourceUrl | None = None


class DraftUpdate(Body):
    """Only the fields sent are changed."""

    title: Title | MISSING = MISSING
    content_markdown: Markdown | MISSING = MISSING


class DraftApply(Body):
    """What to apply in place of the proposal, and what to do when the article has changed since."""

    title: Title | MISSING = MISSING
    content_markdown: Markdown | MISSING = MISSING
    on_conflict: OnConflict = "overwrite"


class DraftListItemOut(Out):
    """An entry of the review queue."""

    id: str
    type: DraftType
    status: DraftStatus
    title: str
    article_id: str
    article_title: str
    reason: str | None
    source_url: str | None
    task_id: str | None
    conflict: bool
    additions: int
    deletions: int
    author: AuthorOut
    created_at: Timestamp
    updated_at: Timestamp


class DraftFields(DraftListItemOut):
    """What both forms of a draft's detail share."""

    diff: str | None
    merged_markdown: str | None
    base_version: int
    current_version: int
    evidence: list[EvidenceOut]
    questions: list[str]
    warnings: list[str]


class DraftOut(DraftFields):
    """A draft with its text in Markdown."""

    content_markdown: str


class DraftHtmlOut(DraftFields):
    """A draft with its text in HTML."""

    content_html: str


class DraftAppliedOut(Out):
    """The draft's text is the article's now."""

    id: str
    status: DraftStatus
    article_id: str


class DraftDismissedOut(Out):
    """The draft has left the queue; the article is as it was."""

    id: str
    status: DraftStatus


def draft_item_out(draft: Draft) -> DraftListItemOut:
    return DraftListItemOut(**item_fields(draft))


def draft_out(detail: DraftDetail, form: Format) -> DraftOut | DraftHtmlOut:
    draft = detail.draft
    fields: dict[str, Any] = {
        **item_fields(draft),
        "diff": detail.diff,
        "merged_markdown": detail.merged,
        "base_version": draft.base_version,
        "current_version": draft.current_version,
        "evidence": draft.evidence,
        "questions": [],
        "warnings": draft.warnings,
    }
    if form == "html":
        return DraftHtmlOut(**fields, content_html=detail.content)
    return DraftOut(**fields, content_markdown=detail.content)


def item_fields(draft: Draft) -> dict[str, Any]:
    names = set(DraftListItemOut.model_fields) - {"author"}
    author = AuthorOut(type=draft.author_type, name=draft.author_name)
    return {name: getattr(draft, name) for name in names} | {"author": author}

"""The shapes of a draft (specification, Draft; contract section 4)."""

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import MISSING, BeforeValidator, ConfigDict, Field

from instep.platform.core import limits
from instep.platform.core.etags import etag_of
from instep.platform.core.markdown import Format
from instep.platform.web.shapes import (
    AuthorOut,
    Body,
    Markdown,
    Out,
    SourceUrl,
    Text,
    Timestamp,
    Title,
    integral,
)

DraftType = Literal["edit", "new_article", "gap_draft"]
DraftStatus = Literal["pending", "applied", "dismissed"]
OnConflict = Literal["merge", "overwrite", "fail"]
Certainty = Literal["certain", "likely"]
SourceKind = Literal["pr", "commit", "release", "drift", "translation", "article", "question"]
DismissalReason = Literal["not_needed", "wrong_article", "wrong_text", "duplicate", "later"]
Reason = Annotated[Text, Field(max_length=limits.MAX_REASON_CHARACTERS)]
HunkNumber = Annotated[int, Field(ge=1, le=limits.MAX_INTEGER), BeforeValidator(integral)]
Version = Annotated[int, Field(ge=1, le=limits.MAX_INTEGER), BeforeValidator(integral)]


class EvidenceOut(Out):
    """A location in the code change behind an edit: lines of the changed file, and the article's line."""

    file: str
    start_line: int
    end_line: int
    excerpt: str
    article_line: int | None
    reason: str | None = Field(
        default=None, description="The reason for this edit; null if the draft's reason covers it."
    )


@dataclass(frozen=True, slots=True)
class TitledText:
    """The title and text of an article, whether they are live or proposed."""

    title: str
    content: str


@dataclass(frozen=True, slots=True)
class OtherDrafts:
    """The number of other pending edits of an article, and the ids of the newest."""

    ids: list[str]
    count: int


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
    source_kind: SourceKind | None
    source_title: str | None
    # The version of the product that its change is for, by id and slug.
    version_id: str | None
    version: str | None
    # The first and the last version of the product that its article is about.
    since_slug: str | None
    until_slug: str | None
    # Whether it was approved for all versions of its article.
    changes_all_versions: bool
    certainty: Certainty | None
    approved_by_type: str | None
    approved_by_name: str | None
    approved_at: datetime | None
    settled_by_name: str | None
    settled_at: datetime | None
    replaced_by: str | None
    assignee_id: str | None
    assignee_name: str | None
    author_type: str
    author_name: str
    created_at: datetime
    updated_at: datetime

    @property
    def can_be_released(self) -> bool:
        return can_be_released(self.source_url, self.task_id, self.source_kind)


def can_be_released(source_url: str | None, task_id: str | None, source_kind: str | None) -> bool:
    """True for a draft of a change that ships later: a release names the change, and nothing else."""
    return (source_url is not None or task_id is not None) and source_kind != "drift"


@dataclass(frozen=True, slots=True)
class DraftTexts(Draft):
    """A draft with its text, the text that it is based on and the article's current text."""

    proposed_title: str | None
    content: str
    base_version: int
    base_title: str
    base_content: str
    current_version: int
    current_content: str
    evidence: list[dict[str, Any]]
    questions: list[str]
    warnings: list[str]
    statements: list[dict[str, str]]
    model: str | None
    edited_by_name: str | None
    # The lines of the proposed text, from 1, that people have written.
    edited_lines: list[int]
    written_title: str | None
    written_content: str | None
    dismissal_reason: DismissalReason | None
    dismissal_comment: str | None
    replaced_version: int | None
    applied_version: int | None
    # The person, the API key, or the trust of the key; None: the service.
    proposer_id: str | None

    @property
    def statement_keys(self) -> list[str]:
        return [statement["key"] for statement in self.statements]

    @property
    def text_digest(self) -> str:
        """Identifies the proposal's state, to notice when it differs from what a reviewer saw."""
        return etag_of(f"{self.title}\0{self.content}".encode()).strip('"')

    @property
    def written(self) -> TitledText:
        """The text of the proposal before people edited it."""
        if self.edited_by_name is None:
            return TitledText(self.title, self.content)
        if self.written_content is None:
            return self.base
        return TitledText(self.written_title or self.article_title, self.written_content)

    def proposes(self, text: TitledText, base: TitledText) -> bool:
        return TitledText(self.title, self.content) == text and self.base == base

    @property
    def has_words_of_people(self) -> bool:
        """True if it contains a person's text that no earlier draft contains."""
        return self.author_type != "task" or self.written != TitledText(self.title, self.content)

    @property
    def base(self) -> TitledText:
        """The text that the proposal is based on."""
        return TitledText(self.base_title, self.base_content)

    @property
    def live(self) -> TitledText:
        """The article's current text."""
        return TitledText(self.article_title, self.current_content)

    @property
    def compared_with(self) -> str:
        """The article's current text or, for a settled draft, the text that it is based on."""
        return self.current_content if self.status == "pending" else self.base_content


@dataclass(frozen=True, slots=True)
class DroppedDraft:
    """A pending draft that its change's latest task no longer makes, or that a change reverts."""

    id: str
    # Whether it contains a person's text that no earlier draft contains.
    is_edited: bool
    is_kept: bool


@dataclass(frozen=True, slots=True)
class DraftDetail:
    """A draft with everything that a reviewer needs to decide."""

    draft: DraftTexts
    content: str
    diff: str | None
    merged: str | None

    @property
    def id(self) -> str:
        return self.draft.id


class DraftCreate(Body):
    """A proposed edit: the whole new text of the article."""

    content_markdown: Markdown = Field(
        description="The whole new text, not only the changed part.",
        examples=["Run `setup`, then sign in.\n"],
    )
    title: Title | MISSING = Field(
        default=MISSING, description="A new title; if not sent, the article keeps its title."
    )
    reason: Reason | MISSING = Field(
        default=MISSING, description="The reason, for the reviewer.", examples=["The command was renamed."]
    )
    source_url: SourceUrl | MISSING = Field(
        default=MISSING,
        description="The pull request, issue or page behind the edit.",
        examples=["https://git.example.com/acme/app/pull/42"],
    )


class DraftUpdate(Body):
    """Only the fields sent are changed."""

    title: Title | MISSING = Field(default=MISSING, description="The proposed title.")
    content_markdown: Markdown | MISSING = Field(
        default=MISSING, description="The whole proposed text.", examples=["Run `setup`, then sign in.\n"]
    )


class DraftApply(Body):
    """A text to apply instead of the proposal, and what to do if the article has changed since."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"onConflict": "merge"}]})

    title: Title | MISSING = Field(default=MISSING, description="Replaces the proposed title.")
    content_markdown: Markdown | MISSING = Field(
        default=MISSING,
        description="Replaces the proposed text, and is merged as that would be; for drafts of the type"
        " `edit` only.",
    )
    hunks: list[HunkNumber] | MISSING = Field(
        default=MISSING,
        min_length=1,
        max_length=limits.MAX_HUNKS,
        description="Apply only these hunks of an edit's `diff`, numbered from 1; with `baseVersion`, and"
        " without `contentMarkdown`.",
        examples=[[1, 3]],
    )
    base_version: Version | MISSING = Field(
        default=MISSING,
        description="The draft's `currentVersion`: 400 `conflict` unless it is still the article's.",
    )
    when: Literal["now", "release"] = Field(
        default="now",
        description="`release` approves the draft, and leaves it pending until `POST /releases` names its"
        " source.",
    )
    on_conflict: OnConflict = Field(
        default="merge",
        description="If the article has changed since: `merge` joins both changes, or refuses with 400"
        " `conflict` if they overlap. `overwrite` replaces the article; `Instep-Warnings` names"
        " what that removes. `fail` refuses.",
    )
    all_versions: bool = Field(
        default=False,
        description="True changes the article in all of its product versions. By default a draft for one"
        " version leaves the others their text, in a copy of the article.",
    )


class DraftDismiss(Body):
    """The reason that the draft is not applied."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"reason": "wrong_text"}]})

    reason: DismissalReason | MISSING = Field(
        default=MISSING,
        description="After `not_needed`, `wrong_article` and `wrong_text` no task proposes the same for"
        " the article again; `GET /insights/suppressed` lists these.",
    )
    comment: Reason | MISSING = Field(
        default=MISSING, description="A comment for colleagues.", examples=["It is an internal name."]
    )


class DraftSourceOut(Out):
    """The source of a draft."""

    kind: SourceKind = Field(
        description="A change of the product (`pr`, `commit`, `release`), a check of the articles"
        " against the code (`drift`), a request for an article (`article`), or visitors' questions"
        " (`question`)."
    )
    title: str = Field(description="The title of the change or the article, or the first question.")
    url: str | None
    task_id: str | None = Field(description="The task that proposed it; null for questions.")


class DraftListItemOut(Out):
    """An entry of the review queue."""

    id: str = Field(description="Begins with `edit_`, `article_` or `gap_`, by its type.")
    type: DraftType
    status: DraftStatus
    title: str
    article_id: str = Field(description="The article to edit, or the new article, which is in review.")
    article_title: str = Field(description="The article's current title.")
    reason: str | None
    source_url: str | None
    task_id: str | None = Field(description="The task that proposed it.")
    source: DraftSourceOut | None = Field(
        description="The source of the draft; null for drafts by people and programs."
    )
    version: str | None = Field(
        description="The slug of the product version that its change is for; null: it changes all versions of"
        " the article."
    )
    certainty: Certainty | None = Field(
        description="`certain`: the change proves each of its edits. `likely`: a reviewer has to decide. Null"
        " for drafts by people and programs."
    )
    approved_by: AuthorOut | None = Field(description="The person or program that approved it for a release.")
    approved_at: Timestamp | None = Field(description="The time of its approval for a release.")
    conflict: bool = Field(
        description="True if the article has changed since; false once the draft is settled."
    )
    additions: int = Field(description="Lines that applying adds.")
    deletions: int = Field(description="Lines that applying removes.")
    author: AuthorOut
    created_at: Timestamp
    updated_at: Timestamp


class DismissalOut(Out):
    """The reason that a draft left the queue without being applied."""

    reason: DismissalReason | None = Field(examples=["not_needed"])
    comment: str | None = Field(description="A comment; a task explains here why it withdrew the draft.")
    replaced_by: str | None = Field(description="The draft that replaced it.")


class DraftFields(DraftListItemOut):
    """Fields shared by both forms of a draft's detail."""

    diff: str | None = Field(
        description="Unified diff from the article's current text to the result of applying: the merge if"
        " there is a conflict and both changes can be merged, else the proposal. For a settled edit, the diff"
        " from the text that it was based on; null for new articles."
    )
    merged_markdown: str | None = Field(
        description="With a conflict, both changes merged if possible, which is the result of applying."
    )
    base_version: int = Field(description="The article's version that the edit was made against.")
    current_version: int = Field(description="The article's current version.")
    evidence: list[EvidenceOut] = Field(description="The locations in the code change that prove the edit.")
    questions: list[str] = Field(description="The questions of visitors behind a `gap_` draft.")
    warnings: list[str] = Field(
        description="Points to check by hand, obstacles to applying it, and other pending drafts of the"
        " article."
    )
    dismissal: DismissalOut | None = Field(description="Set for a dismissed draft, else null.")


class DraftOut(DraftFields):
    """A draft with its text in Markdown."""

    content_markdown: str


class DraftHtmlOut(DraftFields):
    """A draft with its text in HTML."""

    content_html: str


class DraftAppliedOut(Out):
    """The draft's text is now the article's, or will be with the release."""

    id: str
    status: Literal["applied", "pending"] = Field(description="`pending` if it was approved for a release.")
    article_id: str


class DraftDismissedOut(Out):
    """The draft has left the queue."""

    id: str
    status: Literal["dismissed"]


def draft_applied_out(draft: Draft) -> DraftAppliedOut:
    status: Literal["applied", "pending"] = "applied" if draft.status == "applied" else "pending"
    return DraftAppliedOut(id=draft.id, status=status, article_id=draft.article_id)


def draft_item_out(draft: Draft) -> DraftListItemOut:
    return DraftListItemOut(**item_fields(draft))


def draft_out(detail: DraftDetail, format: Format) -> DraftOut | DraftHtmlOut:
    draft = detail.draft
    fields: dict[str, Any] = {
        **item_fields(draft),
        "diff": detail.diff,
        "merged_markdown": detail.merged,
        "base_version": draft.base_version,
        "current_version": draft.current_version,
        "evidence": draft.evidence,
        "questions": draft.questions,
        "warnings": draft.warnings,
        "dismissal": dismissal_out(draft),
    }
    if format == "html":
        return DraftHtmlOut(**fields, content_html=detail.content)
    return DraftOut(**fields, content_markdown=detail.content)


def item_fields(draft: Draft) -> dict[str, Any]:
    shapes = {
        "author": author_out(draft.author_type, draft.author_name),
        "approved_by": author_out(draft.approved_by_type, draft.approved_by_name),
        "source": source_out(draft),
    }
    names = set(DraftListItemOut.model_fields) - shapes.keys()
    return {name: getattr(draft, name) for name in names} | shapes


def dismissal_out(draft: DraftTexts) -> DismissalOut | None:
    if draft.status != "dismissed":
        return None
    return DismissalOut(
        reason=draft.dismissal_reason, comment=draft.dismissal_comment, replaced_by=draft.replaced_by
    )


def author_out(kind: str | None, name: str | None) -> AuthorOut | None:
    return None if kind is None or name is None else AuthorOut(type=kind, name=name)


def source_out(draft: Draft) -> DraftSourceOut | None:
    if draft.source_kind is None:
        return None
    title = draft.source_title or draft.title
    return DraftSourceOut(kind=draft.source_kind, title=title, url=draft.source_url, task_id=draft.task_id)


class DraftReopenedOut(Out):
    """The draft waits for review again."""

    id: str
    status: Literal["pending"]
    article_id: str

"""The shapes of a task (specification, Task; contract section 4)."""

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any, Literal
from uuid import UUID

from pydantic import MISSING, ConfigDict, Field
from pydantic.config import JsonDict

from instep.drafting.drafts.schemas import DraftType, EvidenceOut
from instep.platform.core import limits
from instep.platform.web.shapes import Body, Out, SourceUrl, Text, Timestamp, Title

TaskType = Literal["document_change", "write_article"]
TaskStatus = Literal["queued", "running", "completed", "failed"]
Outcome = Literal["drafts", "places", "no_changes"]
VerdictKind = Literal["edit", "concerned", "no_edit"]
ChangeKind = Literal["pr", "commit", "release"]
# Drift checks and changes that translations follow are recorded as tasks without a sender.
TaskChangeKind = Literal["pr", "commit", "release", "drift", "translation"]
Diff = Annotated[Text, Field(max_length=limits.MAX_DIFF_CHARACTERS)]
Bundle = Annotated[Text, Field(min_length=1, max_length=limits.MAX_TITLE_CHARACTERS)]
ChangeBody = Annotated[Text, Field(max_length=limits.MAX_CHANGE_BODY_CHARACTERS)]
IssueTitle = Annotated[Text, Field(min_length=1, max_length=limits.MAX_TITLE_CHARACTERS)]
IssueBody = Annotated[Text, Field(max_length=limits.MAX_ISSUE_CHARACTERS)]
CodePath = Annotated[Text, Field(min_length=1, max_length=limits.MAX_CODE_PATH_CHARACTERS)]
Label = Annotated[Text, Field(min_length=1, max_length=limits.MAX_LABEL_CHARACTERS)]
AuthorEmail = Annotated[Text, Field(max_length=limits.MAX_EMAIL_CHARACTERS)]
Code = Annotated[Text, Field(max_length=limits.MAX_CODE_EXCERPT_CHARACTERS)]
Version = Annotated[Text, Field(min_length=1, max_length=limits.MAX_VERSION_CHARACTERS)]
Branch = Annotated[Text, Field(min_length=1, max_length=limits.MAX_BRANCH_CHARACTERS)]
Instructions = Annotated[Text, Field(max_length=limits.MAX_INSTRUCTIONS_CHARACTERS)]
CHANGE: JsonDict = {
    "change": {
        "kind": "pr",
        "title": "Raise the upload limit",
        "url": "https://git.example.com/acme/app/pull/42",
        "diff": "--- a/config.py\n+++ b/config.py\n@@ -1 +1 @@\n-max_upload_mb = 10\n+max_upload_mb = 25\n",
    }
}
ARTICLE: JsonDict = {
    "article": {
        "title": "Export your data",
        "instructions": "Exports are made at night.\n\n1. Open the settings.\n2. Choose Export.\n",
    }
}


@dataclass(frozen=True, slots=True)
class Task:
    """One row of `tasks` with its drafts."""

    id: str
    bot_id: UUID
    type: TaskType
    status: TaskStatus
    change_kind: TaskChangeKind | None
    change_title: str | None
    change_url: str | None
    bundle: str | None
    article: dict[str, Any] | None
    version: str | None
    outcome: Outcome | None
    summary: str | None
    drafts: list[dict[str, Any]]
    places: list[dict[str, Any]]
    reviewed: list[dict[str, Any]]
    model: dict[str, Any] | None
    error_code: str | None
    error_message: str | None
    created_at: datetime
    started_at: datetime | None
    finished_at: datetime | None


@dataclass(frozen=True, slots=True)
class TaskSummary:
    """A task in a list, without its results."""

    id: str
    type: TaskType
    status: TaskStatus
    title: str
    outcome: Outcome | None
    draft_count: int
    pending_count: int
    open_place_count: int
    created_at: datetime


@dataclass(frozen=True, slots=True)
class SentChange:
    """The input of a task; `diff` is its beginning, `diff_characters` the length of the whole diff."""

    body: str | None
    diff: str | None
    diff_characters: int


@dataclass(frozen=True, slots=True)
class Creation:
    """The task of a request: created by it, or by an earlier one with the same idempotency key."""

    task: Task
    is_replay: bool

    @property
    def id(self) -> str:
        return self.task.id


class IssueIn(Body):
    """An issue that the change refers to."""

    title: IssueTitle
    body: IssueBody | MISSING = Field(default=MISSING)


class CodeIn(Body):
    """Lines of a file after the change, such as the function around a changed line."""

    file: CodePath
    start_line: int = Field(ge=1, le=limits.MAX_INTEGER)
    text: Code


class ContextIn(Body):
    """More about a change, which only a language model reads."""

    issues: Annotated[list[IssueIn], Field(max_length=limits.MAX_LINKED_ISSUES)] | MISSING = Field(
        default=MISSING, description="The issues that it refers to."
    )
    code: Annotated[list[CodeIn], Field(max_length=limits.MAX_CODE_EXCERPTS)] | MISSING = Field(
        default=MISSING, description="The code around its hunks."
    )
    next_version: Version | MISSING = Field(
        default=MISSING, description="The version of the product that will contain it, such as `2.4.0`."
    )


class ChangeFields(Body):
    """A code change as a pull request describes it."""

    kind: ChangeKind
    title: Title
    url: SourceUrl | MISSING = Field(
        default=MISSING, description="The URL of the change; its drafts have it as `sourceUrl`."
    )
    diff: Diff | MISSING = Field(default=MISSING, description="Its unified diff, as `git diff` writes it.")
    body: ChangeBody | MISSING = Field(default=MISSING, description="Its description.")
    bundle: Bundle | MISSING = Field(
        default=MISSING,
        description="The queue shows the drafts of all changes with this title together.",
    )
    branch: Branch | MISSING = Field(default=MISSING, description="The branch it goes to.")


class ChangeIn(ChangeFields):
    """A code change as a pull request describes it."""

    context: ContextIn | MISSING = Field(
        default=MISSING, description="More about it, for the bot's language model."
    )
    author: AuthorEmail | MISSING = Field(
        default=MISSING,
        description="The email address of its author. A member with this address is asked to review the"
        " drafts and places that have no owner.",
        examples=["ada@example.com"],
    )
    labels: Annotated[list[Label], Field(max_length=limits.MAX_LABELS)] | MISSING = Field(
        default=MISSING, description="The labels of the pull request.", examples=[["internal"]]
    )


class ArticleIn(Body):
    """A new article to write."""

    title: Title
    instructions: Instructions | MISSING = Field(
        default=MISSING,
        description="The content to cover: sentences, steps as a numbered list, topics as a list.",
    )
    collection_id: Text | None = Field(
        default=None, description="The collection to put it in, by its id or slug."
    )
    source_url: SourceUrl | MISSING = Field(
        default=MISSING, description="The issue or page it is based on; the draft keeps this link."
    )


class TaskFields(Body):
    """The input of a task: exactly one of `change` and `article`."""

    # Two optional fields instead of `oneOf`, because client generators make one plain type of them.
    model_config = ConfigDict(
        json_schema_extra={"minProperties": 1, "maxProperties": 1, "examples": [CHANGE, ARTICLE]}
    )

    change: ChangeFields | MISSING = Field(default=MISSING, description="A code change to document.")
    article: ArticleIn | MISSING = Field(default=MISSING, description="A new article to write.")


class TaskCreate(TaskFields):
    """The input of a task: exactly one of `change` and `article`."""

    change: ChangeIn | MISSING = Field(default=MISSING, description="A code change to document.")


@dataclass(frozen=True, slots=True)
class ReadTask:
    """A request with its parsed diff, and the parts that distinguish it from other requests."""

    new: TaskFields
    digest: bytes


class ChangeOut(Out):
    """The code change; its diff is not returned."""

    kind: TaskChangeKind
    title: str
    url: str | None
    bundle: str | None = Field(description="The bundle of changes that it belongs to, else null.")


class ArticleTaskOut(Out):
    """The requested article."""

    title: str
    instructions: str | None
    collection_id: str | None
    source_url: str | None


class TaskDraftOut(Out):
    """A draft of the task."""

    id: str
    type: DraftType
    title: str
    article_id: str


class TaskPlaceOut(Out):
    """A place that the task has found."""

    id: str
    article_id: str
    heading: str | None = Field(description="The section to write in; null: the article as a whole.")


class ReviewedOut(Out):
    """The reason that an article that was considered got a draft or none."""

    article_id: str
    title: str
    verdict: VerdictKind = Field(
        description="`edit`: it got a draft. `concerned`: it needs information that the change does not "
        "contain. `no_edit`: it stays as it is."
    )
    reason: str
    heading: str | None = Field(
        description="The section to write in if the verdict is `concerned`; null for no section."
    )
    evidence: list[EvidenceOut] = Field(
        description="The lines of the code change to write about if the verdict is `concerned`."
    )


class TaskErrorOut(Out):
    """The reason that a task failed."""

    code: str
    message: str


class TaskModelOut(Out):
    """The language model that a task used, and its usage."""

    name: str
    input_tokens: int
    output_tokens: int
    calls: int


class TaskOut(Out):
    """Background work that creates drafts for review."""

    id: str
    type: TaskType
    status: TaskStatus
    change: ChangeOut | None = Field(description="The change of a `document_change` task, else null.")
    version: str | None = Field(
        description="The slug of the product version of the change's branch; null if no version names it."
    )
    article: ArticleTaskOut | None = Field(description="The request of a `write_article` task, else null.")
    outcome: Outcome | None = Field(
        description=(
            "The result of a completed task: `drafts` if there are any, else `places`; null otherwise."
        )
    )
    summary: str | None = Field(
        description="A summary of the results; while the task runs, its current step."
    )
    drafts: list[TaskDraftOut]
    places: list[TaskPlaceOut] = Field(
        description="Places where articles need information that the change does not contain, settled or not."
    )
    reviewed: list[ReviewedOut]
    model: TaskModelOut | None = Field(
        description="The language model that it used, after it has ended; null if it used none."
    )
    error: TaskErrorOut | None
    bot_id: str
    created_at: Timestamp
    started_at: Timestamp | None
    finished_at: Timestamp | None


def task_out(task: Task) -> TaskOut:
    failed = task.error_code is not None
    return TaskOut(
        id=task.id,
        type=task.type,
        status=task.status,
        change=change_out(task),
        version=task.version,
        article=ArticleTaskOut(**task.article) if task.article else None,
        outcome=task.outcome,
        summary=task.summary,
        drafts=[TaskDraftOut(**draft) for draft in task.drafts],
        places=[TaskPlaceOut(**place) for place in task.places],
        reviewed=[_reviewed_out(verdict) for verdict in task.reviewed],
        model=TaskModelOut(**task.model) if task.model else None,
        error=TaskErrorOut(code=task.error_code or "", message=task.error_message or "") if failed else None,
        bot_id=str(task.bot_id),
        created_at=task.created_at,
        started_at=task.started_at,
        finished_at=task.finished_at,
    )


def _reviewed_out(verdict: dict[str, Any]) -> ReviewedOut:
    """A stored verdict; those from before the verdict `concerned` have no heading and no evidence."""
    evidence = [EvidenceOut(**place) for place in verdict.get("evidence", ())]
    return ReviewedOut(**{"heading": None, **verdict, "evidence": evidence})


def change_out(task: Task) -> ChangeOut | None:
    if task.change_kind is None or task.change_title is None:
        return None
    return ChangeOut(kind=task.change_kind, title=task.change_title, url=task.change_url, bundle=task.bundle)

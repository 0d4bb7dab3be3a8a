"""The shapes of a task (specification, Task; contract section 4)."""

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import Field

from instep.core import limits
from instep.drafts.schemas import DraftType, SourceUrl
from instep.web.shapes import Body, Out, Text, Timestamp, Title

TaskType = Literal["document_change", "write_article"]
TaskStatus = Literal["queued", "running", "completed", "failed"]
Outcome = Literal["drafts", "no_changes"]
ChangeKind = Literal["pr", "commit", "release"]
Diff = Annotated[Text, Field(max_length=limits.DIFF)]
ChangeBody = Annotated[Text, Field(max_length=limits.CHANGE_BODY)]


@dataclass(frozen=True, slots=True)
class Task:
    """One row of `tasks` with the drafts it ended in."""

    id: str
    type: TaskType
    status: TaskStatus
    change_kind: ChangeKind
    change_title: str
    change_url: str | None
    outcome: Outcome | None
    summary: str | None
    drafts: list[dict[str, Any]]
    reviewed: list[dict[str, Any]]
    error_code: str | None
    error_message: str | None
    created_at: datetime
    started_at: datetime | None
    finished_at: datetime | None


@dataclass(frozen=True, slots=True)
class Creation:
    """The task of a request: made by it, or by an earlier one with the same idempotency key."""

    task: Task
    is_replay: bool


class ChangeIn(Body):
    """A code change as a pull request tells it."""

    kind: ChangeKind
    title: Title
    url: SourceUrl | None = None
    diff: Diff | None = None
    body: ChangeBody | None = None


class TaskCreate(Body):
    """What a task is made from."""

    change: ChangeIn


class ChangeOut(Out):
    """The code change; its diff is not sent back."""

    kind: ChangeKind
    title: str
    url: str | None


class TaskDraftOut(Out):
    """A draft that the task ended in."""

    id: str
    type: DraftType
    title: str
    article_id: str


class ReviewedOut(Out):
    """Why an article that was considered got a draft or none."""

    article_id: str
    title: str
    verdict: str
    reason: str


class TaskErrorOut(Out):
    """Why a task failed."""

    code: str
    message: str


class TaskOut(Out):
    """Background work that ends in drafts for review."""

    id: str
    type: TaskType
    status: TaskStatus
    change: ChangeOut | None
    article: None
    outcome: Outcome | None
    summary: str | None
    drafts: list[TaskDraftOut]
    reviewed: list[ReviewedOut]
    error: TaskErrorOut | None
    bot_id: str
    created_at: Timestamp
    started_at: Timestamp | None
    finished_at: Timestamp | None


def task_out(task: Task, bot_id: object) -> TaskOut:
    failed = task.error_code is not None
    return TaskOut(
        id=task.id,
        type=task.type,
        status=task.status,
        change=ChangeOut(kind=task.change_kind, title=task.change_title, url=task.change_url),
        article=None,
        outcome=task.outcome,
        summary=task.summary,
        drafts=[TaskDraftOut(**draft) for draft in task.drafts],
        reviewed=[ReviewedOut(**verdict) for verdict in task.reviewed],
        error=TaskErrorOut(code=task.error_code or "", message=task.error_message or "") if failed else None,
        bot_id=str(bot_id),
        created_at=task.created_at,
        started_at=task.started_at,
        finished_at=task.finished_at,
    )

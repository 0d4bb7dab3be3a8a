"""The fields of the API's responses that the client reads; fields of newer servers are passed on."""

from typing import Literal

from pydantic import BaseModel, ConfigDict
from pydantic.alias_generators import to_camel


class Shape(BaseModel):
    model_config = ConfigDict(alias_generator=to_camel, extra="allow", frozen=True)


class Bot(Shape):
    id: str
    name: str
    # Older servers send neither.
    slug: str | None = None
    is_default: bool = False


class Bots(Shape):
    results: list[Bot]


class TaskDraft(Shape):
    id: str
    type: str
    title: str
    article_id: str


class TaskError(Shape):
    code: str
    message: str


class Task(Shape):
    id: str
    status: Literal["queued", "running", "completed", "failed"]
    outcome: str | None
    summary: str | None
    drafts: list[TaskDraft]
    error: TaskError | None

    @property
    def has_ended(self) -> bool:
        return self.status in ("completed", "failed")


class Evidence(Shape):
    file: str
    start_line: int
    end_line: int
    excerpt: str


class Draft(Shape):
    id: str
    type: str
    status: str
    title: str
    article_id: str
    article_title: str
    reason: str | None
    evidence: list[Evidence]
    warnings: list[str]
    diff: str | None
    content_markdown: str

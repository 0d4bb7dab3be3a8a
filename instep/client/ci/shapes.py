"""The fields of the API's responses that the client reads; fields of newer servers are passed on.

They are parsed with the standard library alone, so that the client fits into one small file.
"""

from collections.abc import Sequence
from dataclasses import MISSING, Field, dataclass, field, fields
from types import NoneType, UnionType
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

Out = TypeVar("Out", bound="Shape")


class WrongShape(ValueError):
    """A JSON value lacks a field, or a field has another type."""


@dataclass(frozen=True)
class Shape:
    """A JSON object: its known fields as attributes, and the whole as `document`."""

    document: dict[str, Any] = field(default_factory=dict, kw_only=True, repr=False, compare=False)


def parse_shape(shape: type[Out], document: Any) -> Out:
    """The object as this shape; raises `WrongShape`. Fields with a default may be missing."""
    if not isinstance(document, dict):
        raise WrongShape(f"{shape.__name__} must be an object")
    hints = get_type_hints(shape)
    values = {
        member.name: read_value(hints[member.name], document[name_of(member)])
        for member in fields(shape)
        if member.name != "document" and is_there(member, document)
    }
    return shape(**values, document=document)


def is_there(member: Field[Any], document: dict[str, Any]) -> bool:
    if name_of(member) in document:
        return True
    if member.default is MISSING and member.default_factory is MISSING:
        raise WrongShape(f"{name_of(member)} is missing")
    return False


def name_of(member: Field[Any]) -> str:
    """The field's name in the API: camelCase, or the one that `metadata` gives."""
    first, *rest = member.name.split("_")
    return str(member.metadata.get("name") or first + "".join(word.capitalize() for word in rest))


def read_value(kind: Any, value: Any) -> Any:
    origin, arguments = get_origin(kind), get_args(kind)
    if origin in (Union, UnionType):
        [kind] = [argument for argument in arguments if argument is not NoneType]
        return None if value is None else read_value(kind, value)
    if origin in (list, Sequence) and isinstance(value, list):
        return [read_value(arguments[0], entry) for entry in value]
    if origin is Literal and value in arguments:
        return value
    if isinstance(kind, type) and issubclass(kind, Shape):
        return parse_shape(kind, value)
    if type(value) is not kind:
        raise WrongShape(f"{value!r} is not of the type {kind}")
    return value


@dataclass(frozen=True)
class Bot(Shape):
    id: str
    name: str
    # Older servers send neither.
    slug: str | None = None
    is_default: bool = False


@dataclass(frozen=True)
class Bots(Shape):
    results: list[Bot]


@dataclass(frozen=True)
class TaskDraft(Shape):
    id: str
    type: str
    title: str
    article_id: str


@dataclass(frozen=True)
class TaskPlace(Shape):
    id: str


@dataclass(frozen=True)
class TaskError(Shape):
    code: str
    message: str


@dataclass(frozen=True)
class TaskModel(Shape):
    name: str
    input_tokens: int
    output_tokens: int
    calls: int


@dataclass(frozen=True)
class ReviewedArticle(Shape):
    verdict: str


@dataclass(frozen=True)
class Task(Shape):
    id: str
    status: Literal["queued", "running", "completed", "failed"]
    outcome: str | None
    summary: str | None
    drafts: list[TaskDraft]
    error: TaskError | None
    reviewed: Sequence[ReviewedArticle] = ()
    # Older servers send none.
    places: Sequence[TaskPlace] = ()
    model: TaskModel | None = None

    @property
    def has_ended(self) -> bool:
        return self.status in ("completed", "failed")


@dataclass(frozen=True)
class TaskList(Shape):
    results: list[Task]


@dataclass(frozen=True)
class Evidence(Shape):
    file: str
    start_line: int
    end_line: int
    excerpt: str


@dataclass(frozen=True)
class Place(Shape):
    """A place where an article needs text that the change does not provide."""

    id: str
    article_id: str
    article_title: str
    heading: str | None
    line: int
    reason: str
    evidence: list[Evidence]
    version: str | None = None
    since_version: str | None = None
    until_version: str | None = None


@dataclass(frozen=True)
class PlaceList(Shape):
    results: list[Place]
    has_more: bool = field(metadata={"name": "has_more"}, default=False)


@dataclass(frozen=True)
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
    # Set while a pending draft is approved for a release.
    approved_at: str | None = None

    @property
    def awaits_review(self) -> bool:
        return self.status == "pending" and self.approved_at is None

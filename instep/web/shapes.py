"""What all wire shapes share: camelCase names, strict input, complete output."""

from datetime import datetime
from typing import Annotated, Generic, Literal, TypeVar

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, PlainSerializer
from pydantic.alias_generators import to_camel

from instep.core import limits
from instep.core.clock import isoformat

Item = TypeVar("Item")


def without_nul(text: str) -> str:
    if "\0" in text:
        raise ValueError("it holds a NUL character, which can't be stored")
    return text


def not_blank(text: str) -> str:
    if not text.strip():
        raise ValueError("it is empty")
    return text


Text = Annotated[str, AfterValidator(without_nul)]
Title = Annotated[Text, Field(max_length=limits.TITLE), AfterValidator(not_blank)]
Markdown = Annotated[Text, Field(max_length=limits.CONTENT)]
Description = Annotated[Text, Field(max_length=limits.DESCRIPTION)]
Visibility = Literal["public", "authenticated"]
Position = Annotated[int, Field(ge=0, le=limits.INTEGER)]
Format = Literal["markdown", "html"]
Timestamp = Annotated[datetime, PlainSerializer(isoformat, return_type=str, when_used="json")]


class Body(BaseModel):
    """A request body: unknown fields are refused, values are not converted."""

    model_config = ConfigDict(extra="forbid", strict=True, alias_generator=to_camel, frozen=True)


class Out(BaseModel):
    """A response body: every field is always present."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True, frozen=True)


class ListOut(BaseModel, Generic[Item]):
    """One page of a list."""

    results: list[Item]
    has_more: bool
    next_cursor: str | None


class AuthorOut(Out):
    """Who wrote it."""

    type: str
    name: str


class DetailOut(BaseModel):
    """One bad value."""

    field: str
    message: str


class ErrorOut(BaseModel):
    """Why a request was refused, in a sentence that says what to do."""

    error: str
    code: str
    details: list[DetailOut] | None = None

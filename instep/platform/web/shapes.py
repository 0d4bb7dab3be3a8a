"""Base classes and field types of wire shapes: camelCase names, strict input, complete output."""

from datetime import datetime
from typing import Annotated, Any, Generic, Literal, Self, TypeVar

from pydantic import (
    MISSING,
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PlainSerializer,
    WithJsonSchema,
)
from pydantic.alias_generators import to_camel

from instep.platform.core import limits
from instep.platform.core.clock import isoformat
from instep.platform.core.locales import valid_locale
from instep.platform.text.characters import INVISIBLE, shows_something
from instep.platform.text.slugs import valid_slug

Item = TypeVar("Item")


def without_nul(text: str) -> str:
    if "\0" in text:
        raise ValueError("it contains a NUL character, which can't be stored")
    return text


def not_blank(text: str) -> str:
    if not text.strip():
        raise ValueError("it is empty")
    return text


def visible(text: str) -> str:
    if not shows_something(text):
        raise ValueError("it is empty")
    return text


def empty_if_invisible(text: str) -> str:
    return text if shows_something(text) else ""


def web_address(text: str) -> str:
    if text and not text.startswith(("https://", "http://")):
        raise ValueError("it must begin with https:// or http://")
    return text


def integral(value: Any) -> Any:
    """JSON has one kind of number: 1.0 is the integer 1 (JSON Schema, section 6.1.1)."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


# The patterns document the validators' checks; the validators' messages are clearer than a pattern.
Text = Annotated[str, AfterValidator(without_nul), Field(json_schema_extra={"pattern": r"^[^\u0000]*$"})]
# Python treats more characters as white space than the regular expressions of JSON Schema do.
NOT_BLANK = r"^[^\u0000]*[^\s\u0000\u001c-\u001f\u0085][^\u0000]*$"
VisibleText = Annotated[
    Text,
    Field(json_schema_extra={"minLength": 1, "pattern": rf"^[^\u0000]*[^{INVISIBLE}][^\u0000]*$"}),
    AfterValidator(visible),
]
Title = Annotated[VisibleText, Field(max_length=limits.MAX_TITLE_CHARACTERS)]
Markdown = Annotated[Text, Field(max_length=limits.MAX_CONTENT_CHARACTERS)]
# Not all JSON Schema readers support Unicode character classes: of the first 256 characters this allows
# lower-case letters and digits, of the others all but spaces.
SLUG_CHARACTER = r"[^\u0000-/:-`{-\u00df\u00f7\s]"
Slug = Annotated[
    Text,
    Field(
        max_length=limits.MAX_SLUG_CHARACTERS,
        examples=["install-the-agent"],
        json_schema_extra={"minLength": 1, "pattern": f"^{SLUG_CHARACTER}+(-{SLUG_CHARACTER}+)*$"},
    ),
    AfterValidator(valid_slug),
]
Locale = Annotated[
    Text,
    Field(examples=["en"], json_schema_extra={"pattern": "^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8}){0,3}$"}),
    AfterValidator(valid_locale),
]
Description = Annotated[
    Text, Field(max_length=limits.MAX_DESCRIPTION_CHARACTERS), AfterValidator(empty_if_invisible)
]
SourceUrl = Annotated[
    Text,
    Field(
        max_length=limits.MAX_SOURCE_URL_CHARACTERS,
        json_schema_extra={"pattern": r"^(https?://[^\u0000]*)?$"},
    ),
    AfterValidator(web_address),
]
Visibility = Literal["public", "authenticated"]
Position = Annotated[int, Field(ge=0, le=limits.MAX_INTEGER), BeforeValidator(integral)]
Timestamp = Annotated[
    datetime,
    PlainSerializer(isoformat, return_type=str, when_used="json"),
    WithJsonSchema({"type": "string", "format": "date-time"}, mode="serialization"),
]


class Body(BaseModel):
    """A request body: unknown fields are refused, values are not converted."""

    model_config = ConfigDict(extra="forbid", strict=True, alias_generator=to_camel, frozen=True)


class Out(BaseModel):
    """A response body: every field is always present."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True, frozen=True)

    @classmethod
    def of_row(cls, row: object, **other: Any) -> Self:
        """A shape of the row's fields with the same names, and the `other` values."""
        same = {name: getattr(row, name) for name in cls.model_fields if name not in other}
        return cls(**same, **other)


class ListOut(BaseModel, Generic[Item]):
    """One page of a list."""

    results: list[Item]
    has_more: bool
    next_cursor: str | None


class AuthorOut(Out):
    """The author."""

    type: str
    name: str


class DetailOut(BaseModel):
    """One invalid value."""

    field: str
    message: str


class ErrorOut(BaseModel):
    """The reason that a request was refused, in a sentence that says what to do."""

    error: str
    code: str
    details: list[DetailOut] | MISSING = MISSING

"""The schema of an API reference that follows an address."""

from dataclasses import dataclass
from datetime import datetime

from pydantic import Field

from instep.platform.web.shapes import Body, Out, Text, Timestamp


@dataclass(frozen=True, slots=True)
class ApiReference:
    """A row of `api_references`; `descriptions` are the texts of the operations in the last document.

    Lists leave them out. `error` is the sentence for people about the last attempt, None if it succeeded.
    """

    id: str
    url: str
    descriptions: dict[str, str] | None
    error: str | None
    checked_at: datetime | None
    changed_at: datetime | None
    author_name: str


class ApiReferenceCreate(Body):
    """The address of an OpenAPI document to follow."""

    url: Text = Field(description="The URL of the document, in JSON or YAML: `https://` and a public host.")


class ApiReferenceOut(Out):
    """An address whose OpenAPI document is imported each day; its pages are live without a review."""

    id: str
    url: str
    error: str | None = Field(description="Why the last import failed; null if it succeeded or waits.")
    checked_at: Timestamp | None = Field(description="The last import; null before the first.")
    changed_at: Timestamp | None = Field(description="The last import that found a change.")
    created_by: str


class ApiReferenceDeletedOut(Out):
    """The address is no longer followed; its articles stay."""

    id: str
    deleted: bool


def api_reference_out(reference: ApiReference) -> ApiReferenceOut:
    return ApiReferenceOut.of_row(reference, created_by=reference.author_name)

"""The schema of an API reference that follows an address."""

from dataclasses import dataclass
from datetime import datetime


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

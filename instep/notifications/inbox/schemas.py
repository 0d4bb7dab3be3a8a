"""The shapes of a person's inbox."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

NoticeKind = Literal["assigned", "mentioned", "commented", "applied", "dismissed"]


@dataclass(frozen=True, slots=True)
class NoticeSubject:
    """A draft, a place or an article, and its title."""

    id: str
    title: str


def page_of_subject(subject_id: str) -> str:
    """The path of the page of a draft, place or article in the dashboard, below the bot's."""
    folder = "articles" if subject_id.startswith("art_") else "review"
    return f"{folder}/{subject_id}"


@dataclass(frozen=True, slots=True)
class NotifiedPerson:
    """The email address of a person, and the language that they have chosen for emails."""

    email: str
    locale: str | None


@dataclass(frozen=True, slots=True)
class InboxNotice:
    """A row of `notices`."""

    id: str
    kind: NoticeKind
    # The id of a draft, a place or an article.
    subject: str
    title: str
    # The beginning of a comment, or the reason of a dismissal.
    excerpt: str | None
    by_name: str
    created_at: datetime
    read_at: datetime | None

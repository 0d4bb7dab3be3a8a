"""The shapes of a person's inbox."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

NoticeKind = Literal[
    "assigned", "mentioned", "commented", "applied", "dismissed", "waiting", "expiring", "conflict"
]


@dataclass(frozen=True, slots=True)
class NoticeSubject:
    """A draft, a place or an article, its title, and how many more drafts and places a notice is about."""

    id: str
    title: str
    others: int = 0


# The parts of the page that some notices lead to: the comments, or everything that waits for the person.
PARTS: dict[NoticeKind, str] = {"mentioned": "#comments", "commented": "#comments", "waiting": "?mine=yes"}


def page_of_subject(subject_id: str) -> str:
    """The path of the page of a draft, place or article in the dashboard, below the bot's."""
    folder = "articles" if subject_id.startswith("art_") else "review"
    return f"{folder}/{subject_id}"


def page_of_notice(kind: NoticeKind, subject_id: str) -> str:
    """The path of the page that a notice leads to, below the bot's."""
    return page_of_subject(subject_id) + PARTS.get(kind, "")


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
    # The number of further drafts and places that it is about.
    others: int
    # The beginning of a comment, the reason of a dismissal, or what became of a text.
    excerpt: str | None
    by_name: str
    created_at: datetime
    read_at: datetime | None

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

"""The shapes of a comment (contract section 11)."""

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated

from pydantic import MISSING, ConfigDict, Field

from instep.platform.core import limits
from instep.platform.web.shapes import AuthorOut, Body, Out, Text, Timestamp, VisibleText

CommentText = Annotated[VisibleText, Field(max_length=limits.MAX_THREAD_COMMENT_CHARACTERS)]


@dataclass(frozen=True, slots=True)
class CommentSubject:
    """The draft, place or article that a comment is about; `followers` are people who look after it."""

    id: str
    title: str
    article_id: str
    followers: tuple[str | None, ...]


@dataclass(frozen=True, slots=True)
class CommentRow:
    """A row of `comments`."""

    id: str
    subject: str
    article_id: str
    block: str | None
    body: str
    author_type: str
    author_name: str
    author_id: str | None
    reply_to: str | None
    resolved_at: datetime | None
    resolved_by_name: str | None
    created_at: datetime
    edited_at: datetime | None
    # Earlier texts, oldest first, each with the time of its change.
    earlier: list[dict[str, str]]


@dataclass(frozen=True, slots=True)
class CommentThread:
    """A comment and its replies, oldest first."""

    first: CommentRow
    replies: list[CommentRow]


class CommentUpdate(Body):
    """Another text of a comment."""

    body: CommentText = Field(description="Members whom it names for the first time are notified.")


class CommentCreate(Body):
    """A new comment, and the words or the thread that it is about."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"body": "@ann Is this still beta?"}]})

    body: CommentText = Field(
        description="Plain text. `@` and a member's email address, or its part before the `@`, notifies them."
    )
    block: Text | MISSING = Field(
        default=MISSING,
        max_length=limits.MAX_BLOCK_CHARACTERS,
        description="The words of the text that it is about; not for a reply.",
    )
    reply_to: Text | MISSING = Field(default=MISSING, description="The first comment of a thread.")


class CommentOut(Out):
    """A comment on a draft, a place or an article."""

    id: str = Field(description="Begins with `cmt_`.")
    subject: str = Field(description="The id of the draft, place or article.")
    block: str | None = Field(description="The words that it is about; null: the whole subject.")
    body: str
    author: AuthorOut
    reply_to: str | None = Field(description="The first comment of its thread; null for that comment itself.")
    resolved_at: Timestamp | None = Field(description="When its thread was resolved; null for a reply.")
    created_at: Timestamp
    edited_at: Timestamp | None = Field(description="The time of the last edit; null if it was not edited.")


def comment_out(comment: CommentRow) -> CommentOut:
    author = AuthorOut(type=comment.author_type, name=comment.author_name)
    return CommentOut.of_row(comment, author=author)

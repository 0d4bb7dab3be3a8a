"""The shapes of golden questions."""

from dataclasses import dataclass
from datetime import datetime

from instep.platform.web.shapes import Out, Timestamp


def normalized_question(text: str) -> str:
    """The stored form of a golden question, without superfluous space."""
    return " ".join(text.split())


@dataclass(frozen=True, slots=True)
class GoldenQuestion:
    """A row of `golden_questions` with the title of its article, which may have been deleted for good."""

    id: str
    question: str
    locale: str
    article_id: str | None
    article_title: str | None
    # A heading above the passage that must answer it, and words of the answer; None accepts any.
    section: str | None
    says: str | None
    created_at: datetime


@dataclass(frozen=True, slots=True)
class PublicText:
    """The public text of an article."""

    title: str
    description: str | None
    content: str


class GoldenQuestionOut(Out):
    """A question, and the article that must answer it, optionally from one section and with certain words."""

    id: str
    question: str
    locale: str
    article_id: str | None
    article_title: str | None
    section: str | None
    says: str | None
    created_at: Timestamp

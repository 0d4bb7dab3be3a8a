"""The shapes of unanswered questions and of an article's health (contract section 4, Insights)."""

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Literal

from pydantic import MISSING, AfterValidator, Field

from instep.platform.core import limits
from instep.platform.core.paging import Page
from instep.platform.web.shapes import Body, Markdown, Out, Text, Timestamp, not_blank
from instep.visitors.insights.health.problems import Code, Problem, Severity

QuestionStatus = Literal["open", "drafted", "answered", "dismissed"]
# Why an article did not help.
FeedbackReason = Literal["unclear", "outdated", "incomplete", "wrong"]
Term = Annotated[
    Text,
    Field(min_length=limits.MIN_TERM_CHARACTERS, max_length=limits.MAX_TERM_CHARACTERS),
    AfterValidator(not_blank),
]
Terms = Annotated[list[Term], Field(min_length=1, max_length=limits.MAX_CHECKED_TERMS)]
# The kind of the job that drafts an article for a question.
DRAFT_GAP = "draft_gap"
# Marks the payload of a job that a person requested: it needs no minimum number of visitors, and its
# draft is counted among the pending ones.
REQUESTED = "requested"


@dataclass(frozen=True, slots=True)
class Nearest:
    """An article that almost answers a question, and its search score."""

    article_id: str
    score: float


# The result of an asking: a draft of an article, the update of a pending one, or nothing.
Need = Literal["draft", "renewal"] | None


@dataclass(frozen=True, slots=True)
class Gap:
    """A question without an answer from several visitors, and whether its draft waits for review.

    `drafted_at` stays when the draft is deleted: a gap is drafted only once.
    """

    id: str
    question: str
    examples: list[str]
    locale: str
    asked_count: int
    visitor_count: int
    draft_id: str | None
    drafted_at: datetime | None
    is_waiting: bool

    @property
    def is_due(self) -> bool:
        return self.drafted_at is None or self.is_waiting


@dataclass(frozen=True, slots=True)
class Health:
    """The problems of one article, and its score from 0 to 100."""

    article_id: str
    title: str
    score: int
    problems: tuple[Problem, ...]


@dataclass(frozen=True, slots=True)
class KindSummary:
    """The number of articles with problems of one code, and the number of these problems."""

    code: Code
    severity: Severity
    articles: int
    problems: int


@dataclass(frozen=True, slots=True)
class HealthSummary:
    """The number of articles, the number without problems, and the kinds of problems of the others."""

    articles: int
    healthy: int
    kinds: list[KindSummary]


@dataclass(frozen=True, slots=True)
class HealthReport:
    """The known health of articles; `is_current` is false if something has changed since."""

    summary: HealthSummary
    page: Page[Health]
    is_current: bool


class ArticleRating(Body):
    """A reader's rating of an article, with a reason if it did not help."""

    article_id: Annotated[
        Text, Field(description="A public article.", examples=["art_01kbb6x4mwh2v7n8q9r0s1t2v3"])
    ]
    helpful: Annotated[bool, Field(description="True if the article helped.", examples=[False])]
    reason: FeedbackReason | MISSING = Field(
        default=MISSING,
        description="The reason it did not help; only if `helpful` is false.",
        examples=["outdated"],
    )
    comment: Annotated[Text, Field(max_length=limits.MAX_VISITOR_MESSAGE_CHARACTERS)] | MISSING = Field(
        default=MISSING,
        description="A comment in the reader's words.",
        examples=["The menu is called Team now."],
    )


class ArticleFeedbackOut(Out):
    """The feedback that was saved."""

    id: Annotated[str, Field(examples=["fb_01kbb6x4mwh2v7n8q9r0s1t2vb"])]
    article_id: Annotated[str, Field(examples=["art_01kbb6x4mwh2v7n8q9r0s1t2v3"])]
    helpful: Annotated[bool, Field(description="True if the article helped.", examples=[False])]
    reason: Annotated[
        FeedbackReason | None, Field(description="The reason it did not.", examples=["outdated"])
    ]


class ReasonsOut(Out):
    """The number of times that each reason was given."""

    unclear: int
    outdated: int
    incomplete: int
    wrong: int


class ReaderCommentOut(Out):
    """A reader's comment on an article."""

    helpful: bool
    reason: Annotated[
        FeedbackReason | None, Field(description="The reason it did not help.", examples=["outdated"])
    ]
    comment: Annotated[str, Field(examples=["The menu is called Team now."])]
    given_at: Timestamp


class FeedbackSummaryOut(Out):
    """Readers' feedback on the current text of an article."""

    article_id: str
    title: str
    helpful_count: int = Field(description="The number of readers who said that it helped.")
    unhelpful_count: int = Field(description="The number of readers who said that it did not.")
    reasons: ReasonsOut = Field(description="How often each reason was given. Not every reader gives one.")
    comments: list[ReaderCommentOut] = Field(description="The newest ones, up to 10.")


class NearestOut(Out):
    """An article that almost answers the question."""

    article_id: str
    title: str
    score: float = Field(description="The match score; higher is closer.")


class UnansweredQuestionOut(Out):
    """A question that the published articles did not answer, with all of its wordings."""

    id: str
    question: str = Field(description="The question as it was first asked.")
    examples: list[str] = Field(description="Up to 5 different wordings, including the first one.")
    asked_count: int = Field(description="The number of times it was asked in the last 180 days.")
    visitor_count: int = Field(description="The number of different visitors who asked it.")
    status: QuestionStatus = Field(
        description="`open`: nothing has been done. `drafted`: a draft that answers it awaits review. "
        "`answered`: that draft was applied, and the question was answered since then. `dismissed`: a user "
        "dismissed it."
    )
    draft_id: str | None = Field(description="The `gap_…` draft that answers it.")
    nearest_articles: list[NearestOut] = Field(description="Closest first; only articles that still exist.")
    locale: str
    first_asked_at: Timestamp
    last_asked_at: Timestamp


class CheckRequest(Body):
    """The subject of a check: exactly one of the three."""

    article_ids: (
        Annotated[list[Text], Field(min_length=1, max_length=limits.MAX_CHECKED_ARTICLES)] | MISSING
    ) = Field(default=MISSING, description="Ids or slugs of articles: returns all problems of each.")
    content_markdown: Markdown | MISSING = Field(
        default=MISSING, description="An unsaved text: check it before you propose it."
    )
    terms: Terms | MISSING = Field(
        default=MISSING,
        description="Words or names, such as those removed by a change: returns where they still appear,"
        " in any letter case, in live articles and drafts.",
    )


class ProblemOut(Out):
    """A problem of an article."""

    code: Code
    severity: Severity = Field(
        description=(
            "`error`: something is broken for readers. `warning`: the article could be easier to read"
            " or to find. `info`: worth a look."
        )
    )
    message: str = Field(description="The problem and its fix, in one sentence.")
    line: int | None = Field(
        ge=1, description="The line of `contentMarkdown`, starting at 1; null for the whole article."
    )


class FindingOut(Out):
    """A finding and its article; the article is null for an unsaved text."""

    article_id: str | None
    title: str | None
    code: Code | Literal["mention"]
    severity: Severity
    message: str = Field(description="The problem and its fix; for a mention, its location.")
    line: int | None = Field(
        description=(
            "The line of the text, starting at 1; null for the title, the description or the whole text."
        )
    )


class HealthOut(Out):
    """The health of an article, and the problems that reduce it."""

    article_id: str
    title: str
    score: Annotated[
        int,
        Field(
            ge=0,
            le=100,
            description="100 is healthy. Each error costs 20 points, each warning 8, each info 2; at most"
            " 3 problems per code count.",
        ),
    ]
    problems: list[ProblemOut] = Field(
        description="Problems of the whole article come first, then by line; at most 20 per code."
    )


def health_out(health: Health) -> HealthOut:
    return HealthOut.of_row(health, problems=[ProblemOut.of_row(problem) for problem in health.problems])

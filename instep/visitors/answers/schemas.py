"""The shapes of questions and answers, conversations and leads (contract sections 5 and 6)."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any, Literal, Self
from uuid import UUID

from pydantic import MISSING, AfterValidator, Field

from instep.platform.core import limits
from instep.platform.core.email_addresses import is_email_address
from instep.platform.text.characters import with_single_spaces
from instep.platform.web.shapes import NOT_BLANK, Body, Locale, Out, Text, Timestamp, not_blank
from instep.search.schemas import Passage
from instep.visitors.insights.schemas import ArticleRating

ConversationStatus = Literal["open", "escalated"]


def checked_email(text: str) -> str:
    if not is_email_address(text):
        raise ValueError("it must be an email address such as ann@example.com")
    return text


Email = Annotated[
    Text,
    Field(
        max_length=limits.MAX_EMAIL_CHARACTERS,
        examples=["ann@example.com"],
        json_schema_extra={"format": "email"},
    ),
    AfterValidator(checked_email),
]
Message = Annotated[
    Text,
    Field(
        max_length=limits.MAX_VISITOR_MESSAGE_CHARACTERS,
        examples=["The invoice shows another address than mine."],
    ),
]
PersonName = Annotated[Text, Field(max_length=limits.MAX_NAME_CHARACTERS, examples=["Ann Example"])]


QuestionText = Annotated[
    Text,
    Field(
        max_length=limits.MAX_QUESTION_CHARACTERS,
        description="The question, in any language.",
        examples=["How do I install the agent?"],
        json_schema_extra={"minLength": 1, "pattern": NOT_BLANK},
    ),
    AfterValidator(not_blank),
    AfterValidator(with_single_spaces),
]
VisitorId = Annotated[
    Text,
    Field(
        max_length=limits.MAX_VISITOR_CHARACTERS,
        description="An identifier of your choice for the visitor, the same for all of their questions."
        " Only its hash is stored.",
        examples=["visitor-7f3a"],
        json_schema_extra={"minLength": 1, "pattern": NOT_BLANK},
    ),
    AfterValidator(not_blank),
]


@dataclass(frozen=True, slots=True)
class CitedPassage:
    """A passage that an answer cites by number; `excerpt` is the part used in the answer."""

    n: int
    passage: Passage
    excerpt: str


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer for a visitor. `blocks` are the parts of the text, in order; `confidence` is 0..1."""

    blocks: tuple[str, ...]
    answered: bool
    confidence: float
    sources: tuple[CitedPassage, ...]
    model: str | None = None
    # Not answered, but the sources may help.
    may_help: bool = False
    # The language of the articles, if the model has translated them.
    translated_from: str | None = None
    # The question asked nothing.
    is_small_talk: bool = False

    @property
    def text(self) -> str:
        return "\n\n".join(self.blocks)

    @property
    def locale(self) -> str | None:
        """The language of the articles that it quotes; None if it is in that of the question or the page."""
        is_quoted = self.answered and self.sources and self.translated_from is None
        return self.sources[0].passage.locale if is_quoted else None


# Gets the answer each time that a model has written more of it. The beginning that it got stays, unless a
# later reply of the model begins otherwise or the model fails.
Show = Callable[[Answer], None]


@dataclass(frozen=True, slots=True)
class SavedAnswer:
    """An answer that was saved as a message of a conversation.

    `sources` are the answer's sources as they are sent. A question that is sent again gets the same ones: the
    passages of `answer` are not retrieved again.
    """

    answer: Answer
    conversation_id: str
    message_id: str
    sources: tuple["SourceOut", ...]


@dataclass(frozen=True, slots=True)
class AnsweredQuestion:
    """A message whose question has an id: what was answered when it was sent first."""

    id: str
    conversation_id: str
    question: str
    answer: str
    answered: bool
    confidence: float
    model: str | None
    sent_sources: list[dict[str, Any]]
    may_help: bool
    translated_from: str | None

    @property
    def saved(self) -> SavedAnswer:
        answer = Answer(
            (self.answer,),
            self.answered,
            self.confidence,
            (),
            self.model,
            may_help=self.may_help,
            translated_from=self.translated_from,
        )
        sources = tuple(SourceOut.model_validate(source) for source in self.sent_sources)
        return SavedAnswer(answer, self.conversation_id, self.id, sources)


@dataclass(frozen=True, slots=True)
class Conversation:
    """One row of `conversations`, without its visitor."""

    id: str
    bot_id: UUID
    locale: str
    page_url: str | None
    status: ConversationStatus
    email: str | None
    message: str | None
    created_at: datetime
    escalated_at: datetime | None
    # When someone marked it as done, and who.
    done_at: datetime | None
    done_by_name: str | None

    @property
    def is_waiting(self) -> bool:
        """True if it waits for a person."""
        return self.status == "escalated" and self.done_at is None


ConversationFilter = Literal["all", "escalated", "unanswered"]
LeadFilter = Literal["open", "all"]


@dataclass(frozen=True, slots=True)
class ConversationSummary:
    """A conversation in a list; `question` is its first one, None while it has none."""

    id: str
    status: ConversationStatus
    email: str | None
    locale: str
    question: str | None
    message_count: int
    unanswered_count: int
    created_at: datetime
    is_waiting: bool


@dataclass(frozen=True, slots=True)
class VisitorMessage:
    """A question with its answer, the visitor's rating, and the articles on which it is based.

    `sources` are in the order of the citations' numbers: article_id, title, heading; the first two are null
    for an article that was deleted.
    """

    id: str
    question: str
    answer: str
    answered: bool
    confidence: float
    model: str | None
    helpful: bool | None
    comment: str | None
    created_at: datetime
    sources: list[dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Lead:
    """One row of `leads`."""

    id: str
    bot_id: UUID
    conversation_id: str | None
    email: str
    name: str | None
    message: str | None
    created_at: datetime
    # When someone marked it as done, and who.
    done_at: datetime | None
    done_by_name: str | None


class EmbedBody(Body):
    """The bot and its public key, which each call of the answer API names."""

    bot_id: Annotated[str, Field(examples=["0190163d-8694-439b-aea5-966c26f8ad91"])]
    bot_key: Annotated[str, Field(examples=["pk_4fJ2kQ9xT7mB1cV8sN3hW6zR"])]


class QuestionAsked(EmbedBody):
    """A question of a visitor."""

    question: QuestionText
    visitor: VisitorId
    question_id: (
        Annotated[Text, Field(min_length=1, max_length=limits.MAX_QUESTION_ID_CHARACTERS)] | MISSING
    ) = Field(
        default=MISSING,
        description="An identifier of your choice, new for each question. If the answer does not arrive, "
        "send the question again with the same identifier: you get the same answer, and the question counts "
        "once.",
        examples=["4f1c2c9e-6f0e-4a39-9d55-0f6c3d8f7a10"],
    )
    conversation_id: Text | MISSING = Field(
        default=MISSING,
        description="The conversation that the question continues, which must be one of this visitor.",
        examples=["conv_01kbb6x4mwh2v7n8q9r0s1t2v8"],
    )
    locale: Locale | MISSING = Field(
        default=MISSING,
        description="The language of the articles to answer from. If they don't contain the answer, those in"
        " the language of the help center are searched, and then those in all languages; without it,"
        " only the last.",
    )
    page_url: Annotated[Text, Field(max_length=limits.MAX_PAGE_URL_CHARACTERS)] | MISSING = Field(
        default=MISSING,
        description="The page the visitor is on.",
        examples=["https://example.com/pricing"],
    )
    version: Text | MISSING = Field(
        default=MISSING,
        description="The product version to answer for, by its id or slug, such as `1.x`. If not sent, the"
        " current one.",
    )
    visitor_token: Annotated[Text, Field(max_length=limits.MAX_VISITOR_TOKEN_CHARACTERS)] | MISSING = Field(
        default=MISSING,
        description="Proof that the visitor is signed in, so that answers also use `authenticated`"
        " articles: a JWT with `sub` and `exp`, signed with HS256 and the bot's visitor"
        " secret.",
    )


class FeedbackGiven(EmbedBody):
    """A visitor's rating of an answer."""

    helpful: Annotated[bool, Field(description="True if the answer helped.", examples=[True])]
    comment: Message | MISSING = Field(default=MISSING, description="The reason, in the visitor's words.")


class ArticleFeedbackGiven(EmbedBody, ArticleRating):
    """A reader's rating of an article."""


class Escalation(EmbedBody):
    """The visitor's contact and message; both are optional."""

    email: Email | MISSING = MISSING
    message: Message | MISSING = MISSING


class LeadCreate(EmbedBody):
    """The contact details of a visitor."""

    email: Email
    name: PersonName | MISSING = MISSING
    message: Message | MISSING = MISSING
    conversation_id: Text | MISSING = Field(
        default=MISSING,
        description="The conversation in which they were left.",
        examples=["conv_01kbb6x4mwh2v7n8q9r0s1t2v8"],
    )


PassageUrl = Annotated[
    str,
    Field(
        description="The public address of the passage.",
        examples=["https://help.example.com/help/acme/articles/install-the-agent#h-linux"],
    ),
]


class SourceOut(Out):
    """A passage on which the answer is based, or that is close to the question."""

    n: Annotated[int, Field(description="The number that cites it in the answer.", examples=[1])]
    article_id: str
    title: str
    url: PassageUrl
    heading: Annotated[
        str | None, Field(description="The heading of its section, if there is one.", examples=["Linux"])
    ]
    excerpt: Annotated[
        str,
        Field(
            description="Plain text: escape it when you insert it into a page.",
            examples=["Run install.sh, then open the dashboard."],
        ),
    ]
    # An answer that was stored by an earlier release has none.
    locale: Annotated[
        str | None,
        Field(
            description="The language of the article and, without `translatedFrom`, of the answer.",
            examples=["en"],
        ),
    ] = None

    @classmethod
    def of(cls, cited: CitedPassage) -> "SourceOut":
        return cls.of_row(cited.passage, n=cited.n, excerpt=cited.excerpt)


class AnswerPreviewOut(Out):
    """An answer with its sources, or the statement that the articles don't contain one."""

    answer: Annotated[
        str,
        Field(
            description="Markdown without links, images and HTML. `[1]` after a sentence, outside of code, "
            "is the number of its source.",
            examples=["Run `install.sh`, then open the dashboard [1]."],
        ),
    ]
    answered: Annotated[
        bool,
        Field(
            description="False if no answer was found in the published articles: the text says so, and the"
            " sources are the closest articles, if any are close enough.",
            examples=[True],
        ),
    ]
    confidence: Annotated[
        float,
        Field(
            ge=0, le=1, description="The probability that the articles contain the answer.", examples=[0.93]
        ),
    ]
    may_help: Annotated[
        bool,
        Field(
            description="True if the question is not answered, but the sources may help.",
            examples=[False],
        ),
    ]
    translated_from: Annotated[
        str | None,
        Field(
            description="The language of the articles, if the answer is in another language.",
            examples=[None],
        ),
    ] = None
    sources: Annotated[list[SourceOut], Field(description="The sources, in the order of their numbers.")]

    @classmethod
    def of(cls, answer: Answer) -> Self:
        return cls.of_row(answer, answer=answer.text, sources=list(map(SourceOut.of, answer.sources)))


class AnswerOut(AnswerPreviewOut):
    """A stored answer with its sources, or the statement that the articles contain none."""

    conversation_id: Annotated[str, Field(examples=["conv_01kbb6x4mwh2v7n8q9r0s1t2v8"])]
    message_id: Annotated[str, Field(examples=["msg_01kbb6x4mwh2v7n8q9r0s1t2va"])]

    @classmethod
    def of_saved(cls, saved: SavedAnswer) -> "AnswerOut":
        preview = dict(AnswerPreviewOut.of(saved.answer)) | {"sources": list(saved.sources)}
        return cls(conversation_id=saved.conversation_id, message_id=saved.message_id, **preview)


class FeedbackOut(Out):
    """The feedback that was saved."""

    message_id: Annotated[str, Field(examples=["msg_01kbb6x4mwh2v7n8q9r0s1t2va"])]
    helpful: Annotated[bool, Field(description="True if the answer helped.", examples=[True])]


class VisitorSecretOut(Out):
    """The secret with which a customer's server signs visitor tokens."""

    bot_id: str
    visitor_secret: str


class ConversationOut(Out):
    """A conversation of a visitor with the help center's assistant."""

    id: Annotated[str, Field(examples=["conv_01kbb6x4mwh2v7n8q9r0s1t2v8"])]
    status: Annotated[ConversationStatus, Field(description="`escalated`: the visitor asked for a person.")]
    locale: Annotated[str, Field(examples=["en"])]
    page_url: Annotated[
        str | None,
        Field(
            description="The page on which the conversation started.",
            examples=["https://example.com/pricing"],
        ),
    ]
    email: Annotated[
        str | None,
        Field(description="The visitor's email address, if given.", examples=["ann@example.com"]),
    ]
    message: Annotated[
        str | None,
        Field(
            description="The visitor's message to the person.",
            examples=["The invoice shows another address than mine."],
        ),
    ]
    bot_id: Annotated[str, Field(examples=["0190163d-8694-439b-aea5-966c26f8ad91"])]
    created_at: Timestamp
    escalated_at: Annotated[
        Timestamp | None, Field(description="The time at which the visitor asked for a person.")
    ]

    @classmethod
    def of(cls, conversation: Conversation) -> "ConversationOut":
        return cls.of_row(conversation, bot_id=str(conversation.bot_id))


class LeadOut(Out):
    """Contact details that a visitor left."""

    id: Annotated[str, Field(examples=["lead_01kbb6x4mwh2v7n8q9r0s1t2v9"])]
    email: Annotated[str, Field(examples=["ann@example.com"])]
    name: Annotated[str | None, Field(examples=["Ann Example"])]
    message: Annotated[
        str | None, Field(description="The visitor's message.", examples=["Do you have a plan for schools?"])
    ]
    conversation_id: Annotated[
        str | None,
        Field(
            description="The conversation in which they were left, if any.",
            examples=["conv_01kbb6x4mwh2v7n8q9r0s1t2v8"],
        ),
    ]
    bot_id: Annotated[str, Field(examples=["0190163d-8694-439b-aea5-966c26f8ad91"])]
    created_at: Timestamp

    @classmethod
    def of(cls, lead: Lead) -> "LeadOut":
        return cls.of_row(lead, bot_id=str(lead.bot_id))


class EscalatedOut(Out):
    """The conversation waits for a person."""

    id: str
    status: ConversationStatus
    escalated_at: Timestamp | None


class LeadReceivedOut(Out):
    """The contact details have been stored."""

    id: str
    created_at: Timestamp

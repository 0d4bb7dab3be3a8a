"""The shapes of conversations and leads (contract sections 5 and 6)."""

import re
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Literal
from uuid import UUID

from pydantic import MISSING, AfterValidator, Field

from instep.core import limits
from instep.web.shapes import Body, Out, Text, Timestamp

ConversationStatus = Literal["open", "escalated"]
# As browsers check an e-mail field, but with dots only between signs and with a domain of two labels or more.
SIGNS = r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+"
LABEL = r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?"
EMAIL = rf"(?=[^@]{{1,64}}@){SIGNS}(?:\.{SIGNS})*@{LABEL}(?:\.{LABEL})+"


def valid_email(text: str) -> str:
    if re.fullmatch(EMAIL, text) is None:
        raise ValueError("it must be an e-mail address such as ann@example.com")
    return text


Email = Annotated[
    Text,
    Field(
        max_length=limits.EMAIL,
        examples=["ann@example.com"],
        json_schema_extra={"pattern": f"^{EMAIL}$", "format": "email"},
    ),
    AfterValidator(valid_email),
]
Message = Annotated[
    Text,
    Field(max_length=limits.VISITOR_MESSAGE, examples=["The invoice shows another address than mine."]),
]
PersonName = Annotated[Text, Field(max_length=limits.NAME, examples=["Ann Example"])]


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


class EmbedBody(Body):
    """What each call of the answer API names: a bot and its public key."""

    bot_id: Annotated[str, Field(examples=["0190163d-8694-439b-aea5-966c26f8ad91"])]
    bot_key: Annotated[str, Field(examples=["pk_4fJ2kQ9xT7mB1cV8sN3hW6zR"])]


class Escalation(EmbedBody):
    """Where the visitor can be reached, and what about; both may be left out."""

    email: Email | MISSING = MISSING
    message: Message | MISSING = MISSING


class LeadCreate(EmbedBody):
    """The contact details of a visitor."""

    email: Email
    name: PersonName | MISSING = MISSING
    message: Message | MISSING = MISSING
    conversation_id: Text | MISSING = Field(
        default=MISSING,
        description="The conversation that it came about in.",
        examples=["conv_01kbb6x4mwh2v7n8q9r0s1t2v8"],
    )


class ConversationOut(Out):
    """A conversation of a visitor with the help center's assistant."""

    id: Annotated[str, Field(examples=["conv_01kbb6x4mwh2v7n8q9r0s1t2v8"])]
    status: Annotated[ConversationStatus, Field(description="`escalated`: the visitor asked for a person.")]
    locale: Annotated[str, Field(examples=["en"])]
    page_url: Annotated[
        str | None,
        Field(description="The page that it began on.", examples=["https://example.com/pricing"]),
    ]
    email: Annotated[
        str | None,
        Field(description="Where the visitor can be reached, if told.", examples=["ann@example.com"]),
    ]
    message: Annotated[
        str | None,
        Field(
            description="What the visitor wrote to the person.",
            examples=["The invoice shows another address than mine."],
        ),
    ]
    bot_id: Annotated[str, Field(examples=["0190163d-8694-439b-aea5-966c26f8ad91"])]
    created_at: Timestamp
    escalated_at: Annotated[Timestamp | None, Field(description="When the visitor asked for a person.")]

    @classmethod
    def of(cls, conversation: Conversation) -> "ConversationOut":
        return cls(
            id=conversation.id,
            status=conversation.status,
            locale=conversation.locale,
            page_url=conversation.page_url,
            email=conversation.email,
            message=conversation.message,
            bot_id=str(conversation.bot_id),
            created_at=conversation.created_at,
            escalated_at=conversation.escalated_at,
        )


class LeadOut(Out):
    """Contact details that a visitor left."""

    id: Annotated[str, Field(examples=["lead_01kbb6x4mwh2v7n8q9r0s1t2v9"])]
    email: Annotated[str, Field(examples=["ann@example.com"])]
    name: Annotated[str | None, Field(examples=["Ann Example"])]
    message: Annotated[str | None, Field(examples=["Do you have a plan for schools?"])]
    conversation_id: Annotated[
        str | None,
        Field(
            description="The conversation that it came about in, if any.",
            examples=["conv_01kbb6x4mwh2v7n8q9r0s1t2v8"],
        ),
    ]
    bot_id: Annotated[str, Field(examples=["0190163d-8694-439b-aea5-966c26f8ad91"])]
    created_at: Timestamp

    @classmethod
    def of(cls, lead: Lead) -> "LeadOut":
        return cls(
            id=lead.id,
            email=lead.email,
            name=lead.name,
            message=lead.message,
            conversation_id=lead.conversation_id,
            bot_id=str(lead.bot_id),
            created_at=lead.created_at,
        )


class EscalatedOut(Out):
    """The conversation waits for a person."""

    id: str
    status: ConversationStatus
    escalated_at: Timestamp | None

    @classmethod
    def of(cls, conversation: Conversation) -> "EscalatedOut":
        return cls(id=conversation.id, status=conversation.status, escalated_at=conversation.escalated_at)


class LeadReceivedOut(Out):
    """The contact details have been kept."""

    id: str
    created_at: Timestamp

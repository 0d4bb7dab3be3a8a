"""The shapes of webhook endpoints, events and deliveries (specification, Events; contract sections 4, 5)."""

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any, Literal, get_args
from uuid import UUID

from pydantic import MISSING, AfterValidator, Field, WithJsonSchema

from instep.platform.core import limits
from instep.platform.core.outbound.urls import PATTERN, parse_url
from instep.platform.web.shapes import AuthorOut, Body, Description, Out, Text, Timestamp

EventKind = Literal[
    "article.published",
    "article.updated",
    "article.unpublished",
    "article.deleted",
    "edit.proposed",
    "draft.created",
    "place.created",
    "place.resolved",
    "changelog_entry.published",
    "task.completed",
    "conversation.escalated",
    "lead.created",
]
# A test event ignores the filter; its own name keeps receivers from handling it as a real event.
TestKind = Literal["webhook.test"]
EVERYTHING = "*"
EndpointStatus = Literal["enabled", "disabled"]
DeliveryStatus = Literal["pending", "delivered", "failed"]


def valid_url(text: str) -> str:
    parse_url(text)
    return text


def valid_filter(kinds: list[str]) -> list[str]:
    if not kinds:
        raise ValueError("it is empty")
    if len(set(kinds)) < len(kinds):
        raise ValueError("it contains a kind twice")
    if EVERYTHING in kinds and len(kinds) > 1:
        raise ValueError('"*" means every kind, so it must be the only entry')
    return kinds


EndpointUrl = Annotated[
    Text,
    Field(
        max_length=limits.MAX_WEBHOOK_URL_CHARACTERS,
        description="The URL that receives deliveries: `https://` and a public host.",
        examples=["https://example.com/hooks/instep"],
        json_schema_extra={"pattern": f"^{PATTERN}$", "format": "uri"},
    ),
    AfterValidator(valid_url),
]
EventFilter = Annotated[
    list[Literal[EventKind, "*"]],
    Field(
        description='The kinds of events to deliver, each once; `["*"]` for all kinds, even future ones.',
        examples=[["article.published", "article.updated"]],
    ),
    AfterValidator(valid_filter),
    WithJsonSchema(
        {
            "anyOf": [
                {
                    "type": "array",
                    "items": {"type": "string", "enum": list(get_args(EventKind))},
                    "minItems": 1,
                    "uniqueItems": True,
                },
                {
                    "type": "array",
                    "items": {"type": "string", "enum": [EVERYTHING]},
                    "minItems": 1,
                    "maxItems": 1,
                },
            ]
        }
    ),
]


@dataclass(frozen=True, slots=True)
class Webhook:
    """One row of `webhook_endpoints`, without its secrets."""

    id: str
    bot_id: UUID | None
    url: str
    description: str | None
    events: list[Literal[EventKind, "*"]]
    status: EndpointStatus
    disabled_reason: str | None
    created_at: datetime
    updated_at: datetime


@dataclass(frozen=True, slots=True)
class WebhookWithSecret:
    """An endpoint with a new secret, which can't be shown again."""

    webhook: Webhook
    secret: str

    @property
    def id(self) -> str:
        return self.webhook.id


@dataclass(frozen=True, slots=True)
class Delivery:
    """One row of `deliveries`, with the kind of its event."""

    id: str
    event_id: str
    event: EventKind | TestKind
    status: DeliveryStatus
    attempts: list[dict[str, Any]]
    next_attempt_at: datetime | None
    created_at: datetime


class WebhookCreate(Body):
    """The fields of a new endpoint."""

    url: EndpointUrl
    events: EventFilter
    description: (
        Annotated[
            Description, Field(description="Your note about it.", examples=["Rebuilds our search index"])
        ]
        | MISSING
    ) = MISSING
    bot_id: Annotated[
        Annotated[str, Field(json_schema_extra={"format": "uuid"})] | None,
        Field(
            description="The bot whose events it gets, which can't be changed; null for all bots of the key.",
            examples=[None],
        ),
    ] = None


class WebhookUpdate(Body):
    """Only the sent fields are changed."""

    url: EndpointUrl | MISSING = MISSING
    events: EventFilter | MISSING = MISSING
    description: (
        Annotated[Description, Field(description='Null or "" clears it.', examples=["Search index"])]
        | MISSING
        | None
    ) = MISSING
    status: (
        Annotated[
            EndpointStatus,
            Field(description="`disabled` stops deliveries until it is `enabled`.", examples=["enabled"]),
        ]
        | MISSING
    ) = MISSING


class WebhookOut(Out):
    """A URL that gets the events of its bots as signed deliveries."""

    id: Annotated[str, Field(examples=["wh_01kbb6x4mwh2v7n8q9r0s1t2v5"])]
    url: Annotated[str, Field(examples=["https://example.com/hooks/instep"])]
    description: Annotated[
        str | None, Field(description="Your note about it.", examples=["Rebuilds our search index"])
    ]
    events: EventFilter
    bot_id: Annotated[
        str | None,
        Field(description="Null for all bots of the key that created the endpoint.", examples=[None]),
    ]
    status: EndpointStatus
    secret: Annotated[
        str | None,
        Field(description="Null, except in the responses to create and rotate.", examples=[None]),
    ]
    disabled_reason: Annotated[
        str | None,
        Field(description="Why deliveries were stopped; null if a caller stopped them.", examples=[None]),
    ]
    created_at: Timestamp
    updated_at: Timestamp

    @classmethod
    def of(cls, webhook: Webhook) -> "WebhookOut":
        return cls.of_row(webhook, bot_id=str(webhook.bot_id) if webhook.bot_id else None, secret=None)


class WebhookWithSecretOut(WebhookOut):
    """An endpoint with its new secret."""

    secret: Annotated[
        str,
        Field(
            description="The secret that signs deliveries. Store it: it can't be shown again.",
            examples=["whsec_Zm9yIGRvY3VtZW50YXRpb24gb25seSwgbm90IGEga2V5"],
        ),
    ]

    @classmethod
    def with_secret(cls, webhook: WebhookWithSecret) -> "WebhookWithSecretOut":
        return cls(**{**WebhookOut.of(webhook.webhook).model_dump(), "secret": webhook.secret})


class WebhookDeletedOut(Out):
    """The endpoint and its log are deleted, and nothing more is delivered to it."""

    id: str
    deleted: bool


class AttemptOut(Out):
    """One request to the endpoint."""

    number: Annotated[int, Field(description="From 1, as in `service-attempt`.", examples=[1])]
    at: Timestamp
    http_status: Annotated[
        int | None,
        Field(description="The status of the response; null without one.", examples=[204]),
    ]
    duration_ms: Annotated[int, Field(examples=[87])]
    error: Annotated[
        str | None, Field(description="The reason it failed; null if it succeeded.", examples=[None])
    ]
    answer: Annotated[
        str | None,
        Field(description="The start of the response's body; null without a response.", examples=["ok"]),
    ]


class DeliveryOut(Out):
    """The delivery of an event to an endpoint; its id is the same for all attempts."""

    id: Annotated[str, Field(examples=["dlv_01kbb6x4mwh2v7n8q9r0s1t2v6"])]
    event_id: Annotated[str, Field(examples=["evt_01kbb6x4mwh2v7n8q9r0s1t2v7"])]
    event: Annotated[EventKind | TestKind, Field(description="The kind of the event.")]
    status: DeliveryStatus
    attempts: Annotated[
        list[AttemptOut],
        Field(description=f"The latest {limits.MAX_ATTEMPTS_LOGGED} attempts at most, oldest first."),
    ]
    next_attempt_at: Annotated[
        Timestamp | None, Field(description="The time of the next attempt; null if it is settled.")
    ]
    created_at: Timestamp

    @classmethod
    def of(cls, delivery: Delivery) -> "DeliveryOut":
        return cls.of_row(delivery, attempts=[AttemptOut(**attempt) for attempt in delivery.attempts])


class EventDataOut(Out):
    """The resource as GET returns it, and the previous values of its changed fields."""

    object: dict[str, Any]
    previous_attributes: dict[str, Any]


class EventOut(Out):
    """The body of a delivery."""

    id: str
    type: EventKind | TestKind
    created_at: Timestamp
    bot_id: str | None
    actor: AuthorOut
    data: EventDataOut

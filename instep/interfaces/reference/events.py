"""The events that webhook endpoints receive (specification, Events; contract section 5)."""

from typing import Any

from pydantic import BaseModel

from instep.notifications.webhooks.schemas import EventKind, TestKind
from instep.visitors.answers.schemas import ConversationOut, LeadOut

Json = dict[str, Any]

# For each kind: what happened, and the component that describes `data.object`.
KINDS: dict[EventKind | TestKind, tuple[str, str]] = {
    "article.published": (
        "An article became live: it was published, or the draft of a new article was applied.",
        "ArticleOut",
    ),
    "article.updated": (
        "The text or another public field of a live article changed: by PATCH, an applied edit, a restored "
        "revision, or the publishing of its unpublished changes. Unpublished changes alone send no event.",
        "ArticleOut",
    ),
    "article.unpublished": (
        "A live article was taken out of the help center without being deleted.",
        "ArticleOut",
    ),
    "article.deleted": (
        "An article moved to Recently deleted; `object` is its state before. Each translation that was "
        "deleted with it has its own event. Restoring an article makes it a draft and sends no event.",
        "ArticleOut",
    ),
    "edit.proposed": (
        "A person, a program or a task proposed an edit to an article; `object` is as in the list of drafts. "
        "If two tasks document the same change, the draft of the later one stays: should the earlier task "
        "end last, its edit is `dismissed` from the start.",
        "DraftListItemOut",
    ),
    "draft.created": (
        "A new article, or a draft from questions, awaits review; `object` is as in the list of drafts.",
        "DraftListItemOut",
    ),
    "place.created": (
        "A task found a place where an article needs information that the change does not contain. The"
        " same change sent again sends no second event.",
        "PlaceOut",
    ),
    "place.resolved": (
        "Someone wrote the missing text, or reported that the article already has it.",
        "PlaceOut",
    ),
    "changelog_entry.published": ("A changelog entry became live.", "ChangelogEntryOut"),
    "task.completed": (
        "A task has ended, `completed` or `failed`; its drafts have events of their own.",
        "TaskOut",
    ),
    "conversation.escalated": (
        "A visitor asked for a person to continue a conversation; only the first request sends an event.",
        "ConversationOut",
    ),
    "lead.created": ("A visitor left contact details.", "LeadOut"),
    "webhook.test": (
        "Someone tested the endpoint, which receives this whatever its `events`. `botId` is null if the "
        "endpoint is for all bots.",
        "WebhookOut",
    ),
}

HEADERS = {
    "service-event": ("The event kind.", {"type": "string"}),
    "service-delivery": (
        "The delivery id. It stays the same across retries, so ignore ids that you have processed.",
        {"type": "string"},
    ),
    "service-attempt": ("The attempt count, from 1.", {"type": "integer", "minimum": 1}),
    "service-signature": (
        "`t=<unix seconds>,v1=<hex>`: the HMAC-SHA256 of `<t>.<raw body>`, keyed with the endpoint's secret; "
        "a second `v1` while a rotated secret is still valid.",
        {"type": "string", "pattern": "^t=[0-9]+(,v1=[0-9a-f]{64})+$"},
    ),
}

BOT_ID = {"type": "string", "format": "uuid"}

# The shapes that no operation of the API returns.
EVENT_SHAPES: tuple[type[BaseModel], ...] = (ConversationOut, LeadOut)


def components() -> Json:
    return {shape.__name__: shape.model_json_schema(mode="serialization") for shape in EVENT_SHAPES}


def webhooks() -> Json:
    return {kind: {"post": event(kind)} for kind in KINDS}


def event(kind: EventKind | TestKind) -> Json:
    description, shape = KINDS[kind]
    resource = {"$ref": f"#/components/schemas/{shape}"}
    return {
        "tags": ["events"],
        "operationId": f"on_{kind.replace('.', '_')}",
        "summary": kind,
        "description": description,
        "security": [],
        "parameters": [
            {"name": name, "in": "header", "required": True, "description": text, "schema": schema}
            for name, (text, schema) in HEADERS.items()
        ],
        "requestBody": {
            "required": True,
            "content": {"application/json": {"schema": envelope(kind, resource)}},
        },
        "responses": {
            "2XX": {
                "description": "Received. Any other response, or none within 10 seconds, causes a retry."
            },
        },
    }


def envelope(kind: str, resource: Json) -> Json:
    properties: Json = {
        "id": {
            "type": "string",
            "description": "The event's id.",
            "examples": ["evt_01kbb6x4mwh2v7n8q9r0s1t2v7"],
        },
        "type": {"type": "string", "const": kind},
        "createdAt": {"type": "string", "format": "date-time"},
        "botId": {"anyOf": [BOT_ID, {"type": "null"}]} if kind == "webhook.test" else BOT_ID,
        "actor": {
            "type": "object",
            "description": "The person or program that caused the event; an API key has its name.",
            "properties": {
                "type": {"type": "string", "examples": ["api_key"]},
                "name": {"type": "string", "examples": ["ci"]},
            },
            "required": ["type", "name"],
        },
        "data": {
            "type": "object",
            "properties": {
                "object": resource,
                "previousAttributes": {
                    "type": "object",
                    "description": "The previous values of the fields of `object` that changed; empty if the "
                    "resource was created or deleted.",
                },
            },
            "required": ["object", "previousAttributes"],
        },
    }
    return {"type": "object", "properties": properties, "required": list(properties)}

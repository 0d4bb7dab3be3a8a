"""The events that webhook endpoints receive (specification, Events; contract section 5)."""

from typing import Any

from pydantic import BaseModel

from instep.answers.schemas import ConversationOut, LeadOut
from instep.webhooks.schemas import EventKind

Json = dict[str, Any]

# What happened, and the component that `data.object` has.
KINDS: dict[EventKind, tuple[str, str]] = {
    "article.published": (
        "An article became live: it was published, or the draft of a new article was applied.",
        "ArticleOut",
    ),
    "article.updated": (
        "The text or another public field of a live article changed: by PATCH, an applied edit, a restored "
        "revision, or the publishing of its unpublished changes. These alone, which nobody sees, are none.",
        "ArticleOut",
    ),
    "article.unpublished": (
        "A live article was taken out of the help center, otherwise than by deleting it.",
        "ArticleOut",
    ),
    "article.deleted": (
        "An article moved to Recently deleted; `object` is how it was before. The translations that were "
        "deleted with it have an event each. Whatever is restored is a draft: that has no event.",
        "ArticleOut",
    ),
    "edit.proposed": (
        "Somebody, or a task, proposed an edit of an article; `object` is as in the list of drafts. Of two "
        "tasks for one change the later one's waits: should the earlier task end last, its edit is "
        "`dismissed` from the start.",
        "DraftListItemOut",
    ),
    "draft.created": (
        "A new article, or a draft from questions, waits for review; `object` is as in the list of drafts.",
        "DraftListItemOut",
    ),
    "changelog_entry.published": ("A changelog entry became live.", "ChangelogEntryOut"),
    "task.completed": (
        "A task has ended, `completed` or `failed`; its drafts have events of their own.",
        "TaskOut",
    ),
    "conversation.escalated": (
        "A visitor asked for a person to go on with a conversation; one event, however often it is asked.",
        "ConversationOut",
    ),
    "lead.created": ("A visitor left contact details.", "LeadOut"),
}

HEADERS = {
    "service-event": ("The event kind.", {"type": "string"}),
    "service-delivery": (
        "The delivery id; it stays the same across retries, so drop what you have seen.",
        {"type": "string"},
    ),
    "service-attempt": ("The attempt count, from 1.", {"type": "integer", "minimum": 1}),
    "service-signature": (
        "`t=<unix seconds>,v1=<hex>`: the HMAC-SHA256 of `<t>.<raw body>`, keyed with the endpoint's secret; "
        "a second `v1` while a rotated secret is still good.",
        {"type": "string", "pattern": "^t=[0-9]+(,v1=[0-9a-f]{64})+$"},
    ),
}


# What no operation of the API answers with.
ONLY_IN_EVENTS: tuple[type[BaseModel], ...] = (ConversationOut, LeadOut)


def components() -> Json:
    return {shape.__name__: shape.model_json_schema(mode="serialization") for shape in ONLY_IN_EVENTS}


def webhooks() -> Json:
    return {kind: {"post": event(kind)} for kind in KINDS}


def event(kind: EventKind) -> Json:
    meaning, shape = KINDS[kind]
    thing = {"$ref": f"#/components/schemas/{shape}"}
    return {
        "tags": ["events"],
        "operationId": f"on_{kind.replace('.', '_')}",
        "summary": kind,
        "description": meaning,
        "security": [],
        "parameters": [
            {"name": name, "in": "header", "required": True, "description": text, "schema": schema}
            for name, (text, schema) in HEADERS.items()
        ],
        "requestBody": {
            "required": True,
            "content": {"application/json": {"schema": envelope(kind, thing)}},
        },
        "responses": {
            "2XX": {"description": "Received. Any other answer, or none within 10 seconds: tried again."},
        },
    }


def envelope(kind: str, thing: Json) -> Json:
    properties: Json = {
        "id": {
            "type": "string",
            "description": "The event's id.",
            "examples": ["evt_01kbb6x4mwh2v7n8q9r0s1t2v7"],
        },
        "type": {"type": "string", "const": kind},
        "createdAt": {"type": "string", "format": "date-time"},
        "botId": {"type": "string", "format": "uuid"},
        "actor": {
            "type": "object",
            "description": "Who did it: of an API key its name.",
            "properties": {
                "type": {"type": "string", "examples": ["api_key"]},
                "name": {"type": "string", "examples": ["ci"]},
            },
            "required": ["type", "name"],
        },
        "data": {
            "type": "object",
            "properties": {
                "object": thing,
                "previousAttributes": {
                    "type": "object",
                    "description": "The fields of `object` that the change has changed, as they were before "
                    "it; none where the resource was made or deleted.",
                },
            },
            "required": ["object", "previousAttributes"],
        },
    }
    return {"type": "object", "properties": properties, "required": list(properties)}

"""The events that webhook endpoints receive (specification, Events; contract section 5)."""

from typing import Any

from instep.webhooks.schemas import EventKind

Json = dict[str, Any]

# What happened, and the component that `data.object` has.
KINDS: dict[EventKind, tuple[str, str | None]] = {
    "article.published": ("An article became live.", "ArticleOut"),
    "article.updated": ("The text or a public field of a live article changed.", "ArticleOut"),
    "article.unpublished": ("A live article was taken out of the help center.", "ArticleOut"),
    "article.deleted": ("An article moved to Recently deleted; one event per translation.", "ArticleOut"),
    "edit.proposed": ("An edit of an article waits for review.", "DraftListItemOut"),
    "draft.created": ("A new article, or a draft from questions, waits for review.", "DraftListItemOut"),
    "changelog_entry.published": ("A changelog entry became live.", "ChangelogEntryOut"),
    "task.completed": ("A task has ended, `completed` or `failed`.", "TaskOut"),
    "conversation.escalated": ("A visitor asks for a person.", None),
    "lead.created": ("A visitor left contact details.", None),
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


def webhooks() -> Json:
    return {kind: {"post": event(kind)} for kind in KINDS}


def event(kind: EventKind) -> Json:
    meaning, shape = KINDS[kind]
    thing = {"$ref": f"#/components/schemas/{shape}"} if shape else {"type": "object"}
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
    text = {"type": "string"}
    properties: Json = {
        "id": {"type": "string", "description": "The event's id."},
        "type": {"type": "string", "const": kind},
        "createdAt": {"type": "string", "format": "date-time"},
        "botId": {"type": "string", "format": "uuid"},
        "actor": {
            "type": "object",
            "description": "Who did it.",
            "properties": {"type": text, "name": text},
            "required": ["type", "name"],
        },
        "data": {
            "type": "object",
            "properties": {
                "object": thing,
                "previousAttributes": {
                    "type": "object",
                    "description": "What the changed fields were before.",
                },
            },
            "required": ["object", "previousAttributes"],
        },
    }
    return {"type": "object", "properties": properties, "required": list(properties)}

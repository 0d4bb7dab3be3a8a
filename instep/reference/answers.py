"""What the operations share in the document: headers, refusals, how a bot is named, the API key."""

from collections.abc import Collection
from typing import Any

Json = dict[str, Any]

BOT_PARAMETERS = [
    {
        "name": name,
        "in": place,
        "required": False,
        "description": "The bot, by its id. Needed only with a key that covers several bots: "
        "send `bot_id` or `Service-Bot`.",
        "schema": {"type": "string", "format": "uuid"},
    }
    for name, place in (("bot_id", "query"), ("Service-Bot", "header"))
]

HEADERS: dict[str, Json] = {
    "Request-Id": {
        "description": "Names this request in the server's log: send it along when you report a problem.",
        "schema": {"type": "string"},
        "example": "req_01kbb6x4mwh2v7n8q9r0s1t2u3",
    },
    "RateLimit-Policy": {
        "description": 'The limits that the call counted against, as `"policy";q=quota;w=seconds`; on '
        'creation of tasks also `"tasks"` (draft-ietf-httpapi-ratelimit-headers).',
        "schema": {"type": "string"},
        "example": '"api";q=120;w=60',
    },
    "RateLimit": {
        "description": 'What is left of them, as `"policy";r=remaining;t=seconds`.',
        "schema": {"type": "string"},
        "example": '"api";r=119;t=60',
    },
    "ETag": {
        "description": "Names this state: send it as `If-None-Match` or `If-Match`.",
        "schema": {"type": "string"},
        "example": '"9f86d081884c7d659a2feaa0"',
    },
    "Retry-After": {
        "description": "After how many seconds to try again.",
        "schema": {"type": "integer", "minimum": 1},
        "example": 17,
    },
    "WWW-Authenticate": {
        "description": "How to authenticate.",
        "schema": {"type": "string", "const": "Bearer"},
        "example": "Bearer",
    },
    "Location": {
        "description": "Where to poll the task.",
        "schema": {"type": "string", "format": "uri"},
        "example": "https://help.example.com/v1/tasks/task_01kbb6x4mwh2v7n8q9r0s1t2v3",
    },
    "Instep-Warnings": {
        "description": "What the change takes away, if anything: a JSON list of sentences, about golden "
        "questions that lose their answer, and on apply about later changes that an overwrite replaces.",
        "schema": {"type": "string"},
        "example": '["The golden question \\u201cHow do I export?\\u201d loses its article."]',
    },
    "Idempotent-Replayed": {
        "description": "`true` where the task is one that an earlier request with this key made.",
        "schema": {"type": "string", "const": "true"},
        "example": "true",
    },
}
EVERY = ("Request-Id", "RateLimit-Policy", "RateLimit")
# The operations whose answer is one article, entry or collection (contract section 2).
TAGGED = {
    "create_article",
    "publish_article",
    "unpublish_article",
    "restore_article",
    "restore_revision",
    "create_collection",
    "create_changelog_entry",
    "publish_changelog_entry",
    "unpublish_changelog_entry",
}
# The operations that may take away what answers a golden question, or what others changed since.
WARNING = {
    "update_article",
    "publish_article",
    "unpublish_article",
    "delete_article",
    "restore_revision",
    "apply_draft",
}

# Status: the component's name, what it means, and an example of its code and sentence.
REFUSALS: dict[int, tuple[str, str, str, str]] = {
    400: (
        "InvalidRequest",
        "Something is missing, or a value is bad: `code` says which kind, `details` name the fields.",
        "invalid_request",
        "`title`: it is required.",
    ),
    401: (
        "Unauthorized",
        "There is no API key, or it was revoked.",
        "unauthorized",
        "No valid API key was sent: put `Authorization: Bearer <key>` on the request.",
    ),
    402: (
        "PlanInactive",
        "The workspace is paused; reads still work.",
        "plan_inactive",
        "The workspace is paused: reads still work, writes do not until it is resumed.",
    ),
    403: (
        "InsufficientScope",
        "A read key on a write, or a bot that the key does not cover.",
        "insufficient_scope",
        "This API key may only read: use one with the scope `content:write`.",
    ),
    404: ("NotFound", "There is no such thing in this bot.", "not_found", "There is no such article."),
    429: (
        "RateLimited",
        "Too many requests: wait for as long as `Retry-After` says.",
        "rate_limited",
        "Too many requests: wait for as long as `Retry-After` says, then go on.",
    ),
    500: (
        "InternalError",
        "Something went wrong here; the `Request-Id` finds it in the log.",
        "internal_error",
        "Something went wrong here: try again, and report the `Request-Id` of this answer if it stays.",
    ),
    503: (
        "Unavailable",
        "The database can't be reached just now: try again.",
        "unavailable",
        "The database can't be reached just now: try again in a moment.",
    ),
}
EXTRA_HEADERS = {401: ("WWW-Authenticate",), 429: ("Retry-After",), 503: ("Retry-After",)}


def components() -> Json:
    responses = {name: refusal(status) for status, (name, *_) in REFUSALS.items()}
    responses["NotModified"] = {
        "description": "The ETag sent as `If-None-Match` is still the present one; there is no body.",
        "headers": references((*EVERY, "ETag")),
    }
    return {
        "headers": HEADERS,
        "responses": responses,
        "securitySchemes": {
            "apiKey": {
                "type": "http",
                "scheme": "bearer",
                "description": "An API key of the workspace: `Authorization: Bearer isk_…`. Scope "
                "`content:read` reads; `content:write` reads and changes. Without a valid key "
                "60 calls a minute per address are answered, where the operator has set nothing else.",
            }
        },
    }


def refusal(status: int) -> Json:
    _, meaning, code, sentence = REFUSALS[status]
    # Where nobody could be found out to count against, there is nothing to tell of a limit.
    every = EVERY[:1] if status >= 500 else EVERY
    return {
        "description": meaning,
        "headers": references((*every, *EXTRA_HEADERS.get(status, ()))),
        "content": {
            "application/json": {
                "schema": {"$ref": "#/components/schemas/ErrorOut"},
                "example": {"error": sentence, "code": code},
            }
        },
    }


def refusals(writes: bool, has_reference: bool, is_conditional: bool) -> Json:
    """What an operation may answer besides success; 402 for writes only (specification, Errors)."""
    left_out = ({402} if not writes else set()) | ({404} if not has_reference else set())
    found = {
        str(status): {"$ref": f"#/components/responses/{name}"}
        for status, (name, *_) in REFUSALS.items()
        if status not in left_out
    }
    return ({"304": {"$ref": "#/components/responses/NotModified"}} if is_conditional else {}) | found


def headers_of(operation: str, sent: Collection[str]) -> Json:
    """The headers of an operation's success."""
    names: tuple[str, ...] = EVERY
    if operation in TAGGED or "If-None-Match" in sent or ("If-Match" in sent and operation != "apply_draft"):
        names += ("ETag",)
    if operation in WARNING:
        names += ("Instep-Warnings",)
    if operation == "create_task":
        names += ("Location", "Idempotent-Replayed")
    return references(names)


def references(names: Collection[str]) -> Json:
    return {name: {"$ref": f"#/components/headers/{name}"} for name in names}

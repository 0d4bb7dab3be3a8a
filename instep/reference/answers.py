"""What the operations of the document share: headers, errors, the parameters of the bot, the API key."""

from collections.abc import Collection, Iterable
from http import HTTPStatus
from types import UnionType
from typing import Any, get_args

from instep.core.errors import (
    AppError,
    InsufficientScope,
    InvalidRequest,
    NotFound,
    PlanInactive,
    RateLimited,
    Unauthorized,
    Unavailable,
)
from instep.web.authenticated_route import AuthenticatedRoute
from instep.web.errors import InternalError, management_errors

Json = dict[str, Any]
ACCEPTED = HTTPStatus.ACCEPTED

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
# The errors that any operation may answer with, one per status. Their docstrings are the descriptions.
SHARED_ERRORS: tuple[type[AppError], ...] = (
    InvalidRequest,
    Unauthorized,
    PlanInactive,
    InsufficientScope,
    NotFound,
    RateLimited,
    InternalError,
    Unavailable,
)
EXTRA_HEADERS = {401: ("WWW-Authenticate",), 429: ("Retry-After",), 503: ("Retry-After",)}


def components() -> Json:
    responses = {kind.__name__: error_response(kind) for kind in SHARED_ERRORS}
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


def error_response(kind: type[AppError]) -> Json:
    # An error of the server may precede authentication, so there is no limit to report.
    common = EVERY[:1] if kind.status >= 500 else EVERY
    return {
        "description": f"{kind.sentence()}{codes_text(kind)}",
        "headers": references((*common, *EXTRA_HEADERS.get(kind.status, ()))),
        "content": {
            "application/json": {
                "schema": {"$ref": "#/components/schemas/ErrorOut"},
                "example": {"error": kind.sentence(), "code": kind.code},
            }
        },
    }


def codes_text(kind: type[AppError]) -> str:
    """The other codes with the same status, as the end of a description."""
    kinds = [other for other in management_errors() if other.status == kind.status]
    codes = {other.code for other in kinds} - {kind.code, AppError.code}
    names = ", ".join(f"`{code}`" for code in sorted(codes))
    return f" `code` is `{kind.code}`, or a more specific one: {names}." if codes else ""


def error_responses(writes: bool, has_reference: bool, is_conditional: bool) -> Json:
    """What an operation may answer besides success; 402 for writes only (specification, Errors)."""
    impossible = ({PlanInactive} if not writes else set()) | ({NotFound} if not has_reference else set())
    responses = {
        str(kind.status): {"$ref": f"#/components/responses/{kind.__name__}"}
        for kind in SHARED_ERRORS
        if kind not in impossible
    }
    not_modified = {"304": {"$ref": "#/components/responses/NotModified"}} if is_conditional else {}
    return not_modified | responses


def success_headers(route: AuthenticatedRoute, sent: Collection[str], tagged: Collection[object]) -> Json:
    """The headers of an operation's success; `sent` are its parameters, `tagged` the shapes with an ETag."""
    names: tuple[str, ...] = EVERY
    if set(shapes_of(route.response_model)) <= set(tagged):
        names += ("ETag",)
    if route.endpoint.__dict__["access"].may_warn:
        names += ("Instep-Warnings",)
    if route.status_code == ACCEPTED:
        names += ("Location",)
    if "idempotency-key" in {name.lower() for name in sent}:
        names += ("Idempotent-Replayed",)
    return references(names)


def tagged_shapes(routes: Iterable[AuthenticatedRoute]) -> set[object]:
    """The shapes of resources that have an ETag: those that can be read with `If-None-Match`."""
    return {
        shape
        for route in routes
        if any(parameter.alias.lower() == "if-none-match" for parameter in route.dependant.header_params)
        for shape in shapes_of(route.response_model)
    }


def shapes_of(model: Any) -> tuple[object, ...]:
    """The members of a union of shapes; a shape alone is its only member."""
    return get_args(model) if isinstance(model, UnionType) else (model,)


def references(names: Collection[str]) -> Json:
    return {name: {"$ref": f"#/components/headers/{name}"} for name in names}

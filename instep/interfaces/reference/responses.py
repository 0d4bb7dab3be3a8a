"""Parts that operations of the OpenAPI document share: headers, errors, bot parameters, the API key."""

from collections.abc import Collection, Iterable
from http import HTTPStatus
from types import UnionType
from typing import Any, get_args

from instep.platform.core.errors import (
    AppError,
    InsufficientScope,
    InvalidRequest,
    NotFound,
    PlanInactive,
    RateLimited,
    Unauthorized,
    Unavailable,
)
from instep.platform.web.authenticated_route import AuthenticatedRoute
from instep.platform.web.errors import InternalError, management_errors

Json = dict[str, Any]
ACCEPTED = HTTPStatus.ACCEPTED

BOT_PARAMETERS = [
    {
        "name": name,
        "in": place,
        "required": False,
        "description": "The id of the bot. A key that covers several bots requires it: "
        "send `bot_id` or `Service-Bot`.",
        "schema": {"type": "string", "format": "uuid"},
    }
    for name, place in (("bot_id", "query"), ("Service-Bot", "header"))
]

HEADERS: dict[str, Json] = {
    "Request-Id": {
        "description": "The id of this request in the server's log: include it when you report a problem.",
        "schema": {"type": "string"},
        "example": "req_01kbb6x4mwh2v7n8q9r0s1t2u3",
    },
    "RateLimit-Policy": {
        "description": 'The rate limits that the call counts against, as `"policy";q=quota;w=seconds`; on '
        'creation of tasks also `"tasks"` (draft-ietf-httpapi-ratelimit-headers).',
        "schema": {"type": "string"},
        "example": '"api";q=120;w=60',
    },
    "RateLimit": {
        "description": 'The remaining quota of these limits, as `"policy";r=remaining;t=seconds`.',
        "schema": {"type": "string"},
        "example": '"api";r=119;t=60',
    },
    "ETag": {
        "description": "Identifies this state of the resource: send it as `If-None-Match` or `If-Match`.",
        "schema": {"type": "string"},
        "example": '"9f86d081884c7d659a2feaa0"',
    },
    "Retry-After": {
        "description": "Try again after this many seconds.",
        "schema": {"type": "integer", "minimum": 1},
        "example": 17,
    },
    "WWW-Authenticate": {
        "description": "How to authenticate.",
        "schema": {"type": "string", "const": "Bearer"},
        "example": "Bearer",
    },
    "Location": {
        "description": "The URL to poll the task.",
        "schema": {"type": "string", "format": "uri"},
        "example": "https://help.example.com/v1/tasks/task_01kbb6x4mwh2v7n8q9r0s1t2v3",
    },
    "Instep-Warnings": {
        "description": "A JSON list of sentences about the change, if there are any: golden questions that "
        "lose their answer, and on apply later changes that an overwrite replaces.",
        "schema": {"type": "string"},
        "example": '["The golden question \\u201cHow do I export?\\u201d loses its public article."]',
    },
    "Idempotent-Replayed": {
        "description": "`true` if an earlier request with this key created the task.",
        "schema": {"type": "string", "const": "true"},
        "example": "true",
    },
}
COMMON_HEADERS = ("Request-Id", "RateLimit-Policy", "RateLimit")
# The errors that any operation may respond with, one per status; their docstrings are the descriptions.
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
EXTRA_HEADERS: dict[type[AppError], tuple[str, ...]] = {
    Unauthorized: ("WWW-Authenticate",),
    RateLimited: ("Retry-After",),
    Unavailable: ("Retry-After",),
}


def components() -> Json:
    responses = {
        kind.__name__: error_response(
            kind,
            f"{kind.sentence()}{codes_text(kind)}",
            "ErrorOut",
            {"error": kind.sentence(), "code": kind.code},
        )
        for kind in SHARED_ERRORS
    }
    responses["NotModified"] = {
        "description": "The resource still has the ETag that `If-None-Match` names; there is no body.",
        "headers": references((*COMMON_HEADERS, "ETag")),
    }
    return {
        "headers": HEADERS,
        "responses": responses,
        "securitySchemes": {
            "apiKey": {
                "type": "http",
                "scheme": "bearer",
                "description": "An API key of the workspace: `Authorization: Bearer isk_…`. Scope "
                "`content:read` reads; `content:propose` also sends code changes and proposes edits; "
                "`content:write` reads and changes. Without a valid key "
                "an address may send 60 requests a minute, unless the operator has set another limit.",
            }
        },
    }


def error_response(kind: type[AppError], description: str, shape: str, example: Json) -> Json:
    # A server error may occur before authentication, when no rate limit is known yet.
    common = COMMON_HEADERS[:1] if kind.status >= 500 else COMMON_HEADERS
    return {
        "description": description,
        "headers": references((*common, *EXTRA_HEADERS.get(kind, ()))),
        "content": {
            "application/json": {
                "schema": {"$ref": f"#/components/schemas/{shape}"},
                "example": example,
            }
        },
    }


def codes_text(kind: type[AppError]) -> str:
    """The sentence that names the more specific codes of the same status; empty if there are none."""
    kinds = [other for other in management_errors() if other.status == kind.status]
    codes = {other.code for other in kinds} - {kind.code, AppError.code}
    names = ", ".join(f"`{code}`" for code in sorted(codes))
    return f" `code` is `{kind.code}`, or a more specific one: {names}." if codes else ""


def error_responses(writes: bool, has_reference: bool, is_conditional: bool) -> Json:
    """The responses of an operation other than success; only writes have 402 (specification, Errors)."""
    impossible = ({PlanInactive} if not writes else set()) | ({NotFound} if not has_reference else set())
    not_modified = {"304": {"$ref": "#/components/responses/NotModified"}} if is_conditional else {}
    return not_modified | references_to(kind for kind in SHARED_ERRORS if kind not in impossible)


def references_to(kinds: Iterable[type[AppError]]) -> Json:
    """The responses of errors, by their statuses."""
    return {str(kind.status): {"$ref": f"#/components/responses/{kind.__name__}"} for kind in kinds}


def success_headers(
    route: AuthenticatedRoute, parameters: Collection[str], shapes_with_etag: Collection[object]
) -> Json:
    """The headers of an operation's success; `parameters` are the names of its parameters."""
    names: tuple[str, ...] = COMMON_HEADERS
    if set(shapes_of(route.response_model)) <= set(shapes_with_etag):
        names += ("ETag",)
    if route.endpoint.__dict__["access"].may_warn:
        names += ("Instep-Warnings",)
    if route.status_code == ACCEPTED:
        names += ("Location",)
    if "idempotency-key" in {name.lower() for name in parameters}:
        names += ("Idempotent-Replayed",)
    return references(names)


def find_shapes_with_etag(routes: Iterable[AuthenticatedRoute]) -> set[object]:
    """The shapes of resources that can be read with `If-None-Match`."""
    return {
        shape
        for route in routes
        if any(parameter.alias.lower() == "if-none-match" for parameter in route.dependant.header_params)
        for shape in shapes_of(route.response_model)
    }


def shapes_of(model: Any) -> tuple[object, ...]:
    """The members of a union of shapes; a single shape is its only member."""
    return get_args(model) if isinstance(model, UnionType) else (model,)


def references(names: Collection[str]) -> Json:
    return {name: {"$ref": f"#/components/headers/{name}"} for name in names}

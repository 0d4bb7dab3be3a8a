"""The OpenAPI 3.1 document of the visitor API, made from its routes and shapes."""

from collections.abc import Iterator, Sequence
from copy import copy
from typing import Any

from fastapi.openapi.utils import get_openapi
from starlette.routing import BaseRoute

from instep.core import limits
from instep.core.errors import (
    AppError,
    InvalidRequest,
    NotFound,
    PlanInactive,
    RateLimited,
    Unavailable,
)
from instep.reference import words
from instep.reference.answers import HEADERS, references
from instep.reference.document import (
    describe_defaults,
    describe_fields,
    operations_of,
    public_parameter,
    with_examples,
    with_public_names,
    without_titles,
)
from instep.web.call import BotKeyAccess
from instep.web.errors import InternalError
from instep.web.visitors.errors import (
    TITLES_AND_HINTS,
    InvalidCredentials,
    OriginNotAllowed,
    VisitorErrorOut,
    body_of_code,
)
from instep.web.visitors.route import VisitorRoute

Json = dict[str, Any]

TITLE = "Instep answer API"
SUMMARY = "Answers from a help center's published articles, for widgets and servers."
DESCRIPTION = f"""\
Ask a bot (a help center) questions, and get answers with sources; escalate to a person, leave contact
details.

**Credentials.** Each call names `botId` and the bot's public `botKey`: in the body, or in the address where
there is no body. The key is no secret. A browser's `Origin` must be one of the bot's allowed origins or the
service itself; servers send none.

**Limits.** {limits.VISITOR_CALLS_PER_MINUTE} calls a minute of one visitor,
{limits.VISITOR_ADDRESS_CALLS_PER_MINUTE} of one network address, for each bot. A body has at most
{limits.MAX_VISITOR_BODY_BYTES // 1024} KiB.

**Errors** are JSON: `error` is a title, `message` says what is wrong, `hint` what to do; compare `code`.
"""
TAGS = {
    "chat": "Questions, answers and what visitors think of them.",
    "leads": "Contact details that visitors leave.",
    "widget": "What a widget on a page needs.",
}
# The errors that any operation may answer with, one per status.
SHARED_ERRORS: tuple[type[AppError], ...] = (
    InvalidRequest,
    InvalidCredentials,
    PlanInactive,
    OriginNotAllowed,
    NotFound,
    RateLimited,
    InternalError,
    Unavailable,
)
# Descriptions of errors that mean something else here than in the management API.
DESCRIPTIONS: dict[type[AppError], str] = {
    PlanInactive: "The workspace is paused; questions are answered all the same.",
    NotFound: "There is no such thing with this bot.",
}
# Clients that are generated from the document know the error under this name.
ERROR_SHAPE = "EmbedErrorOut"
EVERY = ("Request-Id", "RateLimit-Policy", "RateLimit")
EVENT_STREAM = """\
Server-sent events: `sources` with `{"sources": […]}`, `delta` with `{"text": "…"}` for each next part of
the text, `done` with the whole answer; `error` with the body of a refusal in place of what can't be sent any
more. Lines that begin with a colon keep the connection open.
"""


def describe_visitor_api(routes: Sequence[BaseRoute], base_url: str) -> Json:
    """The document; paths are relative to `{site_url}`."""
    routes_described = [without_preflight(route) for route in routes if isinstance(route, VisitorRoute)]
    document = get_openapi(
        title=TITLE,
        version=words.VERSION,
        summary=SUMMARY,
        description=DESCRIPTION,
        license_info=words.LICENSE,
        contact=words.CONTACT,
        servers=[{"url": base_url}],
        routes=routes_described,
    )
    for route in routes_described:
        for method in route.methods or ():
            complete(document["paths"][route.path][method.lower()], route)
    schemas = document["components"]["schemas"]
    for name in ("HTTPValidationError", "ValidationError"):
        schemas.pop(name, None)
    schemas[ERROR_SHAPE] = error_schema()
    document["components"] |= {
        "headers": {name: HEADERS[name] for name in (*EVERY, "Retry-After")},
        "responses": {kind.__name__: error_response(kind) for kind in SHARED_ERRORS},
    }
    document |= {"security": [], "webhooks": {}}
    document["tags"] = [{"name": name, "description": text} for name, text in TAGS.items()]
    for schema in schemas.values():
        describe_fields(schema)
        describe_defaults(schema)
    documented = with_examples(with_public_names(without_titles(document)))
    add_event_stream(documented)
    return documented


def without_preflight(route: VisitorRoute) -> VisitorRoute:
    """A copy of the route without OPTIONS, which only browsers send."""
    route = copy(route)
    route.methods = (route.methods or set()) - {"OPTIONS"}
    return route


def complete(operation: Json, route: VisitorRoute) -> None:
    """Add what an operation shares with others: headers and error responses."""
    access: BotKeyAccess = route.endpoint.__dict__["access"]
    operation["tags"] = [route.path.split("/")[1]]
    operation["parameters"] = [public_parameter(parameter) for parameter in operation.get("parameters", ())]
    success = operation["responses"][str(route.status_code)]
    success["description"] = words.SUCCESSES[route.status_code or 200]
    success["headers"] = references(EVERY)
    impossible = set(impossible_errors(access, route))
    operation["responses"] = {str(route.status_code): success} | {
        str(kind.status): {"$ref": f"#/components/responses/{kind.__name__}"}
        for kind in SHARED_ERRORS
        if kind not in impossible
    }


def impossible_errors(access: BotKeyAccess, route: VisitorRoute) -> Iterator[type[AppError]]:
    """The shared errors that this operation never answers with."""
    if not access.is_write:
        yield PlanInactive
    if route.path.count("{") == route.path.count("{botId}"):
        yield NotFound


def error_schema() -> Json:
    schema: Json = VisitorErrorOut.model_json_schema()
    schema["properties"]["code"]["enum"] = sorted(TITLES_AND_HINTS)
    return schema


def error_response(kind: type[AppError]) -> Json:
    description = DESCRIPTIONS.get(kind, kind.sentence())
    common = EVERY if kind.status < 500 else EVERY[:1]
    waits = ("Retry-After",) if kind in (RateLimited, Unavailable) else ()
    return {
        "description": description,
        "headers": references((*common, *waits)),
        "content": {
            "application/json": {
                "schema": {"$ref": f"#/components/schemas/{ERROR_SHAPE}"},
                "example": body_of_code(kind.code, description),
            }
        },
    }


def add_event_stream(document: Json) -> None:
    """Add the event stream, the other form of an answer."""
    for operation in operations_of(document):
        if operation["operationId"] == "ask_question":
            operation["responses"]["200"]["content"]["text/event-stream"] = {
                "schema": {"type": "string", "description": " ".join(EVENT_STREAM.split())}
            }

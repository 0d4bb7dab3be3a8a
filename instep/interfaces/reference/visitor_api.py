"""The OpenAPI 3.1 document of the visitor API, generated from its routes and shapes."""

from collections.abc import Iterator, Sequence
from typing import Any

from starlette.routing import BaseRoute

from instep.interfaces.reference import descriptions, responses
from instep.interfaces.reference.document import (
    document_of,
    finished,
    operations_of,
    public_parameter,
    without_automatic_methods,
)
from instep.interfaces.reference.responses import COMMON_HEADERS, HEADERS
from instep.platform.core import limits
from instep.platform.core.errors import (
    AppError,
    InvalidRequest,
    NotFound,
    PlanInactive,
    RateLimited,
    Unavailable,
)
from instep.platform.web.call import BotKeyAccess
from instep.platform.web.errors import InternalError
from instep.platform.web.visitors.errors import (
    TITLES_AND_HINTS,
    InvalidCredentials,
    OriginNotAllowed,
    VisitorErrorOut,
    body_of_code,
)
from instep.platform.web.visitors.route import VisitorRoute

Json = dict[str, Any]

TITLE = "Instep answer API"
SUMMARY = "Answers from a help center's published articles, for widgets and servers."
DESCRIPTION = f"""\
Ask a bot (a help center) questions, and get answers with sources; escalate to a person, leave contact
details.

**Credentials.** Each call has `botId` and the bot's public `botKey`: in the body, or in the URL if there is
no body. The key is not secret. A browser's `Origin` must be one of the bot's allowed origins or the
service itself; servers send none.

**Limits.** {limits.VISITOR_CALLS_PER_MINUTE} calls a minute per visitor and
{limits.VISITOR_ADDRESS_CALLS_PER_MINUTE} per network address, for each bot; GET requests are counted
separately, {limits.WIDGET_READS_PER_MINUTE} a minute per network address. A body has at most
{limits.MAX_VISITOR_BODY_BYTES // 1024} KiB.

**Errors** are JSON: `error` is a title, `message` describes the problem and `hint` the fix; programs should
compare `code`.
"""
TAGS = {
    "chat": "Questions, answers and visitors' ratings.",
    "feedback": "Readers' ratings of articles.",
    "leads": "Contact details that visitors leave.",
    "widget": "The data a widget on a page needs.",
}
# The errors that any operation may respond with, one per status.
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
# Descriptions of errors whose meaning differs from the management API's.
DESCRIPTIONS: dict[type[AppError], str] = {
    PlanInactive: "The workspace is paused; questions are still answered.",
    NotFound: "This bot has nothing with this ID.",
}
# Generated clients use this name, so it can't change.
ERROR_SHAPE = "EmbedErrorOut"
EVENT_STREAM = """\
Server-sent events: `sources` with `{"sources": […]}`, again when the text cites a further one; `delta` with
`{"text": "…"}` for each part of the text; `replace` with `{"text": "…"}` if another text takes the place of
all parts so far; `done` with the whole answer; `error` with an error body ends a stream that can't be
completed. Lines that begin with a colon keep the connection open.
"""


def describe_visitor_api(routes: Sequence[BaseRoute], base_url: str) -> Json:
    """The OpenAPI document; its paths are relative to `base_url`."""
    visitor_routes = [without_automatic_methods(route) for route in routes if isinstance(route, VisitorRoute)]
    texts = {"title": TITLE, "summary": SUMMARY, "description": DESCRIPTION}
    document = document_of(visitor_routes, base_url, texts)
    for route in visitor_routes:
        for method in route.methods or ():
            complete(document["paths"][route.path][method.lower()], route)
    document["components"]["schemas"][ERROR_SHAPE] = error_schema()
    document["components"] |= {
        "headers": {name: HEADERS[name] for name in (*COMMON_HEADERS, "Retry-After")},
        "responses": {kind.__name__: refusal_response(kind) for kind in SHARED_ERRORS},
    }
    document |= {"security": [], "webhooks": {}}
    document["tags"] = [{"name": name, "description": text} for name, text in TAGS.items()]
    document = finished(document)
    add_event_stream(document)
    return document


def complete(operation: Json, route: VisitorRoute) -> None:
    """Add the parts that operations share: headers and error responses."""
    access: BotKeyAccess = route.endpoint.__dict__["access"]
    operation["tags"] = [route.path.split("/")[1]]
    operation["parameters"] = [public_parameter(parameter) for parameter in operation.get("parameters", ())]
    success = operation["responses"][str(route.status_code)]
    success["description"] = descriptions.SUCCESSES[route.status_code or 200]
    success["headers"] = responses.references(COMMON_HEADERS)
    impossible = set(impossible_errors(access, route))
    errors = responses.references_to(kind for kind in SHARED_ERRORS if kind not in impossible)
    operation["responses"] = {str(route.status_code): success} | errors


def impossible_errors(access: BotKeyAccess, route: VisitorRoute) -> Iterator[type[AppError]]:
    """The shared errors that this operation never responds with."""
    if not access.is_write:
        yield PlanInactive
    if route.path != "/feedback" and route.path.count("{") == route.path.count("{botId}"):
        yield NotFound


def error_schema() -> Json:
    schema: Json = VisitorErrorOut.model_json_schema()
    schema["properties"]["code"]["enum"] = sorted(TITLES_AND_HINTS)
    return schema


def refusal_response(kind: type[AppError]) -> Json:
    description = DESCRIPTIONS.get(kind, kind.sentence())
    return responses.error_response(kind, description, ERROR_SHAPE, body_of_code(kind.code, description))


def add_event_stream(document: Json) -> None:
    """Add the event stream, the other media type of an answer."""
    for operation in operations_of(document):
        if operation["operationId"] == "ask_question":
            operation["responses"]["200"]["content"]["text/event-stream"] = {
                "schema": {"type": "string", "description": " ".join(EVENT_STREAM.split())}
            }

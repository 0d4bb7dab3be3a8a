"""The OpenAPI 3.1 document of the answer API and the widget, made from their routes and shapes."""

from collections.abc import Iterator, Sequence
from copy import copy
from typing import Any

from fastapi.openapi.utils import get_openapi
from starlette.routing import BaseRoute

from instep.core import limits
from instep.reference import words
from instep.reference.answers import HEADERS, references
from instep.reference.document import (
    canonical,
    operations_of,
    plain,
    renamed,
    tell_defaults,
    tell_fields,
    with_examples,
)
from instep.web.call import BotKeyAccess
from instep.web.visitors.errors import TITLES_AND_HINTS, VisitorErrorOut, body_of_code
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
# Status: the component's name, its meaning and its code.
REFUSALS: dict[int, tuple[str, str, str]] = {
    400: ("InvalidRequest", "Something is missing, or a value is bad.", "invalid_request"),
    401: ("InvalidCredentials", "There is no bot with this id and this key.", "invalid_credentials"),
    402: ("PlanInactive", "The workspace is paused; questions are answered all the same.", "plan_inactive"),
    403: ("OriginNotAllowed", "The bot is not open to pages of this origin.", "origin_not_allowed"),
    404: ("NotFound", "There is no such thing with this bot.", "not_found"),
    429: ("RateLimited", "Too many calls: wait for as long as `Retry-After` says.", "rate_limited"),
    500: ("InternalError", "Something went wrong here.", "internal_error"),
    503: ("Unavailable", "The database can't be reached just now.", "unavailable"),
}
EVERY = ("Request-Id", "RateLimit-Policy", "RateLimit")
EVENTS = """\
Server-sent events: `sources` with `{"sources": […]}`, `delta` with `{"text": "…"}` for each next part of
the text, `done` with the whole answer; `error` with the body of a refusal in place of what can't be sent any
more. Lines that begin with a colon keep the connection open.
"""


def describe_answers(routes: Sequence[BaseRoute], base_url: str) -> Json:
    """The document; paths are relative to `{site_url}`."""
    doors = [without_preflight(route) for route in routes if isinstance(route, VisitorRoute)]
    document = get_openapi(
        title=TITLE,
        version=words.VERSION,
        summary=SUMMARY,
        description=DESCRIPTION,
        license_info=words.LICENSE,
        contact=words.CONTACT,
        servers=[{"url": base_url}],
        routes=doors,
    )
    for door in doors:
        for method in door.methods or ():
            complete(document["paths"][door.path][method.lower()], door)
    schemas = document["components"]["schemas"]
    for name in ("HTTPValidationError", "ValidationError"):
        schemas.pop(name, None)
    schemas["EmbedErrorOut"] = error_schema()
    document["components"] |= {
        "headers": {name: HEADERS[name] for name in (*EVERY, "Retry-After")},
        "responses": {name: refusal(status) for status, (name, *_) in REFUSALS.items()},
    }
    document |= {"security": [], "webhooks": {}}
    document["tags"] = [{"name": name, "description": text} for name, text in TAGS.items()]
    for schema in schemas.values():
        tell_fields(schema)
        tell_defaults(schema)
    described = with_examples(renamed(plain(document)))
    tell_events(described)
    return described


def without_preflight(route: VisitorRoute) -> VisitorRoute:
    """A browser asks that by itself; no client calls it."""
    door = copy(route)
    door.methods = (route.methods or set()) - {"OPTIONS"}
    return door


def complete(operation: Json, door: VisitorRoute) -> None:
    """What an operation's own code does not say: headers and refusals."""
    access: BotKeyAccess = door.endpoint.__dict__["access"]
    operation["tags"] = [door.path.split("/")[1]]
    operation["parameters"] = [canonical(parameter) for parameter in operation.get("parameters", ())]
    success = operation["responses"][str(door.status_code)]
    success["description"] = words.SUCCESSES[door.status_code or 200]
    success["headers"] = references(EVERY)
    left_out = set(left_out_of(access, door))
    operation["responses"] = {str(door.status_code): success} | {
        str(status): {"$ref": f"#/components/responses/{name}"}
        for status, (name, *_) in REFUSALS.items()
        if status not in left_out
    }


def left_out_of(access: BotKeyAccess, door: VisitorRoute) -> Iterator[int]:
    if not access.is_write:
        yield 402
    if door.path.count("{") == door.path.count("{botId}"):
        yield 404


def error_schema() -> Json:
    schema: Json = VisitorErrorOut.model_json_schema()
    schema["properties"]["code"]["enum"] = sorted(TITLES_AND_HINTS)
    return schema


def refusal(status: int) -> Json:
    _, meaning, code = REFUSALS[status]
    headers = (*(EVERY if status < 500 else EVERY[:1]), *(("Retry-After",) if status in (429, 503) else ()))
    return {
        "description": meaning,
        "headers": references(headers),
        "content": {
            "application/json": {
                "schema": {"$ref": "#/components/schemas/EmbedErrorOut"},
                "example": body_of_code(code, meaning),
            }
        },
    }


def tell_events(document: Json) -> None:
    """An answer comes in two forms."""
    for operation in operations_of(document):
        if operation["operationId"] == "ask_question":
            operation["responses"]["200"]["content"]["text/event-stream"] = {
                "schema": {"type": "string", "description": " ".join(EVENTS.split())}
            }

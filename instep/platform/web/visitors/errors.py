"""Errors of the visitor API: `{error, code, message, hint}` (contract section 3)."""

import json
import re

from fastapi.responses import Response
from pydantic import BaseModel

from instep.platform.core.errors import AppError
from instep.platform.web.errors import VisitorRefusal

PREFIXES = ("/chat/", "/feedback/", "/leads/", "/mcp/", "/widget/")
# Other addresses below `/mcp` belong to a help center, which may redirect them.
HELP_CENTER_MCP = re.compile(r"/help/[^/]+/mcp(/server-card)?/?")
# The title and the hint of each code.
TITLES_AND_HINTS = {
    "invalid_request": ("Bad request", "Fix the problem in the message and send the request again."),
    "invalid_credentials": (
        "Unknown bot or key",
        "Copy `botId` and `botKey` from the output of `instep bot list`.",
    ),
    "origin_not_allowed": (
        "Origin not allowed",
        "Add the page's origin to the bot: `instep bot origins ID --add ORIGIN`.",
    ),
    "plan_inactive": ("Workspace paused", "Try again after the workspace is resumed."),
    "not_found": ("Not found", "Check the address and the ids in it."),
    "method_not_allowed": ("Method not allowed", "Send the request with a method that `Allow` names."),
    "rate_limited": ("Too many requests", "Wait for the number of seconds in `Retry-After`."),
    "unavailable": ("Not available", "Wait for the number of seconds in `Retry-After`."),
    "database_full": ("Not available", "Wait for the number of seconds in `Retry-After`."),
    "database_read_only": ("Not available", "Wait for the number of seconds in `Retry-After`."),
    "internal_error": (
        "Internal error",
        "Try again; if the error persists, report the `Request-Id` of this response.",
    ),
}


class VisitorErrorOut(BaseModel):
    """The reason that a call was refused, and what to do."""

    error: str
    code: str
    message: str
    hint: str


class InvalidCredentials(VisitorRefusal):
    """No bot has this id and this key."""

    status = 401
    code = "invalid_credentials"


class OriginNotAllowed(VisitorRefusal):
    """The bot does not allow pages of this origin."""

    status = 403
    code = "origin_not_allowed"


def is_visitor_path(path: str) -> bool:
    """True if a path belongs to the visitor API or a public MCP server."""
    return f"{path}/".startswith(PREFIXES) or HELP_CENTER_MCP.fullmatch(path) is not None


def render_visitor_error(error: AppError) -> Response:
    return Response(json.dumps(visitor_error_body(error)), error.status, error.headers, "application/json")


def visitor_error_body(error: AppError) -> dict[str, str]:
    message = " ".join(f"`{field}`: {text}." for field, text in error.details) or error.message
    return body_of_code(error.code, message)


def body_of_code(code: str, message: str) -> dict[str, str]:
    title, hint = TITLES_AND_HINTS.get(code, TITLES_AND_HINTS["invalid_request"])
    return {"error": title, "code": code, "message": message, "hint": hint}

"""Errors as the answer API words them: `{error, code, message, hint}` (contract section 3)."""

import json

from fastapi.responses import Response

from instep.core.errors import AppError
from instep.web.errors import EmbedRefusal

PREFIXES = ("/chat/", "/leads/", "/widget/")
# By code: the title and what to do.
WORDS = {
    "invalid_request": ("Bad request", "Correct what the message names and send the request again."),
    "invalid_credentials": (
        "Unknown bot or key",
        "Copy `botId` and `botKey` from what `instep bot list` prints.",
    ),
    "origin_not_allowed": (
        "Origin not allowed",
        "Add the page's origin to the bot: `instep bot origins ID --add ORIGIN`.",
    ),
    "plan_inactive": ("Workspace paused", "Try again when the workspace has been resumed."),
    "not_found": ("Not found", "Check the address and the ids in it."),
    "method_not_allowed": ("Method not allowed", "Send the request with a method that `Allow` names."),
    "rate_limited": ("Too many requests", "Wait as many seconds as `Retry-After` says."),
    "unavailable": ("Not available", "Wait as many seconds as `Retry-After` says."),
    "internal_error": ("Internal error", "Try again; if it stays, report the `Request-Id` of this answer."),
}


class InvalidCredentials(EmbedRefusal):
    """There is no bot with this id and this key."""

    status = 401
    code = "invalid_credentials"


class OriginNotAllowed(EmbedRefusal):
    """The bot is not open to pages of this origin."""

    status = 403
    code = "origin_not_allowed"


def is_of_embed(path: str) -> bool:
    """Whether an address is below those of the answer API and the widget."""
    return f"{path}/".startswith(PREFIXES)


def render_embed_error(error: AppError) -> Response:
    title, hint = WORDS.get(error.code, WORDS["invalid_request"])
    message = " ".join(f"`{field}`: {text}." for field, text in error.details) or error.message
    body = {"error": title, "code": error.code, "message": message, "hint": hint}
    return Response(json.dumps(body), error.status, error.headers, "application/json")

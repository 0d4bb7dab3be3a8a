"""Errors as OAuth words them: `{error, error_description}` (RFC 6749 section 5.2, RFC 7591 section 3.2.2)."""

import json

from fastapi.responses import Response

from instep.core.errors import AppError

# Nothing that this server says about a token may be kept (RFC 6749 section 5.1).
NO_STORE = {"Cache-Control": "no-store", "Pragma": "no-cache"}
# The words of OAuth for refusals that every door of the product knows.
WORDS = {429: "temporarily_unavailable", 500: "server_error", 503: "temporarily_unavailable"}


class OAuthRefusal(AppError):
    """A refusal with one of OAuth's own codes."""

    def __init__(self, error: str, description: str, status: int = 400) -> None:
        challenge = {"WWW-Authenticate": 'Basic realm="oauth"'} if status == 401 else {}
        super().__init__(description, headers=challenge)
        self.error = error
        self.status = status


def render_oauth_error(error: AppError) -> Response:
    word = error.error if isinstance(error, OAuthRefusal) else WORDS.get(error.status, "invalid_request")
    body = {"error": word, "error_description": readable(error.message)}
    return Response(json.dumps(body), error.status, {**error.headers, **NO_STORE}, "application/json")


def readable(words: str) -> str:
    """In the characters that a description may have (RFC 6749 section 5.2)."""
    plain = words.replace('"', "'").replace("\\", "/")
    return "".join(sign if " " <= sign <= "~" else "?" for sign in plain)

"""Errors in OAuth's form: `{error, error_description}` (RFC 6749 section 5.2, RFC 7591 section 3.2.2)."""

import json

from fastapi.responses import Response

from instep.platform.core.errors import AppError

# Responses about tokens must not be stored (RFC 6749 section 5.1).
NO_STORE = {"Cache-Control": "no-store", "Pragma": "no-cache"}
# OAuth's error codes for errors that all APIs of the server share.
CODES_BY_STATUS = {429: "temporarily_unavailable", 500: "server_error", 503: "temporarily_unavailable"}


class OAuthRefusal(AppError):
    """An error with one of OAuth's own codes."""

    def __init__(self, error: str, description: str, status: int = 400) -> None:
        challenge = {"WWW-Authenticate": 'Basic realm="oauth"'} if status == 401 else {}
        super().__init__(description, headers=challenge)
        self.error = error
        self.status = status


def render_oauth_error(error: AppError) -> Response:
    code = (
        error.error
        if isinstance(error, OAuthRefusal)
        else CODES_BY_STATUS.get(error.status, "invalid_request")
    )
    body = {"error": code, "error_description": description_text(error.message)}
    return Response(json.dumps(body), error.status, {**error.headers, **NO_STORE}, "application/json")


def description_text(sentence: str) -> str:
    """The sentence with the characters that `error_description` may have (RFC 6749 section 5.2)."""
    plain = sentence.replace('"', "'").replace("\\", "/")
    return "".join(character if " " <= character <= "~" else "?" for character in plain)

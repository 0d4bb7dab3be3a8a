"""Secrets that a page shows once: encrypted in a cookie from the form that made them to the next page.

So a form answers 303 like every other, and reloading the page neither makes nor shows the secret again.
"""

from starlette.requests import Request
from starlette.responses import Response

from instep.platform.core.crypto import Unreadable, key_ring
from instep.platform.web.forms import cookie_name, set_cookie

COOKIE = "shown-once"
SECONDS_UNTIL_SHOWN = 60


def keep_secret(request: Request, response: Response, purpose: str, secret: str) -> None:
    """Keep a secret for the next page that takes one of this purpose, in the same session."""
    sealed = key_ring().seal(secret, *place_of(request, purpose))
    set_cookie(response, request.app.state.settings, COOKIE, sealed.hex(), SECONDS_UNTIL_SHOWN)


def take_secret(request: Request, purpose: str) -> str | None:
    """The secret that the previous form left for this purpose; None without one."""
    sealed = request.cookies.get(cookie_name(request.app.state.settings, COOKIE), "")
    try:
        return key_ring().open(bytes.fromhex(sealed), *place_of(request, purpose))
    except (Unreadable, ValueError):
        return None


def forget_secret(request: Request, response: Response) -> None:
    """Delete the secret, because the page shows it now and never again."""
    set_cookie(response, request.app.state.settings, COOKIE, "", 0)


def place_of(request: Request, purpose: str) -> tuple[str, str, str]:
    session = request.cookies.get(cookie_name(request.app.state.settings, "session"), "")
    return COOKIE, purpose, session

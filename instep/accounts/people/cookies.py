"""The cookies of a browser in which someone has just signed in."""

from starlette.requests import Request
from starlette.responses import Response

from instep.accounts.people.schemas import Attempt, SignedIn
from instep.platform.core import limits
from instep.platform.web.client_addresses import client_address
from instep.platform.web.forms import Form, cookie_name, set_cookie
from instep.platform.web.signed_in import see_other

# The cookie of a browser that has just proved an address without an account.
PROOF = "proved-address"


def attempt_of(request: Request, form: Form) -> Attempt:
    """The sign-in attempt of a form in this browser."""
    settings = request.app.state.settings
    session, browser = (request.cookies.get(cookie_name(settings, name)) for name in ("session", "browser"))
    return Attempt(
        form.get("email", ""),
        form.get("password", ""),
        client_address(request),
        browser or "",
        session,
        request.headers.get("user-agent", ""),
    )


def lead_in(request: Request, signed_in: SignedIn, path: str) -> Response:
    """Redirect to the path with the new session."""
    response = see_other(path)
    keep_session(request, response, signed_in)
    return response


def keep_session(request: Request, response: Response, signed_in: SignedIn) -> None:
    settings = request.app.state.settings
    set_cookie(response, settings, "session", signed_in.token, None)
    seconds = int(limits.KNOWN_BROWSER_TTL.total_seconds())
    set_cookie(response, settings, "browser", signed_in.browser, seconds)
    # The secret for forms before signing in is no longer needed.
    set_cookie(response, settings, "form", "", 0)

"""The redirects to the OpenID provider and back."""

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from instep.accounts.people.attempts import TooManyAttempts
from instep.accounts.people.cookies import PROOF, attempt_of, keep_session
from instep.accounts.people.oidc import CALLBACK, OidcRefused, ProvedPerson, ask_provider, sign_in_by_provider
from instep.accounts.people.page_templates import pages
from instep.platform.core import limits
from instep.platform.core.errors import AppError, NotFound
from instep.platform.web.client_addresses import client_address
from instep.platform.web.forms import Form, cookie_name, set_cookie
from instep.platform.web.public import public
from instep.platform.web.signed_in import local_path, see_other

PATH = "/sign-in/oidc"
# Each tab has its own cookie, named by the state of its request.
COOKIE = "oidc-"
STATE_CHARACTERS_IN_NAME = 8


@public
async def lead_to_provider(request: Request) -> Response:
    """Redirect to the provider, so that only this browser can come back."""
    state = request.app.state
    if not state.settings.oidc_issuer:
        raise NotFound
    next_path = local_path(request.query_params.get("next"))
    try:
        oidc_request = await ask_provider(
            state.database, state.outbound, state.settings, client_address(request), next_path
        )
    except (OidcRefused, TooManyAttempts) as refusal:
        return show_refusal(request, refusal)
    response = see_other(oidc_request.address)
    prefix = cookie_name(state.settings, COOKIE)
    # Browsers send older cookies first.
    suffixes = [name.removeprefix(prefix) for name in request.cookies if name.startswith(prefix)]
    for suffix in suffixes[: -limits.MAX_OIDC_TABS]:
        set_cookie(response, state.settings, COOKIE + suffix, "", 0)
    keep(request, response, cookie_of(oidc_request.state), oidc_request.token)
    return response


def cookie_of(state: str) -> str:
    return COOKIE + state[:STATE_CHARACTERS_IN_NAME]


def keep(request: Request, response: Response, name: str, token: str) -> None:
    seconds = int(limits.CHALLENGE_TTL.total_seconds())
    set_cookie(response, request.app.state.settings, name, token, seconds)


@public
async def come_back(request: Request) -> Response:
    """Begin the session of the person whom the provider names."""
    state = request.app.state
    cookie = cookie_of(request.query_params.get("state", ""))
    token = request.cookies.get(cookie_name(state.settings, cookie), "")
    if not state.settings.oidc_issuer:
        raise NotFound
    try:
        proved = await sign_in_by_provider(
            state.database,
            state.outbound,
            state.cursor_key,
            state.settings,
            token,
            dict(request.query_params),
            attempt_of(request, Form()),
        )
    except OidcRefused as refusal:
        return show_refusal(request, refusal)
    response = lead_on(request, proved)
    set_cookie(response, state.settings, cookie, "", 0)
    return response


def lead_on(request: Request, proved: ProvedPerson) -> Response:
    """Redirect to the page that asked for the sign-in, or first to waiting invitations."""
    next_path = local_path(proved.next_path)
    if proved.waiting:
        onward = next_path if proved.signed_in else None
        response = pages.show(request, "waiting_invitations.html", waiting=proved.waiting, next=onward)
    else:
        response = see_other(next_path)
    if proved.signed_in:
        keep_session(request, response, proved.signed_in)
    elif proved.proof:
        keep(request, response, PROOF, proved.proof)
    return response


def show_refusal(request: Request, refusal: AppError) -> Response:
    return pages.show(request, "refused_sign_in.html", refusal.status, problem=refusal.message)


routes = [
    Route(PATH, lead_to_provider, methods=["GET"]),
    Route(CALLBACK, come_back, methods=["GET"]),
]

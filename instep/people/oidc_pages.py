"""The way through the OpenID provider: to it, and back."""

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from instep.core import limits
from instep.core.errors import AppError, NotFound
from instep.people.attempts import TooManyAttempts
from instep.people.cookies import attempt_of, lead_in
from instep.people.oidc import CALLBACK, OidcRefused, ask_provider, find_provider, sign_in_by_provider
from instep.people.page_templates import pages
from instep.web.client_addresses import client_address
from instep.web.forms import Form, cookie_name, set_cookie
from instep.web.public import public
from instep.web.signed_in import local_path, see_other

PATH = "/sign-in/oidc"
COOKIE = "oidc"


@public
async def lead_to_provider(request: Request) -> Response:
    """Lead to the provider, and let this browser alone come back."""
    state = request.app.state
    if not state.settings.oidc_issuer:
        raise NotFound
    next_path = local_path(request.query_params.get("next"))
    try:
        provider = await find_provider(state.outbound, state.settings)
        oidc_request = await ask_provider(
            state.database, provider, state.settings.base_url, client_address(request), next_path
        )
    except (OidcRefused, TooManyAttempts) as refusal:
        return show_refusal(request, refusal)
    response = see_other(oidc_request.address)
    seconds = int(limits.CHALLENGE_TTL.total_seconds())
    set_cookie(response, state.settings, COOKIE, oidc_request.token, seconds)
    return response


@public
async def come_back(request: Request) -> Response:
    """Begin the session of the person whom the provider names."""
    state = request.app.state
    token = request.cookies.get(cookie_name(state.settings, COOKIE), "")
    if not state.settings.oidc_issuer:
        raise NotFound
    try:
        signed_in, next_path = await sign_in_by_provider(
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
    response = lead_in(request, signed_in, local_path(next_path))
    set_cookie(response, state.settings, COOKIE, "", 0)
    return response


def show_refusal(request: Request, refusal: AppError) -> Response:
    return pages.show(request, "refused_sign_in.html", refusal.status, problem=refusal.message)


routes = [
    Route(PATH, lead_to_provider, methods=["GET"]),
    Route(CALLBACK, come_back, methods=["GET"]),
]

"""The pages of a forgotten password: one asks for the address, the other, by a link, for the new password."""

from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from instep.accounts.people.attempts import TooManyAttempts
from instep.accounts.people.cookies import PROOF
from instep.accounts.people.forgotten import RESET, ask_for_reset, find_reset, reset_password
from instep.accounts.people.page_templates import pages
from instep.accounts.people.passwords import WeakPassword
from instep.platform.core import limits
from instep.platform.core.errors import AppError, NotFound
from instep.platform.email.outgoing import can_send_email
from instep.platform.web.client_addresses import client_address
from instep.platform.web.forms import read_form, set_cookie
from instep.platform.web.public import public
from instep.platform.web.signed_in import SIGN_IN, see_other

FORGOTTEN = "/sign-in/forgotten"


@public
async def show_forgotten(request: Request) -> Response:
    return show_form(request, request.query_params.get("email", ""))


@public
async def send_link(request: Request) -> Response:
    """Send a link; the answer is the same whether or not the address has an account."""
    form = await read_form(request)
    email = form.get("email", "")
    if not can_send_email():
        raise NotFound
    try:
        await ask_for_reset(request.app.state.database, email, client_address(request))
    except TooManyAttempts as refusal:
        response = show_form(request, email, refusal)
        response.headers["Retry-After"] = refusal.headers["Retry-After"]
        return response
    return pages.show(request, "forgotten.html", email=email, is_sent=True, problem=None)


def show_form(request: Request, email: str, refusal: AppError | None = None) -> Response:
    if not can_send_email():
        raise NotFound
    problem = refusal.message if refusal else None
    status = refusal.status if refusal else 200
    return pages.show(request, "forgotten.html", status, email=email, is_sent=False, problem=problem)


@public
async def show_reset(request: Request) -> Response:
    """The form for the new password. Opening it uses up nothing, because mail programs open links too."""
    return await show_link(request, request.query_params.get("token", ""))


async def show_link(request: Request, token: str, refusal: AppError | None = None) -> Response:
    try:
        account = await find_reset(request.app.state.database, token)
    except NotFound as unknown:
        return show_refusal(request, unknown)
    status, error = (refusal.status, refusal.message) if refusal else (200, None)
    return pages.show(
        request, "new_password.html", status, token=token, email=account.email, error=error, problem=None
    )


def show_refusal(request: Request, refusal: AppError) -> Response:
    return pages.show(request, "new_password.html", refusal.status, problem=refusal.message, token=None)


@public
async def set_new_password(request: Request) -> Response:
    """Set the password; the person signs in with it next, or joins the workspaces that others chose."""
    form, state = await read_form(request), request.app.state
    token = form.get("token", "")
    try:
        outcome = await reset_password(state.database, token, form.get("password", ""))
    except WeakPassword as refusal:
        return await show_link(request, token, refusal)
    except NotFound as refusal:
        return show_refusal(request, refusal)
    sign_in = f"{SIGN_IN}?{urlencode({'email': outcome.email})}"
    if not outcome.waiting:
        return see_other(sign_in)
    onward = None if outcome.proof else sign_in
    response = pages.show(request, "waiting_invitations.html", waiting=outcome.waiting, next=onward)
    if outcome.proof:
        seconds = int(limits.CHALLENGE_TTL.total_seconds())
        set_cookie(response, state.settings, PROOF, outcome.proof, seconds)
    return response


routes = [
    Route(FORGOTTEN, show_forgotten, methods=["GET"]),
    Route(FORGOTTEN, send_link, methods=["POST"]),
    Route(RESET, show_reset, methods=["GET"]),
    Route(RESET, set_new_password, methods=["POST"]),
]

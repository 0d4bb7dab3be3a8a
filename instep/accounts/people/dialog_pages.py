"""Signing in again in a dialog, for people whose session ended while they worked on a dashboard page."""

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from instep.accounts.people import actions
from instep.accounts.people.attempts import TooManyAttempts
from instep.accounts.people.cookies import attempt_of, keep_session
from instep.accounts.people.page_templates import pages
from instep.accounts.people.schemas import SecondStep, SignedIn
from instep.accounts.people.second_factors import WrongCode
from instep.accounts.people.second_step import SecondStepExpired, finish_sign_in
from instep.accounts.people.second_step_pages import COOKIE, keep_step, token_of
from instep.platform.core.errors import AppError
from instep.platform.identity.sessions import authenticate_session
from instep.platform.web.forms import csrf_token, read_form, set_cookie
from instep.platform.web.public import public
from instep.platform.web.signed_in import SIGN_IN, TOKEN_HEADER, asks_for_part, private_headers, see_other

PATH = "/sign-in/dialog"


@public
async def show_dialog(request: Request) -> Response:
    """The form with the email address of the signed-out person; without htmx the whole page."""
    if not asks_for_part(request):
        return see_other(SIGN_IN)
    return show_password(request, request.query_params.get("email", ""))


@public
async def sign_in_again(request: Request) -> Response:
    form, state = await read_form(request), request.app.state
    attempt = attempt_of(request, form)
    try:
        sign_in = await actions.sign_in(state.database, state.cursor_key, attempt)
    except (actions.SignInFailed, TooManyAttempts) as refusal:
        return show_password(request, attempt.email, refusal)
    if isinstance(sign_in, SecondStep):
        response = show_code(request, attempt.email)
        keep_step(request, response, sign_in)
        return response
    return await tell_token(request, sign_in)


@public
async def send_code_again(request: Request) -> Response:
    form, state = await read_form(request), request.app.state
    attempt, code = attempt_of(request, form), form.get("code", "")
    try:
        sign_in = await finish_sign_in(state.database, state.cursor_key, token_of(request), code, attempt)
    except SecondStepExpired as refusal:
        return show_password(request, attempt.email, refusal)
    except (WrongCode, TooManyAttempts) as refusal:
        return show_code(request, attempt.email, refusal)
    response = await tell_token(request, sign_in)
    set_cookie(response, state.settings, COOKIE, "", 0)
    return response


def show_password(request: Request, email: str, refusal: AppError | None = None) -> Response:
    return show_part(request, email, refusal, asks_for_code=False)


def show_code(request: Request, email: str, refusal: AppError | None = None) -> Response:
    return show_part(request, email, refusal, asks_for_code=True)


def show_part(request: Request, email: str, refusal: AppError | None, *, asks_for_code: bool) -> Response:
    return pages.show(
        request,
        "sign_in_part.html",
        refusal.status if refusal else 200,
        email=email,
        asks_for_code=asks_for_code,
        error=refusal.message if refusal else None,
    )


async def tell_token(request: Request, signed_in: SignedIn) -> Response:
    """An empty answer: the page stays open, with this token in its forms."""
    async with authenticate_session(request.app.state.database, signed_in.token) as (session, _):
        token = csrf_token(signed_in.token, session.person.id if session else "")
    headers = {**private_headers(), TOKEN_HEADER: token, "HX-Reswap": "none"}
    response = Response(status_code=204, headers=headers)
    keep_session(request, response, signed_in)
    return response


routes = [
    Route(PATH, show_dialog, methods=["GET"]),
    Route(PATH, sign_in_again, methods=["POST"]),
    Route(f"{PATH}/code", send_code_again, methods=["POST"]),
]

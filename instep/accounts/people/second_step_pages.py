"""The page of the second step of signing in, which asks for a code."""

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from instep.accounts.people.attempts import TooManyAttempts
from instep.accounts.people.cookies import attempt_of, lead_in
from instep.accounts.people.page_templates import pages
from instep.accounts.people.passkeys import passkey_site
from instep.accounts.people.schemas import SecondStep
from instep.accounts.people.second_factors import WrongCode
from instep.accounts.people.second_step import SecondStepExpired, finish_sign_in, is_waiting_for_code
from instep.platform.core import limits
from instep.platform.core.errors import AppError
from instep.platform.web.forms import cookie_name, read_form, set_cookie
from instep.platform.web.public import public
from instep.platform.web.signed_in import SIGN_IN, address_with_next, local_path, see_other

PATH = "/sign-in/code"
COOKIE = "second-step"


def lead_to_second_step(request: Request, step: SecondStep, next_path: str) -> Response:
    response = see_other(address_with_next(PATH, next_path, ""))
    keep_step(request, response, step)
    return response


def keep_step(request: Request, response: Response, step: SecondStep) -> None:
    seconds = int(limits.CHALLENGE_TTL.total_seconds())
    set_cookie(response, request.app.state.settings, COOKIE, step.token, seconds)


@public
async def show_second_step(request: Request) -> Response:
    next_path = local_path(request.query_params.get("next"))
    if not await is_waiting_for_code(request.app.state.database, token_of(request)):
        return see_other(address_with_next(SIGN_IN, next_path, ""))
    return show(request, next_path)


@public
async def send_code(request: Request) -> Response:
    """Begin the session if the code is right."""
    form, state = await read_form(request), request.app.state
    next_path = local_path(form.get("next"))
    attempt, code = attempt_of(request, form), form.get("code", "")
    try:
        signed_in = await finish_sign_in(state.database, state.cursor_key, token_of(request), code, attempt)
    except SecondStepExpired:
        return see_other(address_with_next(SIGN_IN, next_path, ""))
    except (WrongCode, TooManyAttempts) as refusal:
        return show(request, next_path, refusal)
    response = lead_in(request, signed_in, next_path)
    set_cookie(response, state.settings, COOKIE, "", 0)
    return response


def show(request: Request, next_path: str, refusal: AppError | None = None) -> Response:
    return pages.show(
        request,
        "second_step.html",
        refusal.status if refusal else 200,
        next=next_path,
        takes_passkeys=passkey_site(request.app.state.settings) is not None,
        error=refusal.message if refusal else None,
    )


def token_of(request: Request) -> str:
    return request.cookies.get(cookie_name(request.app.state.settings, COOKIE), "")


routes = [
    Route(PATH, show_second_step, methods=["GET"]),
    Route(PATH, send_code, methods=["POST"]),
]

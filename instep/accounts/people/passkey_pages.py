"""The page that asks for a passkey, which signs in without a password."""

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from instep.accounts.people.attempts import TooManyAttempts
from instep.accounts.people.cookies import attempt_of, lead_in
from instep.accounts.people.page_templates import scripted_pages
from instep.accounts.people.passkeys import (
    PasskeyRefused,
    PasskeySite,
    ask_for_passkey,
    passkey_site,
    sign_in_with_passkey,
)
from instep.platform.core.errors import AppError, NotFound
from instep.platform.web.client_addresses import client_address
from instep.platform.web.forms import read_form
from instep.platform.web.public import public
from instep.platform.web.signed_in import local_path

PATH = "/sign-in/passkey"


def site_of(request: Request) -> PasskeySite:
    """The site that passkeys are bound to; raises `NotFound` if passkeys are not supported."""
    site = passkey_site(request.app.state.settings)
    if site is None:
        raise NotFound(
            "Passkeys need a host name: open this installation by its host name, not its IP address."
        )
    return site


@public
async def show_passkey(request: Request) -> Response:
    return await show_question(request, local_path(request.query_params.get("next")))


@public
async def sign_in_by_passkey(request: Request) -> Response:
    """Begin the session of the passkey's person."""
    form, state, site = await read_form(request), request.app.state, site_of(request)
    next_path, attempt = local_path(form.get("next")), attempt_of(request, form)
    token, credential = form.get("token", ""), form.get("credential", "")
    try:
        signed_in = await sign_in_with_passkey(
            state.database, state.cursor_key, site, token, credential, attempt
        )
    except PasskeyRefused as refusal:
        return await show_question(request, next_path, refusal)
    return lead_in(request, signed_in, next_path)


async def show_question(request: Request, next_path: str, refusal: AppError | None = None) -> Response:
    site, problem, question = site_of(request), refusal, None
    async with request.app.state.database.enter_workspace("") as tx:
        try:
            question = await ask_for_passkey(tx, site, client_address(request))
        except TooManyAttempts as too_many:
            problem = too_many
    return scripted_pages.show(
        request,
        "passkey.html",
        problem.status if problem else 200,
        next=next_path,
        question=question,
        problem=problem.message if problem else None,
    )


routes = [
    Route(PATH, show_passkey, methods=["GET"]),
    Route(PATH, sign_in_by_passkey, methods=["POST"]),
]

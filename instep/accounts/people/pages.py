"""The pages on which people sign in and out and see their connected apps."""

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from instep.accounts.oauth.actions import list_grants, revoke_grant
from instep.accounts.people import (
    actions,
    dialog_pages,
    forgotten_pages,
    oidc_pages,
    passkey_pages,
    second_step_pages,
)
from instep.accounts.people.attempts import TooManyAttempts
from instep.accounts.people.cookies import attempt_of, lead_in
from instep.accounts.people.page_templates import pages
from instep.accounts.people.passkeys import passkey_site
from instep.accounts.people.schemas import INVITATION, SecondStep
from instep.accounts.people.second_step_pages import lead_to_second_step
from instep.platform.core.errors import AppError
from instep.platform.email.outgoing import can_send_email
from instep.platform.identity.schemas import Person
from instep.platform.web.forms import cookie_name, read_form, set_cookie
from instep.platform.web.public import public
from instep.platform.web.signed_in import (
    HOME,
    SIGN_IN,
    SIGN_OUT,
    address_with_next,
    current_person,
    form_of,
    local_path,
    require_person,
    see_other,
)

MCP_PATH = "/mcp/admin"
CONNECTED_APPS = "/app/connected-apps"


@public
async def show_sign_in(request: Request) -> Response:
    """The sign-in form; people who are signed in are redirected.

    The invitation page redirects here with the address that it shows.
    """
    next_path, email = local_path(request.query_params.get("next")), request.query_params.get("email", "")
    if await current_person(request) is not None:
        return see_other(next_path)
    return sign_in_form(request, next_path, email)


@public
async def sign_in(request: Request) -> Response:
    """Begin a session, and redirect to the page that required it."""
    form = await read_form(request)
    next_path, email = local_path(form.get("next")), form.get("email", "")
    state, attempt = request.app.state, attempt_of(request, form)
    try:
        sign_in = await actions.sign_in(state.database, state.cursor_key, attempt)
    except (actions.SignInFailed, TooManyAttempts) as refusal:
        return sign_in_form(request, next_path, email, refusal)
    if isinstance(sign_in, SecondStep):
        return lead_to_second_step(request, sign_in, next_path)
    return lead_in(request, sign_in, next_path)


def sign_in_form(
    request: Request, next_path: str, email: str = "", refusal: AppError | None = None
) -> Response:
    settings = request.app.state.settings
    status = refusal.status if refusal else 200
    is_mismatch = isinstance(refusal, actions.SignInFailed)
    message = refusal.message if refusal else None
    response = pages.show(
        request,
        "sign_in.html",
        status,
        next=next_path,
        email=email,
        joins=next_path.startswith(f"{INVITATION}?"),
        has_joined=bool(email) and refusal is None and next_path == HOME,
        mismatch=message if is_mismatch else None,
        problem=None if is_mismatch else message,
        provider_name=settings.oidc_name if settings.oidc_issuer else None,
        takes_passkeys=passkey_site(settings) is not None,
        sends_email=can_send_email(),
    )
    if refusal and "Retry-After" in refusal.headers:
        response.headers["Retry-After"] = refusal.headers["Retry-After"]
    return response


@require_person()
async def sign_out(request: Request, person: Person) -> Response:
    """End this session; `next` is the page to open after signing in again."""
    settings = request.app.state.settings
    token = request.cookies[cookie_name(settings, "session")]
    await actions.sign_out(request.app.state.database, token, person)
    next_path = form_of(request).get("next")
    response = see_other(address_with_next(SIGN_IN, local_path(next_path), "") if next_path else SIGN_IN)
    set_cookie(response, settings, "session", "", 0)
    return response


@require_person()
async def show_connected_apps(request: Request, person: Person) -> Response:
    """The apps that act for the person."""
    async with request.app.state.database.enter_workspace(person.workspace_id) as tx:
        grants = await list_grants(tx, person)
    return pages.show(
        request,
        "connected_apps.html",
        person=person,
        grants=grants,
        address=request.app.state.settings.base_url + MCP_PATH,
    )


@require_person()
async def disconnect_app(request: Request, person: Person) -> Response:
    """End a connection; from the commit on every call of the app is refused."""
    database, grant_id = request.app.state.database, form_of(request).get("id", "")
    async with database.enter_workspace(person.workspace_id) as tx, tx.transaction():
        await revoke_grant(tx, person, grant_id)
    return see_other(CONNECTED_APPS)


routes = [
    Route(SIGN_IN, show_sign_in, methods=["GET"]),
    Route(SIGN_IN, sign_in, methods=["POST"]),
    *second_step_pages.routes,
    *forgotten_pages.routes,
    *dialog_pages.routes,
    *passkey_pages.routes,
    *oidc_pages.routes,
    Route(SIGN_OUT, sign_out, methods=["POST"]),
    Route(CONNECTED_APPS, show_connected_apps, methods=["GET"]),
    Route(CONNECTED_APPS, disconnect_app, methods=["POST"]),
]

"""The page of an invitation: people join with their existing account, or set a password for a new one.

The owner who invites sees the link too, so the page is the same whether or not the address has an account.
"""

from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from instep.accounts.people import invitations
from instep.accounts.people.cookies import PROOF, attempt_of, lead_in
from instep.accounts.people.own_account import switch_workspace
from instep.accounts.people.passwords import WeakPassword
from instep.accounts.people.schemas import INVITATION as PATH
from instep.accounts.people.schemas import Attempt, OpenInvitation
from instep.interfaces.dashboard.setup.first_run import show_unusable_link
from instep.interfaces.dashboard.shell import pages
from instep.platform.core.errors import AppError
from instep.platform.identity.schemas import Person
from instep.platform.web.forms import cookie_name, read_form, set_cookie
from instep.platform.web.public import public
from instep.platform.web.signed_in import (
    HOME,
    SIGN_IN,
    address_with_next,
    current_person,
    form_of,
    require_person,
    see_other,
    session_token,
)


@public
async def show_invitation(request: Request) -> Response:
    token = request.query_params.get("token", "")
    try:
        invitation = await invitations.open_invitation(request.app.state.database, token)
    except AppError as refusal:
        return show_unusable_link(request, refusal)
    return await show_invited(request, token, invitation)


async def show_invited(
    request: Request, token: str, invitation: OpenInvitation, refusal: AppError | None = None
) -> Response:
    person, state = await current_person(request), request.app.state
    return pages.show(
        request,
        "account/invitation.html",
        refusal.status if refusal else 200,
        person=person,
        token=token,
        invitation=invitation,
        may_join=await invitations.may_accept(state.database, invitation, person),
        has_proof=person is None
        and await invitations.has_proof(state.database, invitation, proof_of(request)),
        sign_in=sign_in_address(invitation.email, f"{PATH}?token={token}"),
        provider_name=state.settings.oidc_name if state.settings.oidc_issuer else None,
        provider=address_with_next("/sign-in/oidc", PATH, f"token={token}"),
        error=refusal.message if refusal else None,
    )


@public
async def join_with_password(request: Request) -> Response:
    """Create the invitation's account; its person signs in with it next.

    A browser that has just proved the address joins with that, and is signed in.
    """
    form, state = await read_form(request), request.app.state
    database, token = state.database, form.get("token", "")
    try:
        invitation = await invitations.open_invitation(database, token)
        if await invitations.has_proof(database, invitation, proof_of(request)):
            return await join_with_proof(request, token, attempt_of(request, form))
        await invitations.accept_with_password(database, token, form.get("password", ""))
    except WeakPassword as refusal:
        return await show_invited(request, token, invitation, refusal)
    except AppError as refusal:
        return show_unusable_link(request, refusal)
    return see_other(sign_in_address(invitation.email))


async def join_with_proof(request: Request, token: str, attempt: Attempt) -> Response:
    state = request.app.state
    signed_in = await invitations.accept_with_proof(
        state.database, state.cursor_key, token, proof_of(request), attempt
    )
    response = lead_in(request, signed_in, HOME)
    set_cookie(response, state.settings, PROOF, "", 0)
    return response


def sign_in_address(email: str, next_path: str = HOME) -> str:
    """The sign-in page with the invited address."""
    return f"{SIGN_IN}?{urlencode({'email': email, 'next': next_path})}"


def proof_of(request: Request) -> str:
    return request.cookies.get(cookie_name(request.app.state.settings, PROOF), "")


@require_person()
async def join_as_person(request: Request, person: Person) -> Response:
    """Add a membership to the signed-in person, and continue in that workspace."""
    database, session = request.app.state.database, session_token(request)
    try:
        workspace_id = await invitations.accept_as(database, form_of(request).get("token", ""), person)
    except AppError as refusal:
        return show_unusable_link(request, refusal)
    await switch_workspace(database, session or "", person, workspace_id)
    return see_other(HOME)


routes = [
    Route(PATH, show_invitation, methods=["GET"]),
    Route(PATH, join_with_password, methods=["POST"]),
    Route(f"{PATH}/workspace", join_as_person, methods=["POST"]),
]

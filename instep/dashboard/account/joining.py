"""The page of an invitation: whoever is new sets a password, others join with the account they have."""

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from instep.core.errors import AppError
from instep.dashboard.setup.first_run import show_unusable_link
from instep.dashboard.shell import pages
from instep.identity.schemas import Person
from instep.people.invitations import accept_as, accept_with_password, open_invitation
from instep.people.own_account import switch_workspace
from instep.people.passwords import WeakPassword
from instep.people.schemas import OpenInvitation
from instep.web.forms import read_form
from instep.web.public import public
from instep.web.signed_in import (
    HOME,
    SIGN_IN,
    current_person,
    form_of,
    require_person,
    see_other,
    session_token,
    sign_in_address,
)

PATH = "/join"


@public
async def show_invitation(request: Request) -> Response:
    token = request.query_params.get("token", "")
    try:
        invitation = await open_invitation(request.app.state.database, token)
    except AppError as refusal:
        return show_unusable_link(request, refusal)
    return await show_invited(request, token, invitation)


async def show_invited(
    request: Request, token: str, invitation: OpenInvitation, refusal: AppError | None = None
) -> Response:
    person = await current_person(request)
    return pages.show(
        request,
        "account/invitation.html",
        refusal.status if refusal else 200,
        person=person,
        token=token,
        invitation=invitation,
        sign_in=sign_in_address(PATH, f"token={token}"),
        error=refusal.message if refusal else None,
    )


@public
async def join_with_password(request: Request) -> Response:
    """Make an account of the invitation; its person signs in with it next."""
    form, database = await read_form(request), request.app.state.database
    token = form.get("token", "")
    try:
        invitation = await open_invitation(database, token)
        await accept_with_password(database, token, form.get("password", ""))
    except WeakPassword as refusal:
        return await show_invited(request, token, invitation, refusal)
    except AppError as refusal:
        return show_unusable_link(request, refusal)
    return see_other(SIGN_IN)


@require_person()
async def join_as_person(request: Request, person: Person) -> Response:
    """Add a membership to the person who is signed in, and go on in that workspace."""
    database, session = request.app.state.database, session_token(request)
    try:
        workspace_id = await accept_as(database, form_of(request).get("token", ""), person)
    except AppError as refusal:
        return show_unusable_link(request, refusal)
    await switch_workspace(database, session or "", person, workspace_id)
    return see_other(HOME)


routes = [
    Route(PATH, show_invitation, methods=["GET"]),
    Route(PATH, join_with_password, methods=["POST"]),
    Route(f"{PATH}/workspace", join_as_person, methods=["POST"]),
]

"""A new email address of one's own account, which a link to it confirms."""

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from instep.accounts.people import new_address
from instep.accounts.people.attempts import TooManyAttempts
from instep.accounts.people.new_address import CONFIRM_ADDRESS
from instep.interfaces.dashboard.account.own_pages import leave, show_page
from instep.interfaces.dashboard.setup.first_run import show_unusable_link
from instep.interfaces.dashboard.shell import pages
from instep.platform.core.errors import AppError, InvalidRequest, NotFound
from instep.platform.email.outgoing import can_send_email
from instep.platform.identity.schemas import Person
from instep.platform.web.signed_in import form_of, require_person, require_recent_sign_in


@require_person()
async def send_address_link(request: Request, person: Person) -> Response:
    """Send a link to the new address; the account keeps its address until the person opens the link."""
    require_recent_sign_in(request)
    if not can_send_email():
        raise NotFound
    typed = form_of(request).get("address", "")
    try:
        address = await new_address.ask_for_new_address(request.app.state.database, person, typed)
    except (InvalidRequest, TooManyAttempts) as refusal:
        errors = {"address": refusal.message}
        return await show_page(request, refusal.status, errors=errors, typed_address=typed)
    return leave(request, f"Open the link that is on its way to {address}.")


@require_person()
async def show_new_address(request: Request, person: Person) -> Response:
    """The page of the link. Opening it changes nothing, because mail programs open links too."""
    token = request.query_params.get("token", "")
    try:
        address = await new_address.find_new_address(request.app.state.database, person, token)
    except AppError as refusal:
        return show_unusable_link(request, refusal)
    return pages.show(request, "account/new_address.html", person=person, address=address, token=token)


@require_person()
async def confirm_address(request: Request, person: Person) -> Response:
    token = form_of(request).get("token", "")
    try:
        address = await new_address.confirm_new_address(request.app.state.database, person, token)
    except AppError as refusal:
        return show_unusable_link(request, refusal)
    return leave(request, f"Your account has the address {address} now.")


routes = [
    Route(CONFIRM_ADDRESS, send_address_link, methods=["POST"]),
    Route(CONFIRM_ADDRESS, show_new_address, methods=["GET"]),
    Route(f"{CONFIRM_ADDRESS}/confirm", confirm_address, methods=["POST"]),
]

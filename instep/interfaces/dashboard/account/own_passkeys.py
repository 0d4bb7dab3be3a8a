"""The passkeys of one's own account: adding one, and removing it."""

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from instep.accounts.people import passkeys
from instep.interfaces.dashboard.account.factor_pages import show_codes_next
from instep.interfaces.dashboard.account.own_pages import PATH as ACCOUNT
from instep.interfaces.dashboard.account.own_pages import leave
from instep.interfaces.dashboard.shell import pages
from instep.platform.core.errors import AppError, NotFound
from instep.platform.identity.schemas import Person
from instep.platform.web.recent_sign_in import require_recent_sign_in
from instep.platform.web.signed_in import form_of, require_person

PATH = f"{ACCOUNT}/passkeys"


@require_person()
async def show_new_passkey(request: Request, person: Person) -> Response:
    require_recent_sign_in(request)
    return await show_creation(request, person)


async def show_creation(request: Request, person: Person, refusal: AppError | None = None) -> Response:
    site = passkeys.passkey_site(request.app.state.settings)
    if site is None:
        raise NotFound(
            "Passkeys need a host name: open this installation by its host name, not its IP address."
        )
    async with request.app.state.database.enter_workspace(person.workspace_id) as tx:
        question = await passkeys.ask_for_new_passkey(tx, site, person)
    return pages.show(
        request,
        "account/new_passkey.html",
        refusal.status if refusal else 200,
        person=person,
        question=question,
        problem=refusal.message if refusal else None,
    )


@require_person()
async def add_passkey(request: Request, person: Person) -> Response:
    """Store the passkey that the browser created; the first one adds recovery codes."""
    require_recent_sign_in(request)
    form, site = form_of(request), passkeys.passkey_site(request.app.state.settings)
    token, credential, name = (form.get(field, "") for field in ("token", "credential", "name"))
    if site is None:
        raise NotFound
    try:
        async with (
            request.app.state.database.enter_workspace(person.workspace_id) as tx,
            tx.transaction(),
        ):
            codes = await passkeys.add_passkey(tx, site, person, token, credential, name)
    except passkeys.PasskeyRefused as refusal:
        return await show_creation(request, person, refusal)
    return show_codes_next(request, codes) if codes else leave(request, "Passkey added.")


@require_person()
async def remove_passkey(request: Request, person: Person) -> Response:
    require_recent_sign_in(request)
    async with request.app.state.database.enter_workspace(person.workspace_id) as tx, tx.transaction():
        await passkeys.remove_passkey(tx, person, form_of(request).get("id", ""))
    return leave(request, "Passkey removed.")


routes = [
    Route(PATH, show_new_passkey, methods=["GET"]),
    Route(PATH, add_passkey, methods=["POST"]),
    Route(f"{PATH}/remove", remove_passkey, methods=["POST"]),
]

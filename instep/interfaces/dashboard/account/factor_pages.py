"""The second factors of one's own account: an authenticator app, recovery codes, and passkeys."""

import segno
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from instep.accounts.people import passkeys, second_factors
from instep.accounts.people.attempts import count_second_factor
from instep.interfaces.dashboard.account.own_pages import PATH as ACCOUNT
from instep.interfaces.dashboard.account.own_pages import leave
from instep.interfaces.dashboard.shell import pages
from instep.platform.core.crypto import key_ring
from instep.platform.core.errors import AppError, NotFound
from instep.platform.identity.schemas import Person
from instep.platform.web.notices import forget_secret, keep_secret, take_secret
from instep.platform.web.signed_in import form_of, require_person, require_recent_sign_in, see_other

PASSKEYS = f"{ACCOUNT}/passkeys"
APP = f"{ACCOUNT}/authenticator"
CODES = f"{ACCOUNT}/recovery-codes"
NEW_CODES = "recovery codes"


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


@require_person()
async def begin_authenticator(request: Request, person: Person) -> Response:
    """Create a secret for an authenticator app, which the next page shows."""
    require_recent_sign_in(request)
    async with request.app.state.database.enter_workspace(person.workspace_id) as tx, tx.transaction():
        await second_factors.begin_totp(tx, key_ring(), person)
    return see_other(APP)


@require_person()
async def show_authenticator(request: Request, person: Person) -> Response:
    return await show_enrolment(request, person)


async def show_enrolment(request: Request, person: Person, refusal: AppError | None = None) -> Response:
    async with request.app.state.database.enter_workspace(person.workspace_id) as tx:
        enrolment = await second_factors.find_enrolment(tx, key_ring(), person)
    if enrolment is None:
        return see_other(ACCOUNT)
    picture = segno.make(enrolment.address, error="m").svg_data_uri(scale=5, border=4, light="#fff")
    secret = enrolment.secret
    return pages.show(
        request,
        "account/authenticator.html",
        refusal.status if refusal else 200,
        person=person,
        picture=picture,
        secret=" ".join(secret[start : start + 4] for start in range(0, len(secret), 4)),
        error=refusal.message if refusal else None,
    )


@require_person()
async def confirm_authenticator(request: Request, person: Person) -> Response:
    """Turn the app on with its first code; the recovery codes are shown next."""
    require_recent_sign_in(request)
    database = request.app.state.database
    try:
        async with database.enter_workspace(person.workspace_id) as tx:
            await count_second_factor(tx, f"new {person.id}")
            async with tx.transaction():
                codes = await second_factors.confirm_totp(
                    tx, key_ring(), person, form_of(request).get("code", "")
                )
    except second_factors.WrongCode as refusal:
        return await show_enrolment(request, person, refusal)
    return show_codes_next(request, codes) if codes else leave(request, "Authenticator app turned on.")


@require_person()
async def remove_authenticator(request: Request, person: Person) -> Response:
    require_recent_sign_in(request)
    async with request.app.state.database.enter_workspace(person.workspace_id) as tx, tx.transaction():
        await second_factors.remove_totp(tx, person)
    return leave(request, "Authenticator app removed.")


@require_person()
async def renew_codes(request: Request, person: Person) -> Response:
    """Create new recovery codes, replacing the earlier ones; the next page shows them once."""
    require_recent_sign_in(request)
    async with request.app.state.database.enter_workspace(person.workspace_id) as tx, tx.transaction():
        codes = await second_factors.renew_recovery_codes(tx, person)
    return show_codes_next(request, codes)


def show_codes_next(request: Request, codes: list[str]) -> Response:
    response = see_other(CODES)
    keep_secret(request, response, NEW_CODES, " ".join(codes))
    return response


@require_person()
async def show_codes(request: Request, person: Person) -> Response:
    codes = take_secret(request, NEW_CODES)
    if codes is None:
        return see_other(ACCOUNT)
    response = pages.show(request, "account/recovery_codes.html", person=person, codes=codes.split())
    forget_secret(request, response)
    return response


routes = [
    Route(APP, show_authenticator, methods=["GET"]),
    Route(APP, begin_authenticator, methods=["POST"]),
    Route(f"{APP}/confirm", confirm_authenticator, methods=["POST"]),
    Route(f"{APP}/remove", remove_authenticator, methods=["POST"]),
    Route(CODES, show_codes, methods=["GET"]),
    Route(CODES, renew_codes, methods=["POST"]),
    Route(PASSKEYS, show_new_passkey, methods=["GET"]),
    Route(PASSKEYS, add_passkey, methods=["POST"]),
    Route(f"{PASSKEYS}/remove", remove_passkey, methods=["POST"]),
]

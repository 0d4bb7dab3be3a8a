"""The page of one's own account: workspaces, password, sessions."""

from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from instep.accounts.people import own_account
from instep.accounts.people.cookies import keep_session
from instep.accounts.people.passkeys import passkey_site
from instep.accounts.people.passwords import WeakPassword
from instep.accounts.people.second_factors import find_second_factors
from instep.interfaces.dashboard.shell import pages
from instep.platform.core.clock import utc_now
from instep.platform.email.outgoing import can_send_email
from instep.platform.email.undelivered import find_undelivered
from instep.platform.identity.schemas import Person
from instep.platform.web.catalogues import LANGUAGES, language_name
from instep.platform.web.forms import set_cookie
from instep.platform.web.notices import Notice, keep_notice, take_notice
from instep.platform.web.signed_in import (
    HOME,
    form_of,
    require_person,
    see_other,
    session_of_request,
    session_token,
)

PATH = "/app/account"


@require_person()
async def show_account(request: Request, person: Person) -> Response:
    return await show_page(request)


async def show_page(request: Request, status: int = 200, **values: Any) -> Response:
    session, database = session_of_request(request), request.app.state.database
    async with database.enter_workspace(session.person.workspace_id) as tx:
        memberships = await own_account.list_memberships(tx, session.person)
        sessions = await own_account.list_sessions(tx, session.person)
        factors = await find_second_factors(tx, session.person)
        digest = await own_account.find_digest(tx, session.person)
        locale = await own_account.find_locale(tx, session.person)
        undelivered = await find_undelivered(tx, session.person.workspace_id, session.person.email)
    notice = take_notice(request)
    response = pages.show(
        request,
        "account/account.html",
        status,
        person=session.person,
        session=session,
        memberships=memberships,
        sessions=sessions,
        factors=factors,
        digest=digest,
        locale=locale or "",
        languages=[(code, language_name(code)) for code in LANGUAGES],
        undelivered=undelivered,
        now=utc_now(),
        takes_passkeys=passkey_site(request.app.state.settings) is not None,
        sends_email=can_send_email(),
        notice=notice,
        **{"errors": {}, "typed_address": "", **values},
    )
    if notice is not None:
        set_cookie(response, request.app.state.settings, Notice.COOKIE, "", 0)
    return response


@require_person()
async def change_password(request: Request, person: Person) -> Response:
    """Set a new password: all other sessions and all connected apps end, and this session is renewed."""
    form, state, session = form_of(request), request.app.state, session_of_request(request)
    user_agent = request.headers.get("user-agent", "")
    current, password = form.get("current", ""), form.get("password", "")
    removed = own_account.RemovedFactors(form.all("passkeys"), "recovery_codes" in form)
    try:
        signed_in = await own_account.change_own_password(
            state.database, state.cursor_key, session, current, password, user_agent, removed
        )
    except (own_account.WrongPassword, WeakPassword) as refusal:
        field = "password" if isinstance(refusal, WeakPassword) else "current"
        return await show_page(request, refusal.status, errors={field: refusal.message})
    response = leave(request, "Password changed. All other sessions have ended.")
    keep_session(request, response, signed_in)
    return response


@require_person()
async def choose_digest(request: Request, person: Person) -> Response:
    async with request.app.state.database.enter_workspace(person.workspace_id) as tx:
        await own_account.set_digest(tx, person, form_of(request).get("digest", ""))
    return leave(request, "Saved.")


@require_person()
async def choose_language(request: Request, person: Person) -> Response:
    async with request.app.state.database.enter_workspace(person.workspace_id) as tx:
        await own_account.set_locale(tx, person, form_of(request).get("locale", ""))
    return leave(request, "Saved.")


@require_person()
async def end_session(request: Request, person: Person) -> Response:
    """End another session of the person, or all others."""
    session, session_id = session_of_request(request), form_of(request).get("id", "")
    async with (
        request.app.state.database.enter_workspace(person.workspace_id) as tx,
        tx.transaction(),
    ):
        if session_id == "others":
            await own_account.end_other_sessions(tx, session)
        else:
            await own_account.end_own_session(tx, person, session_id)
    return leave(request, "Session ended.")


@require_person()
async def switch_workspace(request: Request, person: Person) -> Response:
    token, workspace_id = session_token(request) or "", form_of(request).get("workspace", "")
    await own_account.switch_workspace(request.app.state.database, token, person, workspace_id)
    return see_other(HOME)


def leave(request: Request, sentence: str) -> Response:
    """Redirect to the account page, which shows the sentence once."""
    response = see_other(PATH)
    keep_notice(request, response, Notice(sentence))
    return response


routes = [
    Route(PATH, show_account, methods=["GET"]),
    Route(f"{PATH}/digest", choose_digest, methods=["POST"]),
    Route(f"{PATH}/language", choose_language, methods=["POST"]),
    Route(f"{PATH}/password", change_password, methods=["POST"]),
    Route(f"{PATH}/sessions", end_session, methods=["POST"]),
    Route(f"{PATH}/workspace", switch_workspace, methods=["POST"]),
]

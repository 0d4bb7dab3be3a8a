"""The page on which people prove their identity again before a sensitive action."""

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from instep.accounts.people.attempts import TooManyAttempts
from instep.accounts.people.own_account import WrongPassword, verify_by_password
from instep.accounts.people.passkeys import passkey_site
from instep.interfaces.dashboard.shell import pages
from instep.platform.core.errors import AppError
from instep.platform.identity.schemas import Person
from instep.platform.web import signed_in
from instep.platform.web.signed_in import VERIFY


@signed_in.require_person()
async def show_verify(request: Request, person: Person) -> Response:
    return show_question(request, person, signed_in.local_path(request.query_params.get("next")))


@signed_in.require_person()
async def verify(request: Request, person: Person) -> Response:
    """Check the password, and return to the page that asked for it."""
    form, session, token = (
        signed_in.form_of(request),
        signed_in.session_of_request(request),
        signed_in.session_token(request) or "",
    )
    next_path = signed_in.local_path(form.get("next"))
    try:
        await verify_by_password(request.app.state.database, session, token, form.get("password", ""))
    except (WrongPassword, TooManyAttempts) as refusal:
        return show_question(request, person, next_path, refusal)
    return signed_in.see_other(next_path)


def show_question(
    request: Request, person: Person, next_path: str, refusal: AppError | None = None
) -> Response:
    settings = request.app.state.settings
    return pages.show(
        request,
        "account/verify.html",
        refusal.status if refusal else 200,
        person=person,
        next=next_path,
        provider_name=settings.oidc_name if settings.oidc_issuer else None,
        takes_passkeys=passkey_site(settings) is not None,
        error=refusal.message if refusal else None,
    )


routes = [
    Route(VERIFY, show_verify, methods=["GET"]),
    Route(VERIFY, verify, methods=["POST"]),
]

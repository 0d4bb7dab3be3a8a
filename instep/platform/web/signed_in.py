"""Pages for signed-in people: authentication, required roles, and private responses."""

import re
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import Any
from urllib.parse import SplitResult, quote, unquote, urlsplit

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Match

from instep.platform.core import limits
from instep.platform.core.clock import utc_now
from instep.platform.core.errors import InsufficientScope
from instep.platform.identity.schemas import Person
from instep.platform.identity.scopes import Role, permissions_of
from instep.platform.identity.sessions import Session, authenticate_session
from instep.platform.web.call import PersonAccess
from instep.platform.web.forms import (
    CSRF_FIELD,
    Form,
    OldForm,
    cookie_name,
    csrf_token,
    form_secrets,
    new_secret,
    read_form,
    set_cookie,
)
from instep.platform.web.notices import Notice, keep_notice
from instep.platform.web.pages import Pages, hidden_field

VERIFY = "/app/verify"
SIGN_IN = "/sign-in"
SIGN_OUT = "/sign-out"
HOME = "/app/"
SAFE = {"GET", "HEAD"}
# The new token for the forms of an open page.
TOKEN_HEADER = "Instep-Form-Token"
# The field in which `refilling.js` names a form that it keeps, and the cookie that names an accepted one.
SENT_FIELD, ACCEPTED = "form-sent", "accepted"
# Its name is the time at which it was sent, in milliseconds since 1970.
SENT_TIME = re.compile(r"[0-9]{1,16}")
# The notice after a proof of identity: the form that needed it was not accepted.
NOT_DONE_YET = "Almost done: check your entries and press the button again."
# Paths to try for the page of a form, which is rarely more than one segment above the form's address.
MAX_PATHS_TRIED = 4
FORMS_TO_US = "form-action 'self'"
# Pages without scripts.
POLICY = (
    f"default-src 'none'; style-src 'self'; img-src 'self'; font-src 'self'; {FORMS_TO_US}; "
    "base-uri 'none'; frame-ancestors 'none'"
)
# A path that no browser reads as another host's address (`//`, `/\`).
LOCAL_PATH = re.compile(r"/(?![/\\])[\x21-\x5b\x5d-\x7e]*")

Page = Callable[[Request, Person], Awaitable[Response]]


class SignInTooOld(InsufficientScope):
    """Prove your identity again: this needs a sign-in within the last ten minutes."""


def require_recent_sign_in(request: Request) -> None:
    """Raise `SignInTooOld`, which `require_person` redirects to the page that asks for the password and back.

    Pages for keys, roles, export, deletion, and hosts that get visitors or their data call it: preferably
    when their form is shown, and always when it is received; the form must then be filled in again.
    """
    session: Session = request.state.session
    if utc_now() - session.verified_at > limits.RECENT_SIGN_IN_TTL:
        raise SignInTooOld


class SomeoneElsesForm(OldForm):
    """Someone else is signed in in this browser: sign in again."""


class NotAllowed(InsufficientScope):
    """Your role does not allow this: an owner of the workspace can change it."""


async def current_session(request: Request) -> Session | None:
    """The session of this browser; None without a valid one."""
    token = session_token(request)
    if token is None:
        return None
    async with authenticate_session(request.app.state.database, token) as (session, _):
        return session


def session_token(request: Request) -> str | None:
    return request.cookies.get(cookie_name(request.app.state.settings, "session"))


async def current_person(request: Request) -> Person | None:
    """The person of this browser's session; None without a valid one."""
    session = await current_session(request)
    return session.person if session else None


def require_person(
    role: Role = Role.VIEWER,
    *,
    form_bytes: int = limits.MAX_FORM_BYTES,
    takes_files: bool = False,
) -> Callable[[Page], Callable[[Request], Awaitable[Response]]]:
    """Declare that a page needs a signed-in person with this role or a higher one.

    Others are redirected to the sign-in page. A request that changes something must come from our own form.
    """

    def register(page: Page) -> Callable[[Request], Awaitable[Response]]:
        @wraps(page)
        async def enter(request: Request) -> Response:
            session = await current_session(request)
            if session is None:
                return ask_to_sign_in(request)
            request.state.session, person = session, session.person
            if not includes(person.role, role):
                raise NotAllowed
            try:
                if request.method not in SAFE:
                    request.state.form = await read_form(request, form_bytes, takes_files=takes_files)
                return tell_accepted(request, await page(request, person))
            except OldForm as refusal:
                return open_form_again(request, person, refusal)
            except SignInTooOld:
                return ask_to_verify(request)

        enter.__dict__["access"] = PersonAccess(role)
        return enter

    return register


def tell_accepted(request: Request, response: Response) -> Response:
    """Tell the next page that this one has received its form, so that `refilling.js` keeps it no longer."""
    if request.method not in SAFE and (sent := accepted_form(request)):
        set_cookie(response, request.app.state.settings, ACCEPTED, sent, None)
    return response


def accepted_form(request: Request) -> str:
    """The form that the server has accepted last, as `refilling.js` names it; empty if none is known."""
    form: Form | None = getattr(request.state, "form", None)
    sent = form.get(SENT_FIELD) if form else None
    name = sent or request.cookies.get(cookie_name(request.app.state.settings, ACCEPTED), "")
    return name if SENT_TIME.fullmatch(name) else ""


def includes(role: Role, needed: Role) -> bool:
    permissions, minimum = permissions_of(role), permissions_of(needed)
    return (permissions.can_write, permissions.changes_settings) >= (
        minimum.can_write,
        minimum.changes_settings,
    )


def session_of_request(request: Request) -> Session:
    """The session with which `require_person` let the request in."""
    session: Session = request.state.session
    return session


def form_of(request: Request) -> Form:
    """The fields of the request's form, which `require_person` has checked."""
    form: Form = request.state.form
    return form


def asks_for_part(request: Request) -> bool:
    """True if htmx requests a part of a page; it would insert any response into the page."""
    return request.headers.get("hx-request") == "true"


def wants_json(request: Request) -> bool:
    """True if one of our scripts sent the request, and shows the sentence of a refusal itself."""
    return request.headers.get("accept") == "application/json"


def ask_to_sign_in(request: Request) -> Response:
    """Redirect to the sign-in page and back; a page that requested a part asks to sign in by itself.

    `session.js` opens a dialog for that and sends the request again, so that nothing on the page is lost.
    """
    if not asks_for_part(request):
        return go_and_come_back(request, SIGN_IN)
    headers = {**private_headers(), "HX-Trigger": "instep-signed-out", "HX-Reswap": "none"}
    return Response(status_code=401, headers=headers)


def ask_to_verify(request: Request) -> Response:
    """Redirect to the page that asks for the password, and back."""
    if not asks_for_part(request):
        return go_and_come_back(request, VERIFY)
    page = page_of_request(request, "hx-current-url")
    address = address_with_next(VERIFY, page.path, page.query)
    response = Response(status_code=403, headers={**private_headers(), "HX-Redirect": address})
    return with_request_to_send_again(request, response, page.path)


def go_and_come_back(request: Request, address: str) -> Response:
    """Redirect to a page that proves who someone is, and back; after a form, to the form's page.

    `refilling.js` fills the form in again.
    """
    if request.method in SAFE:
        return see_other(address_with_next(address, request.url.path, request.url.query))
    path, query = page_of_form(request)
    return with_request_to_send_again(request, see_other(address_with_next(address, path, query)), path)


def open_form_again(request: Request, person: Person, refusal: OldForm) -> Response:
    """Redirect to the page of a form of the dashboard that belongs to an earlier session of the same person.

    A page that requests a part gets the token of its forms instead, and sends the request again. The forms of
    others are refused.
    """
    if refusal.person_id != person.id:
        raise SomeoneElsesForm if refusal.person_id else refusal
    if asks_for_part(request):
        raise OldForm(headers={TOKEN_HEADER: csrf_token(form_secrets(request)[0], person.id)})
    # Browsers name the page of a form of ours: without it there is none to open again.
    if not request.url.path.startswith(HOME) or "referer" not in request.headers:
        raise OldForm
    path, query = page_of_form(request)
    response = see_other(with_query(local_path(path), query))
    return with_request_to_send_again(request, response, path)


def page_of_form(request: Request) -> tuple[str, str]:
    """The path and the query of the page that sent a form; one of our own paths, whatever its origin."""
    page = page_of_request(request, "referer")
    return openable_path(request, page.path), page.query


def page_of_request(request: Request, header: str) -> SplitResult:
    """The URL of the page that a browser sends in a header, or of the request if the header is no URL."""
    try:
        return urlsplit(request.headers.get(header, request.url.path))
    except ValueError:
        return urlsplit(request.url.path)


def openable_path(request: Request, path: str) -> str:
    """The path, or the nearest one above it that can be opened: some are for forms alone.

    A stranger can send any path, so that only a few are tried.
    """
    if len(path) > limits.MAX_NEXT_PATH_CHARACTERS:
        return HOME
    scope = {**request.scope, "method": "GET"}
    for _ in range(MAX_PATHS_TRIED):
        here = scope | {"path": path}
        if path and any(route.matches(here)[0] is Match.FULL for route in request.app.routes):
            return path
        path = path.rpartition("/")[0]
    return HOME


def with_request_to_send_again(request: Request, response: Response, page: str) -> Response:
    """After a form, its page says that it must be sent again, except to sign out: that is done."""
    if request.method not in SAFE and request.url.path != SIGN_OUT:
        notice = Notice(NOT_DONE_YET, asks_again=True, page=unquote(page))
        keep_notice(request, response, notice, int(limits.RECENT_SIGN_IN_TTL.total_seconds()))
    return response


def address_with_next(address: str, path: str, query: str) -> str:
    return f"{address}?next={quote(with_query(path, query), safe='/')}"


def with_query(path: str, query: str) -> str:
    return f"{path}?{query}" if query else path


def local_path(path: str | None) -> str:
    """The path to go to after signing in; only paths of this installation are accepted."""
    if path is None or len(path) > limits.MAX_NEXT_PATH_CHARACTERS or LOCAL_PATH.fullmatch(path) is None:
        return HOME
    return path


def see_other(address: str) -> Response:
    """Redirect with 303, so that the browser uses GET."""
    return RedirectResponse(address, 303, private_headers())


def private_headers(form_targets: Sequence[str] = (), policy: str = POLICY) -> dict[str, str]:
    """Headers of a person's own pages; a form may redirect to the origins in `form_targets`."""
    forms = " ".join([FORMS_TO_US, *form_targets])
    return {
        "Content-Security-Policy": policy.replace(FORMS_TO_US, forms),
        "Cache-Control": "no-store",
        # `no-referrer` would make browsers hide the origin of our own forms.
        "Referrer-Policy": "same-origin",
        "Cross-Origin-Opener-Policy": "same-origin",
    }


@dataclass(frozen=True, slots=True)
class PrivatePages:
    """The templates of one slice, on the layout that all pages for people share."""

    pages: Pages
    policy: str = POLICY

    @classmethod
    def below(cls, folder: Path, *, policy: str = POLICY) -> "PrivatePages":
        return cls(Pages.below(folder), policy)

    def show(
        self,
        request: Request,
        template: str,
        status: int = 200,
        *,
        person: Person | None = None,
        form_targets: Sequence[str] = (),
        **values: Any,
    ) -> Response:
        """Render a page; its forms contain `{{ csrf }}`."""
        secrets = form_secrets(request)
        secret = secrets[0] if secrets else new_secret()
        html = self.pages.environment.get_template(template).render(
            person=person,
            csrf=hidden_field(CSRF_FIELD, csrf_token(secret, person.id if person else "")),
            accepted_form=accepted_form(request),
            **values,
        )
        response = Response(html, status, private_headers(form_targets, self.policy), "text/html")
        if not secrets:
            set_cookie(response, request.app.state.settings, "form", secret, None)
        return response

"""Pages for signed-in people: authentication, required roles, and private responses."""

import re
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from instep.core import limits
from instep.core.errors import InsufficientScope
from instep.identity.schemas import Person
from instep.identity.scopes import Role, permissions_of
from instep.identity.sessions import authenticate_session
from instep.web.call import PersonAccess
from instep.web.forms import (
    CSRF_FIELD,
    cookie_name,
    csrf_token,
    form_secrets,
    new_secret,
    read_form,
    set_cookie,
)
from instep.web.pages import Pages, hidden_field

SIGN_IN = "/sign-in"
HOME = "/app/connected-apps"
SAFE = {"GET", "HEAD"}
FORMS_TO_US = "form-action 'self'"
# Pages without scripts.
POLICY = (
    f"default-src 'none'; style-src 'self'; img-src 'self'; font-src 'self'; {FORMS_TO_US}; "
    "base-uri 'none'; frame-ancestors 'none'"
)
# A path that no browser reads as another host's address (`//`, `/\`).
LOCAL_PATH = re.compile(r"/(?![/\\])[\x21-\x5b\x5d-\x7e]*")

Page = Callable[[Request, Person], Awaitable[Response]]


class NotAllowed(InsufficientScope):
    """Your role does not allow this: an owner of the workspace can change it."""


async def current_person(request: Request) -> Person | None:
    """The person whose session this browser has; None without a valid one."""
    token = request.cookies.get(cookie_name(request.app.state.settings, "session"))
    if token is None:
        return None
    async with authenticate_session(request.app.state.database, token) as (person, _):
        return person


def require_person(role: Role = Role.VIEWER) -> Callable[[Page], Callable[[Request], Awaitable[Response]]]:
    """Declare that a page needs a signed-in person with this role or a higher one.

    Others are redirected to the sign-in page. A request that changes something must come from our own form.
    """

    def register(page: Page) -> Callable[[Request], Awaitable[Response]]:
        @wraps(page)
        async def enter(request: Request) -> Response:
            person = await current_person(request)
            if person is None:
                return ask_to_sign_in(request)
            if not includes(person.role, role):
                raise NotAllowed
            if request.method not in SAFE:
                request.state.form = await read_form(request)
            return await page(request, person)

        enter.__dict__["access"] = PersonAccess(role)
        return enter

    return register


def includes(role: Role, needed: Role) -> bool:
    permissions, minimum = permissions_of(role), permissions_of(needed)
    return (permissions.can_write, permissions.changes_settings) >= (
        minimum.can_write,
        minimum.changes_settings,
    )


def form_of(request: Request) -> dict[str, str]:
    """The fields of the request's form, which `require_person` has checked."""
    form: dict[str, str] = request.state.form
    return form


def asks_for_part(request: Request) -> bool:
    """Whether htmx asks for a part of a page, into which it would put whatever comes."""
    return request.headers.get("hx-request") == "true"


def ask_to_sign_in(request: Request) -> Response:
    """Lead to the sign-in page and back; instead of a part of a page, the whole page goes there."""
    if not asks_for_part(request):
        return see_other(sign_in_address(request.url.path, request.url.query))
    page = urlsplit(request.headers.get("hx-current-url", HOME))
    headers = {**private_headers(), "HX-Redirect": sign_in_address(page.path, page.query)}
    return Response(status_code=401, headers=headers)


def sign_in_address(path: str, query: str) -> str:
    """The sign-in page with the path to return to; a form must be sent again afterwards."""
    return f"{SIGN_IN}?next={quote(f'{path}?{query}' if query else path, safe='/')}"


def local_path(path: str | None) -> str:
    """The path to go to after signing in; only paths of this installation are accepted."""
    if path is None or len(path) > limits.MAX_NEXT_PATH_CHARACTERS or LOCAL_PATH.fullmatch(path) is None:
        return HOME
    return path


def see_other(address: str) -> Response:
    """Redirect with 303, so that the browser uses GET."""
    return RedirectResponse(address, 303, private_headers())


def private_headers(form_targets: Sequence[str] = (), policy: str = POLICY) -> dict[str, str]:
    """Headers of a person's own pages; a form may lead to the origins in `form_targets`."""
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
            person=person, csrf=hidden_field(CSRF_FIELD, csrf_token(secret)), **values
        )
        response = Response(html, status, private_headers(form_targets, self.policy), "text/html")
        if not secrets:
            set_cookie(response, request.app.state.settings, "form", secret, None)
        return response

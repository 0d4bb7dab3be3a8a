"""Pages for people: who is signed in, what a page asks of them, and how private pages are answered."""

import re
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import Any
from urllib.parse import quote

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

LAYOUT = Path(__file__).parent / "layout"
SIGN_IN = "/sign-in"
HOME = "/app/connected-apps"
SAFE = {"GET", "HEAD"}
# A path of this installation, which no browser takes for another host's (`//`, `/\`).
OWN_PATH = re.compile(r"/(?![/\\])[\x21-\x5b\x5d-\x7e]*")

Page = Callable[[Request, Person], Awaitable[Response]]


class NotAllowed(InsufficientScope):
    """Your role does not allow this: an owner of the workspace can change it."""


async def current_person(request: Request) -> Person | None:
    """Who this browser belongs to."""
    token = request.cookies.get(cookie_name(request.app.state.settings, "session"))
    if token is None:
        return None
    async with authenticate_session(request.app.state.database, token) as (person, _):
        return person


def require_person(role: Role = Role.VIEWER) -> Callable[[Page], Callable[[Request], Awaitable[Response]]]:
    """Declare that a page is for those who are signed in, in this role or a higher one.

    Others are asked to sign in first. What changes something must come from a form of our own.
    """

    def register(page: Page) -> Callable[[Request], Awaitable[Response]]:
        @wraps(page)
        async def enter(request: Request) -> Response:
            person = await current_person(request)
            if person is None:
                return see_other(sign_in_address(request))
            if not includes(person.role, role):
                raise NotAllowed
            if request.method not in SAFE:
                request.state.form = await read_form(request)
            return await page(request, person)

        enter.__dict__["access"] = PersonAccess(role)
        return enter

    return register


def includes(role: Role, needed: Role) -> bool:
    mine, asked = permissions_of(role), permissions_of(needed)
    return (mine.can_write, mine.changes_settings) >= (asked.can_write, asked.changes_settings)


def form_of(request: Request) -> dict[str, str]:
    """The form that came with the request; it has been found to be our own."""
    form: dict[str, str] = request.state.form
    return form


def sign_in_address(request: Request) -> str:
    """Where to sign in, with the way back; what was sent from a form begins anew at its page."""
    path = request.url.path + (f"?{request.url.query}" if request.url.query else "")
    return f"{SIGN_IN}?next={quote(path, safe='/')}"


def own_path(path: str | None) -> str:
    """Where to go on after signing in: only ever to a page of this installation."""
    if path is None or len(path) > limits.MAX_NEXT_PATH_CHARACTERS or OWN_PATH.fullmatch(path) is None:
        return HOME
    return path


def see_other(address: str) -> Response:
    """Go on there, with a GET."""
    return RedirectResponse(address, 303, private_headers(()))


def private_headers(form_targets: Sequence[str]) -> dict[str, str]:
    """For pages that are one person's. `form_targets`: origins to which a form of the page may lead."""
    forms = " ".join(["'self'", *form_targets])
    return {
        "Content-Security-Policy": (
            f"default-src 'none'; style-src 'self'; img-src 'self'; form-action {forms}; "
            "base-uri 'none'; frame-ancestors 'none'"
        ),
        "Cache-Control": "no-store",
        # Not `no-referrer`: with that browsers hide the origin of our own forms.
        "Referrer-Policy": "same-origin",
        "Cross-Origin-Opener-Policy": "same-origin",
    }


@dataclass(frozen=True, slots=True)
class PrivatePages:
    """The templates of one slice, on the layout that all pages for people share."""

    pages: Pages

    @classmethod
    def below(cls, folder: Path) -> "PrivatePages":
        return cls(Pages.below(folder, LAYOUT / "templates"))

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
        """A page; its forms hold `{{ csrf }}`."""
        kept = form_secrets(request)
        secret = kept[0] if kept else new_secret()
        html = self.pages.environment.get_template(template).render(
            person=person, csrf=hidden_field(CSRF_FIELD, csrf_token(secret)), **values
        )
        response = Response(html, status, private_headers(form_targets), "text/html")
        if not kept:
            set_cookie(response, request.app.state.settings, "form", secret, None)
        return response

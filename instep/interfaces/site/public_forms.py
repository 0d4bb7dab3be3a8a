"""Public forms; spam bots are recognized by rate, a field that people don't see, and time.

Visitors have no session, so no cookie guards these forms: their actions need no permissions.
"""

import hashlib
import hmac
from typing import Any

from starlette.datastructures import URL
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from instep.interfaces.site.rendering import visitor_page
from instep.interfaces.site.visits import Visit
from instep.platform.core import limits
from instep.platform.core.clock import utc_now
from instep.platform.core.errors import InvalidRequest
from instep.platform.core.rate_window import count_hit
from instep.platform.identity.schemas import Ctx
from instep.platform.web.call import Window
from instep.platform.web.catalogues import message
from instep.platform.web.client_addresses import client_address
from instep.platform.web.forms import Form, read_fields, refuse_foreign_site
from instep.platform.web.pages import NO_STORE, SECURITY_HEADERS
from instep.platform.web.visitors.route import refuse_spent

TOO_MANY_REQUESTS = message("Too many requests came from your network. Wait a minute, then try again.")
PRESS_AGAIN = message("Your rating was not saved: go back and press “Yes” or “No” again.")
SEND_AGAIN = message("Nothing was sent yet: press “Send” again.")
AT_MOST_CHARACTERS = message("Use at most %(number)s characters.")
# The field that people don't see, and spam bots fill in.
TRAP = "website"
STAMP = "stamp"
PRIVATE_PAGE = {**NO_STORE, "X-Robots-Tag": "noindex"}


class VisitorMistake(InvalidRequest):
    """A request that a visitor can correct; `values` fill the placeholders in the text of the catalogs."""

    def __init__(self, text: str, **values: object) -> None:
        super().__init__(text % values if values else text)
        self.text = text
        self.values = values


def private_page(visit: Visit, template: str, status: int = 200, **values: Any) -> Response:
    """A page about one visitor's text: not cached and not listed by search engines."""
    page = visitor_page(visit, template, values.pop("locale", None), **values)
    page.status_code = status
    page.headers.update(PRIVATE_PAGE)
    del page.headers["ETag"]
    return page


def seen(path: str, **query: str) -> Response:
    """Redirect to the page with the result of a form, so that reloading it sends nothing again."""
    url = str(URL(path).include_query_params(**query)) if query else path
    return RedirectResponse(url, 303, {**SECURITY_HEADERS, **PRIVATE_PAGE})


async def read_public_form(request: Request) -> Form:
    """The fields of a form of this site; a form sent from another site is refused (403)."""
    refuse_foreign_site(request)
    return await read_fields(request, limits.MAX_VISITOR_BODY_BYTES)


async def count_visitor(request: Request, ctx: Ctx) -> None:
    """Count an anonymous visitor by network address, as the answer API does; 429 beyond the limit."""
    seconds = limits.REQUEST_WINDOW_SECONDS
    window = await count_hit(ctx.tx, "widget-chat", f"{ctx.bot.id} {client_address(request)}", seconds)
    quota = limits.VISITOR_CALLS_PER_MINUTE
    refuse_spent([Window("widget-chat", quota, seconds, window.hits, window.seconds_left)])


def visitor_of(request: Request) -> str:
    """An identifier without a cookie: the same all day for one browser and address, another one tomorrow.

    Only its hash is stored, as for every visitor.
    """
    browser = request.headers.get("user-agent", "")
    return "site-" + mac(request, "visitor", f"{utc_now():%Y-%m-%d}", client_address(request), browser)


def stamp_for(request: Request, subject: str) -> str:
    """The hidden value of a form that is shown now; `subject` says what the form is about."""
    seconds = str(int(utc_now().timestamp()))
    return f"{seconds}.{mac(request, 'form', subject, seconds)}"


def renewed_stamp(request: Request, subject: str, form: Form) -> str:
    """The stamp of a form shown again: the first one stays valid, because corrections may be quick."""
    stamp = form.get(STAMP, "")
    return stamp if is_signed(request, subject, stamp) else stamp_for(request, subject)


def is_signed(request: Request, subject: str, stamp: str) -> bool:
    """True if one of our pages showed this form within the last day."""
    seconds, _, sent = stamp.partition(".")
    if not hmac.compare_digest(sent.encode(), mac(request, "form", subject, seconds).encode()):
        return False
    return form_age(stamp) <= limits.SITE_FORM_TTL_SECONDS


def is_from_person(request: Request, subject: str, form: Form) -> bool:
    """True if a form was shown, was not filled in within a moment, and has an empty invisible field."""
    stamp = form.get(STAMP, "")
    if form.get(TRAP) or not is_signed(request, subject, stamp):
        return False
    return form_age(stamp) >= limits.MIN_SITE_FORM_SECONDS


def form_age(stamp: str) -> float:
    """The seconds since a form was shown; the signature of its stamp has been checked."""
    return utc_now().timestamp() - int(stamp.partition(".")[0])


def mac(request: Request, purpose: str, *texts: str) -> str:
    message = "\0".join(("site", purpose, *texts)).encode("utf-8", "replace")
    return hmac.new(request.app.state.cursor_key, message, hashlib.sha256).hexdigest()

"""The notice or the secret that the next page shows once, encrypted in a cookie.

A form then answers 303 like every other, and reloading the page neither makes nor shows the secret again.
"""

import hashlib
import hmac
import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from dataclasses import asdict, dataclass
from typing import ClassVar

from starlette.requests import Request
from starlette.responses import Response

from instep.platform.core.crypto import Unreadable, key_ring
from instep.platform.web.forms import cookie_name, set_cookie

SECONDS_UNTIL_SHOWN = 60
SECRET_COOKIE = "shown-once"


@dataclass(frozen=True, slots=True)
class Notice:
    """A sentence, and the path of the form that undoes it.

    `asks_again` means that a form was not accepted and must be sent again. Only the page with the path `page`
    shows the notice; any page if it is None.
    """

    COOKIE: ClassVar[str] = "notice"

    sentence: str
    undo: str | None = None
    asks_again: bool = False
    page: str | None = None


def keep_notice(
    request: Request, response: Response, notice: Notice, seconds: int = SECONDS_UNTIL_SHOWN
) -> None:
    """Keep a notice for the next page, in a signed cookie of this browser."""
    text = urlsafe_b64encode(json.dumps(asdict(notice)).encode()).decode()
    state = request.app.state
    value = f"{text}.{signature(state.cursor_key, text)}"
    set_cookie(response, state.settings, Notice.COOKIE, value, seconds)


def take_notice(request: Request) -> Notice | None:
    """The notice that the previous page left for this one; None without a valid one."""
    state = request.app.state
    text, _, sent = request.cookies.get(cookie_name(state.settings, Notice.COOKIE), "").rpartition(".")
    if not text or not hmac.compare_digest(sent.encode(), signature(state.cursor_key, text).encode()):
        return None
    notice = Notice(**json.loads(urlsafe_b64decode(text)))
    return notice if notice.page in (None, request.url.path) else None


def signature(key: bytes, text: str) -> str:
    return hmac.new(key, b"notice\0" + text.encode(), hashlib.sha256).hexdigest()


def keep_secret(request: Request, response: Response, purpose: str, secret: str) -> None:
    """Keep a secret for the next page that takes one of this purpose, in the same session."""
    sealed = key_ring().seal(secret, *place_of(request, purpose))
    set_cookie(response, request.app.state.settings, SECRET_COOKIE, sealed.hex(), SECONDS_UNTIL_SHOWN)


def take_secret(request: Request, purpose: str) -> str | None:
    """The secret that the previous form left for this purpose; None without one."""
    sealed = request.cookies.get(cookie_name(request.app.state.settings, SECRET_COOKIE), "")
    try:
        return key_ring().open(bytes.fromhex(sealed), *place_of(request, purpose))
    except (Unreadable, ValueError):
        return None


def forget_secret(request: Request, response: Response) -> None:
    """Delete the secret, because the page shows it now and never again."""
    set_cookie(response, request.app.state.settings, SECRET_COOKIE, "", 0)


def place_of(request: Request, purpose: str) -> tuple[str, str, str]:
    session = request.cookies.get(cookie_name(request.app.state.settings, "session"), "")
    return SECRET_COOKIE, purpose, session

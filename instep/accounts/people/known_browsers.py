"""Known browsers: a signed cookie proves that a person has signed in with this browser before."""

import hashlib
import hmac
import re
import secrets
from datetime import datetime

from instep.accounts.people.schemas import Candidate
from instep.platform.core import limits

COOKIE = re.compile(r"(?P<id>[\w-]{22})\.(?P<issued>[0-9]{1,12})\.(?P<signature>[0-9a-f]{64})", re.ASCII)
ID_BYTES = 16


def new_cookie(key: bytes, person_id: str, password_hash: str | None, now: datetime) -> str:
    """The cookie that a browser keeps after signing in; it is valid for this person only."""
    browser_id, issued = secrets.token_urlsafe(ID_BYTES), str(int(now.timestamp()))
    return f"{browser_id}.{issued}.{sign(key, browser_id, issued, person_id, password_hash or '')}"


def known_browser(key: bytes, cookie: str, candidate: Candidate, now: datetime) -> str | None:
    """The id of a browser with which this person has signed in since their password was set, or None."""
    parts = COOKIE.fullmatch(cookie)
    if parts is None:
        return None
    signature = sign(key, parts["id"], parts["issued"], candidate.id, candidate.password_hash or "")
    seconds = now.timestamp() - int(parts["issued"])
    is_fresh = seconds <= limits.KNOWN_BROWSER_TTL.total_seconds()
    return parts["id"] if is_fresh and hmac.compare_digest(signature, parts["signature"]) else None


def sign(key: bytes, *parts: str) -> str:
    """The cookie's signature; it includes the password's hash, so that a new password invalidates it."""
    return hmac.new(key, "\0".join(("known browser", *parts)).encode(), hashlib.sha256).hexdigest()

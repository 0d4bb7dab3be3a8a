"""Browsers that somebody has signed in with before: a signed cookie tells them from strangers."""

import hashlib
import hmac
import re
import secrets
from datetime import datetime

from instep.core import limits
from instep.people.schemas import Candidate

COOKIE = re.compile(r"(?P<id>[\w-]{22})\.(?P<issued>[0-9]{1,12})\.(?P<signature>[0-9a-f]{64})", re.ASCII)
ID_BYTES = 16


def new_cookie(key: bytes, person_id: str, password_hash: str, now: datetime) -> str:
    """What a browser keeps after signing in; it is worth nothing to anybody else's sign-in."""
    browser_id, issued = secrets.token_urlsafe(ID_BYTES), str(int(now.timestamp()))
    return f"{browser_id}.{issued}.{sign(key, browser_id, issued, person_id, password_hash)}"


def known_browser(key: bytes, cookie: str, candidate: Candidate, now: datetime) -> str | None:
    """The id of a browser that this person has signed in with, since they have this password."""
    parts = COOKIE.fullmatch(cookie)
    if parts is None:
        return None
    signature = sign(key, parts["id"], parts["issued"], candidate.id, candidate.password_hash)
    seconds = now.timestamp() - int(parts["issued"])
    is_fresh = seconds <= limits.KNOWN_BROWSER_TTL.total_seconds()
    return parts["id"] if is_fresh and hmac.compare_digest(signature, parts["signature"]) else None


def sign(key: bytes, *parts: str) -> str:
    """The password's hash is a part of it, so a new password makes every browser a stranger."""
    return hmac.new(key, "\0".join(("known browser", *parts)).encode(), hashlib.sha256).hexdigest()
